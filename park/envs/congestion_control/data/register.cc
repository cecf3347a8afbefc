#include "park/command/data_kinds.h"
#include "park/envs/congestion_control/data/actions.h"

namespace park::congestion_control {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "link",
             .summary = "import, generate and describe links as lists of opportunities",
             .environment = "congestion_control",
             .example = "generate --mbps 12 --out link.up",
             .actions = {links::make_import_mahimahi, links::make_import_lumos5g,
                         links::make_import_irish5g, links::make_import_pantheon,
                         links::make_generate, links::make_describe}});
}

}  // namespace park::congestion_control
