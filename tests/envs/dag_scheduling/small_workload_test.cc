// tests/data/workloads/small.park: what it holds, and how it is made again.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <string>
#include <utility>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::test {
namespace small_workload_test {

constexpr int kJobs = 9;

dag_scheduling::StageProfile stage(Rng rng, std::size_t index) {
  dag_scheduling::StageProfile s;
  s.tasks = static_cast<std::int32_t>(1 + rng.below(6));
  s.cpus = index % 3 == 1 ? 1.0f : 0.5f;
  s.memory = index % 4 == 2 ? 0.75f : 0.25f;
  for (std::uint16_t p = 0; p < index; ++p)  // chains, forks and joins
    if (rng.below(3) == 0 || p + 1u == index / 2) s.parents.push_back(p);
  for (const dag_scheduling::Wave wave :
       {dag_scheduling::Wave::fresh, dag_scheduling::Wave::first, dag_scheduling::Wave::rest})
    for (const std::uint16_t executors : std::initializer_list<std::uint16_t>{1, 3, 6}) {
      if (wave == dag_scheduling::Wave::first && index % 5 == 3)
        continue;  // not every wave was measured
      dag_scheduling::StageProfile::Cell cell{wave, executors, {}};
      for (std::uint64_t n = 1 + rng.below(4); n-- > 0;)
        cell.durations_ms.push_back(static_cast<std::uint32_t>(200 + rng.below(4000)));
      s.cells.push_back(std::move(cell));
    }
  return s;
}

/// Small jobs whose tasks need different amounts of processor and memory.
dag_scheduling::Workload small_workload() {
  dag_scheduling::WorkloadBuilder builder("small", "made by SmallWorkload.IsWhatIsGenerated");
  for (int j = 0; j < kJobs; ++j) {
    Rng rng = Rng(77).split(static_cast<std::uint64_t>(j));
    dag_scheduling::JobProfile job;
    job.name = "job" + std::to_string(j);
    const std::size_t stages = 1 + rng.below(7);
    for (std::size_t i = 0; i < stages; ++i) job.stages.push_back(stage(rng.split(i), i));
    builder.add_job(job);
  }
  return builder.build();
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(SmallWorkload, IsWhatIsGenerated) {
  const std::string made = testing::TempDir() + "small.park";
  dag_scheduling::write_workload(small_workload(), made);
  EXPECT_TRUE(content(made) == content(PARK_SOURCE_DIR "/tests/data/workloads/small.park"))
      << "where this is meant, copy " << made << " and record golden/ again";
}

}  // namespace small_workload_test
}  // namespace park::test
