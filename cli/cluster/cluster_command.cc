#include "cli/cluster/cluster_commands.h"
#include "cli/frame/commands.h"
#include "cli/frame/group.h"

namespace park::cli {

void add_cluster_command(Commands& all) {
  all.add(90, group({.name = "cluster",
                     .summary = "real training jobs on the cores of this machine",
                     .details = "",
                     .example = "park cluster profile --out cpu.csv"},
                    {make_cluster_profile_command}));
}

}  // namespace park::cli
