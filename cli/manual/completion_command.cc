#include <string_view>
#include <utility>

#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/manual/scripts.h"

namespace park::cli {
namespace {

/// Prints what a shell reads.
class ShellCommand final : public Command {
 public:
  ShellCommand(std::string shell, std::string place, std::string_view (*script)())
      : shell_(std::move(shell)), place_(std::move(place)), script_(script) {}
  CommandInfo info() const override {
    return {.name = shell_,
            .summary = "the completion for " + shell_,
            .details =
                "It asks this program for what fits: commands, options, values, names of "
                "environments and policies, and fields inside of their brackets.",
            .example = "park completion " + shell_ + " > " + place_};
  }
  bool takes_plugins() const override { return false; }
  int run(Session& session) override {
    session.print(script_());
    return kDone;
  }

 private:
  std::string shell_, place_;
  std::string_view (*script_)();
};

CommandList shells() {
  CommandList all;
  const auto add = [&](const char* shell, const char* place, std::string_view (*script)()) {
    all.push_back(std::make_unique<ShellCommand>(shell, place, script));
  };
  add("bash", "~/.local/share/bash-completion/completions/park", scripts::bash);
  add("zsh", "~/.zfunc/_park", scripts::zsh);
  add("fish", "~/.config/fish/completions/park.fish", scripts::fish);
  return all;
}

}  // namespace

void add_completion_command(Commands& all) {
  all.add(110, group({.name = "completion",
                      .summary = "print a script by which a shell completes command lines",
                      .details = "cmake --install puts the scripts where the shells find them.",
                      .example = "source <(park completion bash)"},
                     shells));
}

}  // namespace park::cli
