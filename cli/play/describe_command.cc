#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/play/describe.h"

namespace park::cli {
namespace {

class DescribeCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "describe",
            .summary = "spaces, config fields, metrics, policies and reference of an environment",
            .details = "",
            .example = "park describe load_balance --json"};
  }

  void declare(Options& options) override {
    options.text("ENV", "", env_text_, "environment, such as load_balance(servers=4)",
                 Options::Need::required);
    options.flag("--markdown", markdown_, "print the page docs/envs/NAME.md");
  }

  void prepare(Session& session, Violations& wrong) override {
    if (markdown_ && session.json()) wrong.add("--markdown: not together with --json");
    static_cast<void>(read_env(session.registry(), env_text_, env_, wrong));
  }

  int run(Session& session) override {
    const Description about = describe(session.registry(), env_.canonical, env_.spec);
    if (session.json())
      session.print(description_json(about));
    else if (markdown_)
      session.print(description_markdown(about));
    else
      session.print(description_text(about, session.width()));
    return kDone;
  }

 private:
  std::string env_text_;
  bool markdown_ = false;
  EnvInput env_;
};

}  // namespace

void add_describe_command(Commands& all) { all.add(20, std::make_unique<DescribeCommand>()); }

}  // namespace park::cli
