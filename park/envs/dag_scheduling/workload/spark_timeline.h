#pragma once

#include "park/core/env.h"
#include "park/core/events.h"
#include "park/envs/dag_scheduling/workload/spark_files.h"

namespace park::dag_scheduling::workload {

/// Reports to an event sink what an application of Spark did by its event log, in the form of the
/// simulator's timelines. There is a lane for each slot of an executor. The events are tasks with
/// their waves, logical jobs with their stages, arrivals and completions. Attempts of tasks that
/// failed or were killed are there too. Times are seconds since the first job came.
///
/// A logical job is in the system while one of its Spark jobs or its SQL query is. If the same name
/// comes again, it is another job. Stages are those that ran. What only sets up (local property
/// park.setup) is left out. Throws Error{bad_file} or Error{io}.
void spark_timeline(const SparkLogInput&, const Episode&, EventSink&);

}  // namespace park::dag_scheduling::workload
