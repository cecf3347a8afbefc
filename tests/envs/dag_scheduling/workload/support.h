#pragma once

#include <string>
#include <utility>
#include <vector>

#include "park/envs/dag_scheduling/workload_builder.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {

/// Two jobs with every kind of content: a diamond, and a single stage.
inline std::vector<dag_scheduling::JobProfile> sample_jobs() {
  using dag_scheduling::Wave;
  dag_scheduling::StageProfile scan;
  scan.tasks = 3;
  scan.run_s = 1.5;
  scan.cpu_s = 1.25;
  scan.cells = {
      {Wave::fresh, 1, {900}}, {Wave::rest, 1, {100, 127, 128}}, {Wave::rest, 2, {16384}}};
  dag_scheduling::StageProfile join = scan;
  join.parents = {0};
  join.cpus = 2;
  join.memory = 0.25F;
  dag_scheduling::StageProfile last = scan;
  last.parents = {1, 2};
  last.cells = {{Wave::first, 65535, {1, 4294967295U}}};
  dag_scheduling::StageProfile only;
  only.tasks = 1;
  only.cells = {{Wave::first, 4, {50}}};
  return {{"1g:1", {scan, join, join, last}}, {"1g:2", {only}}};
}

inline dag_scheduling::Workload sample_workload(
    const dag_scheduling::Inflation& inflation = dag_scheduling::Inflation::fitted()) {
  dag_scheduling::WorkloadBuilder builder("sample", "made up", inflation);
  for (const dag_scheduling::JobProfile& job : sample_jobs()) builder.add_job(job);
  return builder.build();
}

}  // namespace park::test
