// Events and decisions per second of dag_scheduling, one thread, the observation written at every
// decision, the policy and the legality check included. BM_Play/fair is the figure of reference:
// Decima's profiles, 50 executors, batches of 20 jobs, moving 2 s, warm-up 1 s.
//
// The profiles are the set decima-tpch of reference data (docs/data.md); without them the
// benchmarks are skipped.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "park/core/episodes.h"
#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/dag_scheduling/dag_scheduling.h"
#include "park/envs/dag_scheduling/policies.h"
#include "park/envs/dag_scheduling/workload/import_decima.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "park/envs/envs.h"
#include "tests/kit/reference_data.h"
#include "tests/speed/player.h"

namespace {

using namespace park;
namespace fs = std::filesystem;

constexpr std::string_view kCluster = "executors=50,moving_delay_s=2,warmup_delay_s=1";

/// Decima's profiles as a workload file that lives as long as the program.
class Profiles {
 public:
  Profiles() {
    const fs::path folder = test::reference_data("decima-tpch");
    if (!fs::exists(folder)) {
      missing_ = "no Decima profiles in " + folder.string() +
                 "; PARK_REFERENCE_DATA names the folder of reference data";
      return;
    }
    path_ = fs::temp_directory_path() / ("park-bench-" + std::to_string(getpid()) + ".park");
    dag_scheduling::workload::DecimaImportReport report;
    dag_scheduling::write_workload(
        dag_scheduling::workload::import_decima(folder.string(),
                                                dag_scheduling::Inflation::fitted(), report),
        path_);
    kept_ = dag_scheduling::Workload::open(path_);
  }
  ~Profiles() {
    std::error_code none;
    if (!path_.empty()) fs::remove(path_, none);
  }
  /// Why there is none, or "".
  [[nodiscard]] const std::string& missing() const { return missing_; }
  [[nodiscard]] std::string env(const std::string& fields) const {
    return "dag_scheduling(" + std::string(kCluster) + ",workload=" + path_.string() + "," +
           fields + ")";
  }

 private:
  fs::path path_;
  std::string missing_;
  std::shared_ptr<const dag_scheduling::Workload> kept_;
};

const Profiles& profiles() {
  static const Profiles all;
  return all;
}

/// An iteration is one decision of every slot.
void BM_Play(benchmark::State& state, const std::string& fields, const std::string& name) {
  if (!profiles().missing().empty()) return state.SkipWithError(profiles().missing().c_str());
  Registry registry;
  envs::register_all(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(profiles().env(fields), source);
  test::Player player(registry, *stream, name);
  std::uint64_t events = 0, decisions = 0, episodes = 0;
  for (auto _ : state) {
    const Decisions& d = stream->recv();
    for (const Ended& e : d.ended) {
      events += e.events;
      decisions += e.decisions;
      ++episodes;
    }
    player.answer(d);
  }
  // Of whole episodes, scaled to the decisions that were timed.
  const double timed = static_cast<double>(state.iterations());
  const double scale = decisions > 0 ? timed / static_cast<double>(decisions) : 0;
  state.counters["decisions_per_second"] = benchmark::Counter(timed, benchmark::Counter::kIsRate);
  state.counters["events_per_second"] =
      benchmark::Counter(static_cast<double>(events) * scale, benchmark::Counter::kIsRate);
  state.counters["episodes_per_second"] =
      benchmark::Counter(static_cast<double>(episodes) * scale, benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(BM_Play, fair, "jobs=20", "fair");
BENCHMARK_CAPTURE(BM_Play, fair_compat, "jobs=20,semantics=compat", "fair");
BENCHMARK_CAPTURE(BM_Play, fifo, "jobs=20", "fifo");
BENCHMARK_CAPTURE(BM_Play, weighted_fair, "jobs=20", "weighted_fair(alpha=-1)");
BENCHMARK_CAPTURE(BM_Play, srpt_capped, "jobs=20", "srpt_capped(c=8,s=0.9,scale_s=500)");
BENCHMARK_CAPTURE(BM_Play, poisson_25_s, "jobs=201,arrival=poisson,interval_s=25", "fair");
BENCHMARK_CAPTURE(BM_Play, overload, "jobs=201,arrival=poisson,interval_s=8", "fair");

/// To the first decision of an episode of 201 jobs.
void BM_Reset(benchmark::State& state, const std::string& arrival) {
  if (!profiles().missing().empty()) return state.SkipWithError(profiles().missing().c_str());
  Registry registry;
  envs::register_all(registry);
  const std::string text = profiles().env("jobs=201,arrival=" + arrival);
  const auto env = registry.env_factory(text)();
  Batch observation(registry.spec(text).observation);
  std::uint64_t k = 0;
  for (auto _ : state) {
    observation.clear();
    env->reset({.id = k, .inputs = k, .dynamics = k}, observation.append());
    ++k;
  }
}
BENCHMARK_CAPTURE(BM_Reset, batch, "batch");
BENCHMARK_CAPTURE(BM_Reset, poisson, "poisson");

}  // namespace
