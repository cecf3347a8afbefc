#include "park/command/data_kinds.h"
#include "park/envs/dag_scheduling/data/actions.h"

namespace park::dag_scheduling {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "workload",
             .summary = "import, generate, change and describe job workloads",
             .environment = "dag_scheduling",
             .example = "import spark app-1.log.gz --exclude warmup --out jobs.park",
             .actions = {workload::make_import_spark, workload::make_import_decima,
                         workload::make_import_dag, workload::make_generate, workload::make_merge,
                         workload::make_filter, workload::make_scale, workload::make_demand,
                         workload::make_export, workload::make_describe}});
}

}  // namespace park::dag_scheduling
