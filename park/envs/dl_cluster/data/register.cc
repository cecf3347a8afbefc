#include "park/command/data_kinds.h"
#include "park/envs/dl_cluster/data/actions.h"

namespace park::dl_cluster {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "speeds",
             .summary = "import and describe speeds of training jobs",
             .environment = "dl_cluster",
             .example = "import dl2 config_speed.txt --out speeds.csv",
             .actions = {speeds::make_import_dl2, speeds::make_write, speeds::make_describe}});
  kinds.add({.name = "jobs",
             .summary = "import recorded jobs of training clusters",
             .environment = "dl_cluster",
             .example = "import philly cluster_job_log --out philly.csv",
             .actions = {jobs::make_import_philly, jobs::make_import_helios,
                         jobs::make_import_alibaba2020, jobs::make_import_alibaba2023}});
}

}  // namespace park::dl_cluster
