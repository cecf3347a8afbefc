// Networks on states of dag_scheduling(executors=50,jobs=20) as `fair` comes upon them, one thread:
// time per decision in batches of 1 and 16, and per decision of a forward and backward pass over
// 4096 decisions. `bundled` and `bundled_tree` are the policies of data/checkpoints and data/trees on
// the states that the former comes upon.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agents/kit/decide.h"
#include "agents/net/mlp_kernels.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#include "park/trees/tree_policy.h"

namespace {

using namespace park;
using namespace park::agents;

constexpr std::size_t kRows = 4096;
constexpr const char* kBundled = "dag_scheduling-batch-bundled";
constexpr const char* kBundledTree = "dag_scheduling-batch-tree";

/// Decisions of a policy with their observations, spread over episodes: every fourth one.
struct States {
  explicit States(const std::string& who) {
    at::set_num_threads(1);
    use_wanted_instruction_set();
    envs::register_all(registry);
    trees::register_policies(registry);
    runs::add_checkpoint_policies(registry);
    const std::string env = "dag_scheduling(executors=50,jobs=20)";
    spec = registry.spec(env);
    observation = std::make_unique<Batch>(spec.observation);
    action = std::make_unique<Batch>(spec.action);
    const RandomEpisodes episodes(phase_rng(1, Phase::evaluate));
    const auto stream = registry.stream(env, episodes, {.slots = 4});
    const auto policy = registry.policy(who, spec);
    std::size_t seen = 0;
    play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch& actions) {
      for (std::size_t i = 0; i < d.asked.size(); ++i) {
        if (++seen % 4 != 0 || action->rows() == kRows) continue;
        observation->append(d.observation, i);
        action->append(actions, i);
      }
      return action->rows() < kRows;
    });
  }
  /// The states in batches of n.
  [[nodiscard]] std::vector<Batch> batches(std::size_t n) const {
    std::vector<Batch> all;
    for (std::size_t at = 0; at + n <= 1024; at += n) {
      Batch& b = all.emplace_back(spec.observation);
      for (std::size_t i = 0; i < n; ++i) b.append(*observation, at + i);
    }
    return all;
  }

  Registry registry;
  Spec spec;
  std::unique_ptr<Batch> observation, action;
};

const States& states() {
  static const States all("fair");
  return all;
}

void count(benchmark::State& state, std::size_t decisions) {
  state.counters["time_per_decision"] = benchmark::Counter(
      static_cast<double>(decisions),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void BM_Decide(benchmark::State& state, const std::string& network) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const States& s = states();
  const auto net = make_network(network, s.spec, Role::policy, Rng(1));
  const Heads heads(s.spec);
  const std::vector<Batch> batches = s.batches(n);
  Batch actions(s.spec.action);
  std::size_t next = 0;
  for (auto _ : state) {
    actions.clear();
    actions.resize(n);
    decide(
        *net, heads, batches[next++ % batches.size()], actions,
        [](std::size_t, std::size_t, auto, std::span<const float> scores) {
          return pick_largest(scores);
        },
        [](std::size_t, std::size_t, std::size_t) { return 0.0f; });
  }
  count(state, n);
}

void BM_DecideBundled(benchmark::State& state, const std::string& name) {
  const auto n = static_cast<std::size_t>(state.range(0));
  static const States s(kBundled);
  const auto policy = s.registry.policy(name, s.spec);
  std::vector<Decisions> batches;
  for (const Batch& batch : s.batches(n)) {
    Decisions& d = batches.emplace_back(s.spec);
    d.observation.append(batch);
    d.asked.resize(n);
  }
  Batch actions(s.spec.action);
  std::size_t next = 0;
  for (auto _ : state) {
    actions.clear();
    actions.resize(n);
    policy->act(batches[next++ % batches.size()], actions);
  }
  count(state, n);
}

void BM_Learn(benchmark::State& state, const std::string& network) {
  const States& s = states();
  const auto net = make_network(network, s.spec, Role::policy, Rng(1));
  const Heads heads(s.spec);
  for (auto _ : state) {
    const Evaluation e = evaluate(*net, heads, *s.observation, *s.action);
    (e.log_prob.sum() + 0.01 * e.entropy.sum()).backward();
  }
  count(state, kRows);
}

void all(const char* name, const std::string& network) {
  benchmark::RegisterBenchmark((std::string("BM_Decide/") + name).c_str(), BM_Decide, network)
      ->Arg(1)
      ->Arg(16)
      ->Unit(benchmark::kMicrosecond);
  benchmark::RegisterBenchmark((std::string("BM_Learn/") + name).c_str(), BM_Learn, network)
      ->Unit(benchmark::kMillisecond);
}

const bool kRegistered = [] {
  for (const char* network : {"cluster_features", "cluster_features(hidden1=64,hidden2=32)",
                              "cluster_features(hidden1=64,hidden2=32,memory=8)",
                              "cluster_features(embedding=8)", "scorer", "decima", "decima_public"})
    all(network, network);
  for (const auto& [name, policy] : {std::pair("BM_Decide/bundled", kBundled),
                                     std::pair("BM_Decide/bundled_tree", kBundledTree)})
    benchmark::RegisterBenchmark(name, BM_DecideBundled, policy)
        ->Arg(1)
        ->Arg(16)
        ->Unit(benchmark::kMicrosecond);
  return true;
}();

}  // namespace
