#include "cli/frame/group.h"

#include <utility>

namespace park::cli {
namespace {

class GroupCommand final : public Command {
 public:
  GroupCommand(CommandInfo info, std::function<CommandList()> verbs)
      : info_(std::move(info)), verbs_(std::move(verbs)) {}
  CommandInfo info() const override { return info_; }
  int run(Session&) override { return kBadInput; }
  CommandList commands() override { return verbs_(); }

 private:
  CommandInfo info_;
  std::function<CommandList()> verbs_;
};

}  // namespace

CommandList made(const std::vector<MakeCommand>& makers) {
  CommandList all;
  all.reserve(makers.size());
  for (const MakeCommand make : makers) all.push_back(make());
  return all;
}

std::unique_ptr<Command> group(CommandInfo info, std::function<CommandList()> verbs) {
  return std::make_unique<GroupCommand>(std::move(info), std::move(verbs));
}

std::unique_ptr<Command> group(CommandInfo info, std::vector<MakeCommand> verbs) {
  return group(std::move(info),
               std::function<CommandList()>([all = std::move(verbs)] { return made(all); }));
}

}  // namespace park::cli
