#include "park/command/data_kinds.h"
#include "park/envs/region_assignment/config.h"
#include "park/envs/region_assignment/data/actions.h"

namespace park::region_assignment {

/// Called by envs::data_kinds, which is made of the folders that have this file.
void register_data(command::DataKinds& kinds) {
  kinds.add({.name = "accounts",
             .summary = "write episodes in hindsight as linear programs",
             .environment = kRegionAssignmentName,
             .example = "hindsight region_assignment --seed 1 --episodes 3 --out programs",
             .actions = {make_hindsight}});
}

}  // namespace park::region_assignment
