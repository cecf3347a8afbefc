// Training end to end on dag_scheduling(executors=50,jobs=20): decisions per second with playing
// and learning, one thread; and how long a single decision takes, the slow ones too.
#include <ATen/Parallel.h>
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/network_policy.h"
#include "agents/net/mlp_kernels.h"
#include "agents/net/networks.h"
#include "park/core/episodes.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"

namespace {

using namespace park;
using namespace park::agents;

constexpr const char* kEnv = "dag_scheduling(executors=50,jobs=20)";
constexpr const char* kNetwork = "cluster_features(hidden1=64,hidden2=32,memory=8)";

Registry registry() {
  at::set_num_threads(1);
  use_wanted_instruction_set();
  Registry r;
  envs::register_all(r);
  runs::add_checkpoint_policies(r);
  return r;
}

/// An iteration each, from random weights.
void BM_Train(benchmark::State& state, const std::string& algorithm, const std::string& network) {
  const Registry r = registry();
  const auto trained = make_algorithm(
      r, {.env = kEnv, .algorithm = algorithm, .baseline = "sequence_mean", .network = network}, 1);
  std::uint64_t decisions = 0;
  std::int64_t iteration = 0;
  for (auto _ : state) decisions += trained->iterate(iteration++, 0).decisions;
  state.counters["decisions_per_second"] =
      benchmark::Counter(static_cast<double>(decisions), benchmark::Counter::kIsRate);
}

/// Episodes with one environment, decision by decision.
void play_single(benchmark::State& state, const Registry& r, Policy& policy) {
  const Spec spec = r.spec(kEnv);
  std::vector<double> seconds;
  std::uint64_t episode = 0;
  for (auto _ : state) {
    const FixedEpisodes one({*RandomEpisodes(phase_rng(1, Phase::evaluate)).at(episode++)});
    const auto stream = r.stream(kEnv, one);
    Batch actions(spec.action);
    for (;;) {
      const Decisions& d = stream->recv();
      if (d.done) break;
      actions.clear();
      actions.resize(d.asked.size());
      for (const Ask& a : d.asked)
        if (a.sequence == 0) policy.start(a.slot, a.episode, Rng(1));
      const auto before = std::chrono::steady_clock::now();
      if (!d.asked.empty()) policy.act(d, actions);
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
      if (!d.asked.empty()) seconds.push_back(took.count());
      stream->send(actions);
    }
  }
  std::ranges::sort(seconds);
  const auto at = [&](double part) {
    return 1e6 * seconds[static_cast<std::size_t>(part * static_cast<double>(seconds.size() - 1))];
  };
  state.counters["p50_us"] = at(0.5);
  state.counters["p99_us"] = at(0.99);
}

/// Random weights.
void BM_SingleDecision(benchmark::State& state) {
  const Registry r = registry();
  const Spec spec = r.spec(kEnv);
  NetworkPolicy policy(spec, make_network(kNetwork, spec, Role::policy, Rng(1)), false);
  play_single(state, r, policy);
}

/// Those of data/checkpoints.
void BM_SingleDecisionBundled(benchmark::State& state) {
  const Registry r = registry();
  play_single(state, r, *r.policy("dag_scheduling-batch-bundled", r.spec(kEnv)));
}

BENCHMARK_CAPTURE(BM_Train, reinforce, "reinforce", kNetwork)->Unit(benchmark::kMillisecond);
// As ppo() of experiments/dag_scheduling/learning.py has it.
BENCHMARK_CAPTURE(BM_Train, ppo,
                  "ppo(sequences=4,rollouts=4,lambda=1,epochs=1,minibatch=512,learning_rate=0.002,"
                  "final_learning_rate=5e-5,entropy=0.03,entropy_until=0.9,slots=16,average=0.98)",
                  kNetwork)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Train, ppo_embedding,
                  "ppo(sequences=4,rollouts=4,lambda=1,epochs=1,minibatch=512,slots=16)",
                  "cluster_features(embedding=8)")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(BM_Train, ppo_decima,
                  "ppo(sequences=4,rollouts=4,lambda=1,epochs=1,minibatch=512,slots=16)", "decima")
    ->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SingleDecision)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_SingleDecisionBundled)
    ->Name("BM_SingleDecision/bundled")
    ->Unit(benchmark::kMillisecond);

}  // namespace
