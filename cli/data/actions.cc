// Commands made of the actions that environments contribute (park/command/data_action.h). An
// ActionCommand calls one action in the order that DataAction asks for; forms_command makes the group
// of the actions that share a name and differ in their form. action_commands is called by `park
// data KIND` and by the commands that some kinds had before it.
#include "cli/data/actions.h"

#include <optional>
#include <utility>

#include "cli/frame/group.h"
#include "cli/frame/interrupt.h"
#include "cli/frame/names.h"
#include "cli/frame/progress.h"
#include "cli/web/page.h"
#include "park/command/output.h"
#include "park/command/strings.h"

namespace park::cli {
namespace {

using command::DataAction;
using command::DataKind;

/// Shows how much of the inputs is read, and ends the work when an interrupt asks for it.
class BytesRead final : public command::ReadProgress {
 public:
  explicit BytesRead(Console& console) : console_(&console) {}
  void expect(std::uint64_t bytes) override {
    scope_.emplace();
    progress_.emplace(*console_, "MB", bytes / kMega, "bytes");
  }
  void advance(std::uint64_t bytes) override {
    if (interrupted() != 0) throw Interrupted{};
    rest_ += bytes;
    progress_->advance(rest_ / kMega, bytes);
    rest_ %= kMega;
  }

 private:
  static constexpr std::uint64_t kMega = 1'000'000;

  Console* console_;
  std::optional<InterruptScope> scope_;
  std::optional<Progress> progress_;
  std::uint64_t rest_ = 0;  // of a megabyte
};

std::string page_of(const command::DataPage& about) {
  return page({.title = about.title,
               .body = about.body,
               .scripts = {assets::echarts_js(), assets::dagre_js(), assets::common_js(),
                           assets::dag_js(), about.script},
               .data = about.data});
}

class ActionCommand final : public Command {
 public:
  ActionCommand(std::unique_ptr<DataAction> action, std::string name, std::string path)
      : action_(std::move(action)), name_(std::move(name)), path_(std::move(path)) {}

  CommandInfo info() const override {
    const command::ActionInfo about = action_->info();
    return {.name = name_,
            .summary = about.summary,
            .details = about.details,
            .example = path_ + ' ' + name_ + ' ' + about.example};
  }
  void declare(Options& options) override { action_->declare(options); }
  void prepare(Session&, Violations& wrong) override { action_->check(wrong); }

  int run(Session& session) override {
    {
      BytesRead progress(session.console());
      action_->make(progress);
    }
    action_->write();
    if (const auto about = action_->page()) write_file(about->path, page_of(*about));
    session.print(session.json() ? json() : action_->text(session.width()));
    return kDone;
  }

 private:
  [[nodiscard]] std::string json() const {
    JsonWriter json;
    json.begin_object();
    action_->write_json(json);
    return json.end_object().take();
  }

  std::unique_ptr<DataAction> action_;
  std::string name_, path_;
};

using Forms = std::vector<DataKind::MakeAction>;

std::vector<std::unique_ptr<Command>> form_commands(const Forms& forms, const std::string& path) {
  std::vector<std::unique_ptr<Command>> all;
  for (const auto& make : forms) {
    auto action = make();
    std::string form = action->info().form;
    all.push_back(std::make_unique<ActionCommand>(std::move(action), std::move(form), path));
  }
  return all;
}

/// The group of what the actions of one name read: its forms.
std::unique_ptr<Command> forms_command(const std::string& name, const std::string& parent,
                                       const Forms& forms) {
  const std::string path = parent + ' ' + name;
  std::vector<std::string> names;
  for (const auto& make : forms) names.push_back(make()->info().form);
  const auto first = forms.front()()->info();
  return group({.name = name,
                .summary = "data of the form " + alternatives(names),
                .details = "",
                .example = path + ' ' + first.form + ' ' + first.example},
               [forms, path] { return form_commands(forms, path); });
}

}  // namespace

std::vector<std::unique_ptr<Command>> action_commands(const DataKind& kind, const std::string& path,
                                                      ActionNames names) {
  std::vector<std::unique_ptr<Command>> all;
  for (auto at = kind.actions.begin(); at != kind.actions.end();) {
    auto action = (*at)();
    const command::ActionInfo info = action->info();
    auto end = at + 1;
    if (info.form.empty()) {
      all.push_back(std::make_unique<ActionCommand>(std::move(action), info.name, path));
    } else if (names == ActionNames::flat) {
      const std::string name = info.name + '-' + info.form;
      all.push_back(std::make_unique<ActionCommand>(std::move(action), name, path));
    } else {
      while (end != kind.actions.end() && (*end)()->info().name == info.name) ++end;
      all.push_back(forms_command(info.name, path, Forms(at, end)));
    }
    at = end;
  }
  return all;
}

}  // namespace park::cli
