// The graph layer with a backward of its own, against the plain operators and finite differences.
#include "agents/net/cluster/graph_layer.h"

#include <ostream>
#include <vector>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "tests/agents/kit/gradient.h"

namespace park::agents {
namespace graph_layer_test {

using test::expect_gradient;
using test::numbers;

/// Edges of several graphs.
struct Graphs {
  std::vector<std::int64_t> nodes{0}, edges{0};
  std::vector<std::int32_t> parents, children;

  void add(std::int32_t count, const std::vector<std::pair<std::int32_t, std::int32_t>>& list) {
    for (const auto& [parent, child] : list) {
      parents.push_back(parent);
      children.push_back(child);
    }
    nodes.push_back(nodes.back() + count);
    edges.push_back(static_cast<std::int64_t>(parents.size()));
  }
  [[nodiscard]] GraphLevelsPtr levels() const {
    return make_levels({nodes, edges, parents, children});
  }
};

Graphs some() {
  Graphs g;
  g.add(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}});  // children at different depths
  g.add(1, {});
  g.add(5, {{4, 3}, {3, 2}, {2, 1}, {1, 0}});  // children before parents
  g.add(0, {});
  g.add(3, {{0, 2}, {1, 2}});  // two roots
  return g;
}

PerceptronParameters parameters(const std::vector<std::int64_t>& widths, std::uint64_t seed,
                                bool rectify_last = false) {
  PerceptronParameters p{.tensors = {}, .style = {0.2f, rectify_last}};
  for (std::size_t k = 1; k < widths.size(); ++k) {
    p.tensors.push_back(
        (0.7f * numbers({widths[k - 1], widths[k]}, seed + k)).requires_grad_(true));
    p.tensors.push_back((0.5f * numbers({widths[k]}, seed + 9 + k)).requires_grad_(true));
  }
  return p;
}

TEST(GraphLevels, EdgesInACircleAreRefused) {
  Graphs g = some();
  g.add(2, {{0, 1}, {1, 0}});
  EXPECT_THROW(static_cast<void>(g.levels()), Error);
}

TEST(GraphLevels, ChildrenComeBeforeParents) {
  const GraphLevelsPtr l = some().levels();
  EXPECT_EQ(l->height, (std::vector<std::int64_t>{2, 1, 1, 0, 0, 0, 1, 2, 3, 4, 1, 1, 0}));
  std::vector<std::int64_t> place(13, -1);
  for (std::size_t i = 0; i < l->order.size(); ++i)
    place[static_cast<std::size_t>(l->order[i])] = static_cast<std::int64_t>(i);
  for (std::size_t v = 0; v < 13; ++v) {
    ASSERT_GE(place[v], 0);
    for (std::int64_t c = l->offsets[v]; c < l->offsets[v + 1]; ++c)
      EXPECT_LT(place[static_cast<std::size_t>(l->child[static_cast<std::size_t>(c)])], place[v]);
  }
  EXPECT_EQ(l->sends, (std::vector<std::uint8_t>{0, 1, 1, 1, 0, 1, 1, 1, 1, 0, 0, 0, 1}));
}

struct Variant {
  std::int64_t features, width, message;
  bool update, rectify_last;

  friend std::ostream& operator<<(std::ostream& out, const Variant& v) {
    return out << v.features << '-' << v.width << '-' << v.message << (v.update ? " two" : " one")
               << (v.rectify_last ? " rectified" : "");
  }
};

class GraphLayers : public ::testing::TestWithParam<Variant> {
 protected:
  [[nodiscard]] GraphLayer layer() const {
    const Variant& v = GetParam();
    GraphLayer l{.message = parameters({v.features + v.width, 6, 7, v.message}, 30, v.rectify_last),
                 .update = {}};
    if (v.update) l.update = parameters({v.message, 5, v.width}, 50, v.rectify_last);
    return l;
  }
  [[nodiscard]] static std::vector<at::Tensor> all(const GraphLayer& l) {
    std::vector<at::Tensor> tensors = l.message.tensors;
    tensors.insert(tensors.end(), l.update.tensors.begin(), l.update.tensors.end());
    return tensors;
  }
};

TEST_P(GraphLayers, AgreeWithTheOperators) {
  Graphs graphs = some();
  Rng draw(4);
  for (int k = 0; k < 60; ++k) {  // more than are put in order together
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (std::int32_t c = 1; c < 12; ++c)
      for (std::int32_t p = 0; p < c; ++p)
        if (draw.below(4) == 0) edges.emplace_back(p, c);
    graphs.add(12, edges);
  }
  const GraphLevelsPtr levels = graphs.levels();
  const std::int64_t n = graphs.nodes.back();
  const GraphLayer ours = layer(), theirs = layer();
  const at::Tensor features = numbers({n, GetParam().features}, 1);
  const at::Tensor x = numbers({n, GetParam().width}, 2).requires_grad_(true);
  const at::Tensor y = numbers({n, GetParam().width}, 2).requires_grad_(true);
  const at::Tensor weight = numbers({n, GetParam().width}, 3);
  const at::Tensor a = graph_layer(x, features, levels, ours);
  const at::Tensor b = plain_graph_layer(y, features, levels, theirs);
  EXPECT_TRUE(at::allclose(a, b, 1e-3, 1e-3));
  (a * weight).sum().backward();
  (b * weight).sum().backward();
  const auto near = [](const at::Tensor& p, const at::Tensor& q) {
    return (p - q).abs().max().item<double>() <= 1e-3 * (1 + q.abs().max().item<double>());
  };
  EXPECT_TRUE(near(x.grad(), y.grad()));
  for (std::size_t i = 0; i < all(ours).size(); ++i)
    EXPECT_TRUE(near(all(ours)[i].grad(), all(theirs)[i].grad())) << "parameter " << i;
}

TEST_P(GraphLayers, GradientsAreThoseOfFiniteDifferences) {
  const GraphLevelsPtr levels = some().levels();
  const at::Tensor features = numbers({13, GetParam().features}, 1);
  const at::Tensor x = numbers({13, GetParam().width}, 2);
  const at::Tensor weight = numbers({13, GetParam().width}, 3);
  GraphLayer l = layer();
  const auto value = [&](const at::Tensor& from) {
    return (graph_layer(from, features, levels, l) * weight).sum();
  };
  expect_gradient(value, x, 1e-3f, 2e-2);
  for (PerceptronParameters* p : {&l.message, &l.update})
    for (at::Tensor& t : p->tensors) {
      const at::Tensor kept = t;
      expect_gradient(
          [&](const at::Tensor& v) {
            t = v;
            return value(x);
          },
          kept, 1e-3f, 2e-2);
      t = kept;
    }
}

TEST_P(GraphLayers, NodesWithoutChildrenStayAsTheyAre) {
  const GraphLevelsPtr levels = some().levels();
  const at::Tensor x = numbers({13, GetParam().width}, 2);
  const at::Tensor e = graph_layer(x, numbers({13, GetParam().features}, 1), levels, layer());
  for (std::int64_t v = 0; v < 13; ++v)
    EXPECT_EQ(at::equal(e[v], x[v]), levels->height[static_cast<std::size_t>(v)] == 0);
}

INSTANTIATE_TEST_SUITE_P(Variants, GraphLayers,
                         ::testing::Values(Variant{5, 16, 16, true, false},
                                           Variant{0, 8, 8, true, true},
                                           Variant{2, 4, 9, true, false},
                                           Variant{3, 4, 4, false, false}));

}  // namespace graph_layer_test
}  // namespace park::agents
