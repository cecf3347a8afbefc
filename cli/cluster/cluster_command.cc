#include "cli/cluster/cluster_commands.h"
#include "cli/frame/commands.h"

namespace park::cli {
namespace {

class ClusterCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "cluster",
            .summary = "real training jobs on the cores of this machine",
            .details = "",
            .example = "park cluster profile --out cpu.csv"};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    all.push_back(make_cluster_profile_command());
    return all;
  }
};

}  // namespace

void add_cluster_command(Commands& all) { all.add(90, std::make_unique<ClusterCommand>()); }

}  // namespace park::cli
