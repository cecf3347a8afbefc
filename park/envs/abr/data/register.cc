#include "park/command/data_kinds.h"
#include "park/envs/abr/data/actions.h"

namespace park::abr {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "traces",
             .summary = "import, generate, split and describe network traces",
             .environment = "abr",
             .example = "import mahimahi link.down --out traces",
             .actions = {traces::make_import_mahimahi, traces::make_import_fcc,
                         traces::make_import_hsdpa, traces::make_generate, traces::make_split,
                         traces::make_compare, traces::make_describe}});
}

}  // namespace park::abr
