#include "park/command/data_kinds.h"
#include "park/envs/dag_scheduling/data/actions.h"

namespace park::dag_scheduling {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  using namespace workload;
  kinds.add({.name = "workload",
             .summary = "import, generate, change and describe job workloads",
             .environment = "dag_scheduling",
             .example = "import spark app-1.log.gz --exclude warmup --out jobs.park",
             .actions = {make_import_spark, make_import_decima, make_import_dag, make_generate,
                         make_merge, make_filter, make_scale, make_export, make_describe}});
}

}  // namespace park::dag_scheduling
