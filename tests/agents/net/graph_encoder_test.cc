// Message passing: how far a node's features travel, and that rows do not mix.
#include "agents/net/graph_encoder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "park/core/candidates.h"

namespace park::agents {
namespace graph_encoder_test {

constexpr std::size_t kNodes = 6;

/// Chains of nodes with a weight each; a decision chooses a node.
Spec chain() {
  Spec spec;
  spec.name = "chain";
  auto& o = spec.observation;
  o.groups = {{.name = "nodes", .capacity = 100}, {.name = "edges", .capacity = 100}};
  o.leaves = {{.name = "node.weight", .low = 0, .high = 100, .group = "nodes"},
              {.name = "node.current", .dtype = DType::u8, .low = 0, .high = 1, .group = "nodes"},
              {.name = "edge.from",
               .dtype = DType::i32,
               .low = 0,
               .high = 99,
               .group = "edges",
               .index_of = "nodes"},
              {.name = "edge.to",
               .dtype = DType::i32,
               .low = 0,
               .high = 99,
               .group = "edges",
               .index_of = "nodes"}};
  spec.action.leaves = {
      {.name = "node", .dtype = DType::i32, .low = 0, .high = 99, .index_of = "nodes"}};
  return spec;
}

/// Adds a chain of that many nodes whose first one has a weight; the last one is the current one.
void add_chain(Batch& to, std::size_t nodes, float first) {
  const Row row = to.append();
  row.resize(to.group("nodes"), nodes);
  row.resize(to.group("edges"), nodes - 1);
  for (std::size_t v = 0; v < nodes; ++v) {
    row[to.field<float>("node.weight")][v] = v == 0 ? first : 1;
    row[to.field<std::uint8_t>("node.current")][v] = v + 1 == nodes;
  }
  for (std::size_t e = 0; e + 1 < nodes; ++e) {
    row[to.field<std::int32_t>("edge.from")][e] = static_cast<std::int32_t>(e);
    row[to.field<std::int32_t>("edge.to")][e] = static_cast<std::int32_t>(e + 1);
  }
}

class Chain : public ::testing::Test {
 protected:
  GraphEncoder::Embeddings of(const Batch& batch, std::int64_t rounds) {
    const GraphEncoder encoder(spec_, tables_, {.rounds = rounds}, Rng(4));
    const at::NoGradGuard off;
    return encoder.of(tables_.of(batch));
  }
  GraphEncoder::Embeddings of_one(float first, std::int64_t rounds) {
    Batch batch(spec_.observation);
    add_chain(batch, kNodes, first);
    return of(batch, rounds);
  }

  Spec spec_ = chain();
  Heads heads_{spec_};
  ScorerTables tables_{spec_, heads_};
};

TEST_F(Chain, ANodeLearnsOfAsManyEdgesAwayAsThereAreRounds) {
  for (std::int64_t rounds = 0; rounds < static_cast<std::int64_t>(kNodes); ++rounds) {
    const at::Tensor light = of_one(1, rounds).elements[0], heavy = of_one(50, rounds).elements[0];
    for (std::int64_t v = 0; v < static_cast<std::int64_t>(kNodes); ++v)
      EXPECT_EQ(at::equal(light[v], heavy[v]), v > rounds) << rounds << " rounds, node " << v;
  }
}

TEST_F(Chain, EdgesHaveADirection) {
  Batch forth(spec_.observation), back(spec_.observation);
  add_chain(forth, 2, 3);
  add_chain(back, 2, 3);
  back.row(0)[back.field<std::int32_t>("edge.from")][0] = 1;
  back.row(0)[back.field<std::int32_t>("edge.to")][0] = 0;
  EXPECT_FALSE(at::equal(of(forth, 1).elements[0], of(back, 1).elements[0]));
}

TEST_F(Chain, RowsAreGraphsOfTheirOwnWithMeansOfAllAndOfFlaggedNodes) {
  Batch both(spec_.observation);
  add_chain(both, 3, 7);
  add_chain(both, kNodes, 50);
  const auto all = of(both, 2);
  const auto one = of_one(50, 2);
  const at::Tensor second = all.elements[0].slice(0, 3);
  EXPECT_TRUE(at::allclose(second, one.elements[0], 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(all.rows[1], one.rows[0], 1e-5, 1e-6));
  const std::int64_t width = second.size(1);
  ASSERT_EQ(all.rows.size(1), 2 * width);
  EXPECT_TRUE(at::allclose(all.rows[1].slice(0, 0, width), second.mean(0), 1e-5, 1e-6));
  EXPECT_TRUE(at::allclose(all.rows[1].slice(0, width), second[kNodes - 1], 1e-5, 1e-6));
}

TEST_F(Chain, WithoutEdgesThereIsNoGraph) {
  EXPECT_TRUE(GraphEncoder::fits(spec_));
  spec_.observation.leaves.pop_back();
  EXPECT_FALSE(GraphEncoder::fits(spec_));
}

}  // namespace graph_encoder_test
}  // namespace park::agents
