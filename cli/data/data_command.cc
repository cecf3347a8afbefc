#include <algorithm>

#include "cli/data/actions.h"
#include "cli/data/fetch.h"
#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "cli/frame/names.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"

namespace park::cli {
namespace {

using command::DataKind;

std::unique_ptr<Command> kind_command(const DataKind& kind) {
  const std::string path = "park data " + kind.name;
  return group({.name = kind.name,
                .summary = kind.summary,
                .details = "Data of the environment " + kind.environment + '.',
                .example = path + ' ' + kind.example},
               [kind, path] { return action_commands(kind, path, ActionNames::nested); });
}

/// Names of what can be done, each once.
std::vector<std::string> action_names(const DataKind& kind) {
  std::vector<std::string> names;
  for (const auto& make : kind.actions) {
    const std::string name = make()->info().name;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string kinds_text(const std::vector<DataKind>& kinds, std::size_t width) {
  Table table({{"kind"}, {"environment"}, {"actions"}});
  for (const DataKind& kind : kinds)
    table.add({kind.name, kind.environment, joined(action_names(kind), ", ")});
  return table.text(0, width);
}

std::string kinds_json(const std::vector<DataKind>& kinds) {
  JsonWriter json;
  json.begin_object().key("kinds").begin_array();
  for (const DataKind& kind : kinds) {
    json.begin_object().member("name", kind.name).member("summary", kind.summary);
    json.member("environment", kind.environment).key("actions").begin_array();
    for (const auto& make : kind.actions) {
      const command::ActionInfo action = make()->info();
      json.begin_object(JsonWriter::Layout::line).member("name", action.name);
      if (!action.form.empty()) json.member("form", action.form);
      json.member("summary", action.summary).end_object();
    }
    json.end_array().end_object();
  }
  return json.end_array().end_object().take();
}

class DataCommand final : public Command {
 public:
  explicit DataCommand(command::DataKinds kinds) : kinds_(std::move(kinds)) {}
  CommandInfo info() const override {
    return {.name = "data",
            .summary = "import, generate and describe what environments read",
            .details =
                "Without KIND it lists the kinds of data and what can be done with each. park data "
                "KIND --help tells more of one. park data fetch is for data of others that texts "
                "name.",
            .example = "park data traces generate --traces 40 --seed 7 --out cellular"};
  }
  bool acts_alone() const override { return true; }
  void declare(Options& options) override {
    options.text("KIND", "", kind_, "one of the commands");
  }
  void prepare(Session&, Violations& wrong) override {
    if (kind_.empty()) return;
    std::vector<std::string> names;
    for (const DataKind& kind : kinds_.all()) names.push_back(kind.name);
    wrong.add("KIND: no kind of data '" + kind_ + "'; it is " + alternatives(names));
  }
  int run(Session& session) override {
    session.print(session.json() ? kinds_json(kinds_.all())
                                 : kinds_text(kinds_.all(), session.width()));
    return kDone;
  }
  std::vector<std::unique_ptr<Command>> commands() override {
    std::vector<std::unique_ptr<Command>> all;
    for (const DataKind& kind : kinds_.all()) all.push_back(kind_command(kind));
    all.push_back(make_fetch());
    return all;
  }

 private:
  command::DataKinds kinds_;
  std::string kind_;  // one that does not exist: the others are commands
};

}  // namespace

void add_data_command(Commands& all) {
  all.add(95, std::make_unique<DataCommand>(all.data_kinds()));
}

}  // namespace park::cli
