#include "systems/spark/application_timeline.h"

#include "park/envs/dag_scheduling/workload/spark_timeline.h"

namespace park::spark {

void application_timeline(const std::string& log, EventSink& events) {
  namespace workload = dag_scheduling::workload;
  workload::spark_timeline(workload::spark_log_at(log), {}, events);
}

}  // namespace park::spark
