// What two non-linearities are for: on DAGs that it has not seen, Decima's graph layer points to
// the stage with the longest critical path, which takes a maximum over children; with one alone it
// does visibly worse (Mao et al., SIGCOMM 2019, section 5.1 and appendix E).
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "agents/kit/optimiser.h"
#include "agents/kit/segments.h"
#include "agents/net/cluster/graph_layer.h"
#include "agents/net/mlp.h"
#include "park/core/rng.h"

namespace park::agents {
namespace critical_path_test {

constexpr std::int64_t kEmbedding = 16;

/// Jobs of 20 to 50 stages with exponential work. A stage waits for up to three earlier ones.
struct Dags {
  std::vector<std::int64_t> nodes{0}, edges{0};
  std::vector<std::int32_t> parents, children;
  std::vector<float> work, path;      // of all stages; path: critical, the stage included
  std::vector<std::int64_t> longest;  // [dags] the stage where it begins, among all

  void add(Rng draw) {
    const auto first = static_cast<std::size_t>(nodes.back());
    const auto n = static_cast<std::int32_t>(20 + draw.below(31));
    for (std::int32_t v = 0; v < n; ++v) {
      work.push_back(static_cast<float>(draw.exponential(1)));
      const std::uint64_t wanted = v == 0 ? 0 : draw.below(4);
      std::vector<std::int32_t> of;
      for (std::uint64_t k = 0; k < wanted; ++k)
        of.push_back(static_cast<std::int32_t>(draw.below(static_cast<std::uint64_t>(v))));
      std::ranges::sort(of);
      of.erase(std::ranges::unique(of).begin(), of.end());
      for (const std::int32_t p : of) {
        parents.push_back(p);
        children.push_back(v);
      }
    }
    path.insert(path.end(), work.begin() + static_cast<std::ptrdiff_t>(first), work.end());
    for (std::size_t e = parents.size(); e-- > static_cast<std::size_t>(edges.back());) {
      const std::size_t p = first + static_cast<std::size_t>(parents[e]);
      path[p] = std::max(path[p], work[p] + path[first + static_cast<std::size_t>(children[e])]);
    }
    nodes.push_back(nodes.back() + n);
    edges.push_back(static_cast<std::int64_t>(parents.size()));
    longest.push_back(
        std::max_element(path.begin() + static_cast<std::ptrdiff_t>(first), path.end()) -
        path.begin());
  }
};

Dags dags(std::size_t count, const Rng& draw) {
  Dags all;
  for (std::size_t i = 0; i < count; ++i) all.add(draw.split(i));
  return all;
}

at::Tensor column(const std::vector<float>& numbers) {
  at::Tensor t = at::empty({static_cast<std::int64_t>(numbers.size()), 1});
  std::ranges::copy(numbers, t.data_ptr<float>());
  return t;
}

/// Tells the critical path of every stage as a linear function of its embedding: there is no other
/// non-linearity than those of the graph layer, two or one.
class Pointer : public torch::nn::Module {
 public:
  Pointer(bool two, const Rng& rng) {
    const auto mlp = [&](const char* name, const std::vector<std::int64_t>& widths, double scale) {
      return register_module(
          name, std::make_shared<Mlp>(
                    MlpOptions{.widths = widths, .style = {0.05f, false}, .last_scale = scale},
                    rng.split(name)));
    };
    message_ = mlp("f", {1 + kEmbedding, 32, 16, kEmbedding}, 0.5);
    if (two) update_ = mlp("g", {kEmbedding, 32, 16, kEmbedding}, 0.5);
    read_ = mlp("read", {kEmbedding, 1}, 1);
  }
  at::Tensor forward(const Dags& d) {
    const at::Tensor work = 0.5f * column(d.work);
    const at::Tensor x = at::cat({work, at::zeros({work.size(0), kEmbedding - 1})}, 1);
    const GraphLayer layer{message_->tensors(),
                           update_ ? update_->tensors() : PerceptronParameters{}};
    const at::Tensor e =
        graph_layer(x, work, make_levels({d.nodes, d.edges, d.parents, d.children}), layer);
    return read_->forward(e).squeeze(1);
  }

 private:
  std::shared_ptr<Mlp> message_, update_, read_;
};

at::Tensor places(const std::vector<std::int64_t>& of) {
  at::Tensor t = at::empty({static_cast<std::int64_t>(of.size())}, at::kLong);
  std::ranges::copy(of, t.data_ptr<std::int64_t>());
  return t;
}

/// Squared errors of the critical paths, and how unlikely the longest one looks in a softmax.
at::Tensor loss(Pointer& net, const Dags& d) {
  constexpr double kSharpness = 10, kWeight = 10;
  const at::Tensor told = net.forward(d);
  const at::Tensor log_prob =
      segment_log_prob(kSharpness * told, places(d.nodes), places(d.longest)).first;
  return (told - column(d.path).squeeze(1)).square().sum() - kWeight * log_prob.sum();
}

/// The part of unseen DAGs whose longest critical path it finds, after training from scratch.
double accuracy(bool two) {
  at::set_num_threads(1);
  constexpr int kSteps = 24000;
  const auto net = std::make_shared<Pointer>(two, Rng(1));
  Optimiser optimiser(net);
  for (int step = 0; step < kSteps; ++step) {
    const Dags d = dags(24, Rng(2).split(static_cast<std::uint64_t>(step)));
    loss(*net, d).backward();
    const double left = 1 - static_cast<double>(step) / kSteps;
    optimiser.step(5e-3 * left + 2e-5, 5, static_cast<double>(d.work.size()));
  }
  const at::NoGradGuard off;
  const Dags d = dags(4000, Rng(17));
  const at::Tensor told = net->forward(d);
  const float* v = told.data_ptr<float>();
  int right = 0;
  for (std::size_t i = 0; i < d.longest.size(); ++i)
    right += std::max_element(v + d.nodes[i], v + d.nodes[i + 1]) - v == d.longest[i];
  return right / static_cast<double>(d.longest.size());
}

TEST(CriticalPathLong, IsFoundWithTwoNonLinearitiesAndNotWithOne) {
  const double two = accuracy(true), one = accuracy(false);
  std::printf("found in %.4f of DAGs with two non-linearities, in %.4f with one\n", two, one);
  RecordProperty("two", std::to_string(two));
  RecordProperty("one", std::to_string(one));
  EXPECT_GE(two, 0.95);
  EXPECT_LT(one, 0.85);
}

}  // namespace critical_path_test
}  // namespace park::agents
