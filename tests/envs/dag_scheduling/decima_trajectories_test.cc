// Whole episodes of Decima's released simulator (github.com/hongzimao/decima-sim, commit c010dd7)
// against semantics=compat, to the millisecond. Where a stage's tasks take a fixed time per wave
// nothing is left to chance, so that every decision, every tie and every delay must be the same.
//
// The expected sums are in decima_trajectories.csv, which
//   experiments/dag_scheduling/record_trajectories.py PATH_TO_DECIMA_SIM
// records on the original with 10 executors, moving delay 2000 ms, warm-up 1000 ms, its own agents
// for fifo and fair, and a transcription of each policy's definition for the others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/envs/dag_scheduling/fixture.h"

namespace park {
namespace decima_trajectories_test {

using dag_scheduling::Wave;

/// Makes the jobs: simple enough to be written anew for another simulator.
class Lcg {
 public:
  explicit Lcg(std::uint64_t seed) : state_(seed) {}
  std::uint32_t below(std::uint32_t n) {
    state_ = (state_ * 1103515245 + 12345) % 2147483648;
    return static_cast<std::uint32_t>(state_ >> 16) % n;
  }

 private:
  std::uint64_t state_;
};

/// Stages of even number have no fresh durations: the first wave and the warm-up take their place.
dag_scheduling::JobProfile job(int number) {
  Lcg draw(static_cast<std::uint64_t>(number));
  dag_scheduling::JobProfile profile{.name = "job" + std::to_string(number), .stages = {}};
  const std::uint32_t stages = 1 + draw.below(8);
  for (std::uint16_t s = 0; s < stages; ++s) {
    std::vector<std::uint16_t> parents;
    for (std::uint16_t p = 0; p < s; ++p)
      if (draw.below(3) == 0) parents.push_back(p);
    const auto tasks = static_cast<std::int32_t>(1 + draw.below(40));
    const std::uint32_t ms = 100 + draw.below(2000);
    test::Cells cells = {{Wave::first, 5, {ms + 300}}, {Wave::rest, 5, {ms}}};
    if (s % 2 == 1) cells.push_back({Wave::fresh, 5, {ms + 700}});
    profile.stages.push_back(test::stage(tasks, std::move(parents), std::move(cells)));
  }
  return profile;
}

/// Jobs first, first + 1, ... at these times.
struct Arrivals {
  int first;
  std::vector<std::uint32_t> times_ms;
};

Arrivals batch() { return {1, std::vector<std::uint32_t>(10, 0)}; }
/// Three at once, then seventeen one by one.
Arrivals stream() {
  Arrivals a{101, {0, 0, 0}};
  Lcg draw(77);
  for (int i = 0; i < 17; ++i) a.times_ms.push_back(a.times_ms.back() + 1 + draw.below(6000));
  return a;
}

class DecimaTrajectories : public ::testing::Test {
 protected:
  DecimaTrajectories() { envs::register_all(registry_); }

  /// The sum of the completion times and the end of the last job, in milliseconds.
  std::pair<std::int64_t, std::int64_t> play(const Arrivals& arrivals,
                                             const std::string& policy) const {
    std::vector<dag_scheduling::JobProfile> jobs;
    std::string csv = "time_s,job\n";
    for (std::size_t i = 0; i < arrivals.times_ms.size(); ++i) {
      jobs.push_back(job(arrivals.first + static_cast<int>(i)));
      const std::uint32_t ms = arrivals.times_ms[i];
      const std::string fraction = std::to_string(1000 + ms % 1000).substr(1);
      csv += std::to_string(ms / 1000) + "." + fraction + "," + jobs.back().name + "\n";
    }
    const test::WorkloadFile workload(jobs);
    const test::TemporaryFile list(".csv");
    list.write(csv);
    const FixedEpisodes episodes({Episode{}});
    const auto env = registry_.stream(
        "dag_scheduling(executors=10,moving_delay_s=2,warmup_delay_s=1,semantics=compat,"
        "arrival=file,arrivals=" +
            list.path() + ",workload=" + workload.path() + ")",
        episodes);
    const auto player = registry_.policy(policy, env->spec());
    std::vector<double> metrics;
    park::play(*env, *player, Rng(1), [&](const Decisions& d, const Batch&) {
      if (!d.ended.empty()) metrics = d.metrics;
    });
    const auto& names = env->spec().metrics;
    double avg_s = std::nan(""), makespan_s = std::nan("");
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      if (names[i].name == "avg_jct_s") avg_s = metrics[i];
      if (names[i].name == "makespan_s") makespan_s = metrics[i];
    }
    return {std::llround(avg_s * 1000 * static_cast<double>(jobs.size())),
            std::llround(makespan_s * 1000)};
  }

  Registry registry_;
};

struct Expected {
  std::string policy;
  std::int64_t sum_ms = 0, end_ms = 0;
};

/// What the original gives in an episode.
std::vector<Expected> recorded(const std::string& episode) {
  std::ifstream file(PARK_SOURCE_DIR "/tests/envs/dag_scheduling/decima_trajectories.csv");
  std::vector<Expected> all;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(episode + ',')) continue;
    std::istringstream cells(line.substr(episode.size() + 1));
    Expected& one = all.emplace_back();
    char comma = 0;
    std::getline(cells, one.policy, ',');
    cells >> one.sum_ms >> comma >> one.end_ms;
    EXPECT_TRUE(cells && cells.eof()) << line;
  }
  EXPECT_EQ(all.size(), 6u) << episode;
  return all;
}

TEST_F(DecimaTrajectories, Batch) {
  for (const Expected& e : recorded("batch"))
    EXPECT_EQ(play(batch(), e.policy), std::pair(e.sum_ms, e.end_ms)) << e.policy;
}

TEST_F(DecimaTrajectories, Stream) {
  for (const Expected& e : recorded("stream"))
    EXPECT_EQ(play(stream(), e.policy), std::pair(e.sum_ms, e.end_ms)) << e.policy;
}

}  // namespace decima_trajectories_test
}  // namespace park
