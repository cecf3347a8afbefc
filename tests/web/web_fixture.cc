// Writes a workload for the tests of pages: web_fixture OUT.park
#include <iostream>
#include <string>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace {

using namespace park::dag_scheduling;

StageProfile stage(std::size_t index, park::Rng& draws) {
  StageProfile one;
  one.tasks = 1 + static_cast<std::int32_t>(draws.below(40));
  for (std::size_t parent = index - std::min<std::size_t>(index, 9); parent < index; ++parent)
    if (draws.below(6) == 0) one.parents.push_back(static_cast<std::uint16_t>(parent));
  for (const Wave wave : {Wave::fresh, Wave::first, Wave::rest})
    for (const std::uint16_t executors : {std::uint16_t{2}, std::uint16_t{8}, std::uint16_t{32}}) {
      const std::uint32_t base_ms = wave == Wave::fresh ? 900 : wave == Wave::first ? 500 : 300;
      StageProfile::Cell cell{wave, executors, {}};
      for (int i = 0; i < 5; ++i)
        cell.durations_ms.push_back(base_ms + 4u * executors +
                                    static_cast<std::uint32_t>(draws.below(200)));
      one.cells.push_back(cell);
    }
  return one;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "Usage: web_fixture OUT.park\n";
    return 2;
  }
  WorkloadBuilder builder("pages", "drawn by web_fixture, to test pages");
  park::Rng draws(7);
  for (const std::size_t stages : {1u, 3u, 8u, 20u, 50u}) {
    JobProfile job{"job of " + std::to_string(stages) + " <stages>", {}};
    for (std::size_t s = 0; s < stages; ++s) job.stages.push_back(stage(s, draws));
    builder.add_job(job);
  }
  write_workload(builder.build(), argv[1]);
  return 0;
}
