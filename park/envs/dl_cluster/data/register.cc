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
}

}  // namespace park::dl_cluster
