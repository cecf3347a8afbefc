#pragma once

#include <cstdint>
#include <vector>

#include "park/envs/dag_scheduling/inflation.h"
#include "park/workload/spark_log.h"

namespace park::workload {

/// The situation in which a task was launched.
struct Launch {
  envs::Wave wave = envs::Wave::rest;
  std::uint16_t executors = 1;
};

/// The situations of all tasks of a log, by their index in it. Also sorts log.tasks by launch time,
/// then by id.
///
/// The unit is the slot: an executor of c cores and k cores a task is c / k of them. A task takes
/// the free slot with the lowest number of its executor. Its wave is fresh on a slot that had no
/// task of this execution yet, first on one that had no task of this stage, else rest. The
/// executors that its execution holds are all that are alive while no other execution has a task in
/// flight, otherwise those whose last launched task, this one included, is the execution's.
[[nodiscard]] std::vector<Launch> launches(SparkLog& log);

}  // namespace park::workload
