// The commands `park workload` and `park traces` from before `park data`: the same actions, and
// import-spark for import spark. They stay until 1.0.
#include <utility>

#include "cli/data/actions.h"
#include "cli/frame/commands.h"
#include "park/envs/envs.h"

namespace park::cli {
namespace {

class OldFormCommand final : public Command {
 public:
  explicit OldFormCommand(command::DataKind kind) : kind_(std::move(kind)) {}
  CommandInfo info() const override {
    // Import was the only action with forms.
    std::string example = kind_.example;
    if (example.starts_with("import ")) example.replace(0, 7, "import-");
    return {.name = kind_.name,
            .summary = kind_.summary,
            .details = "",
            .example = path() + ' ' + example};
  }
  int run(Session&) override { return kBadInput; }  // a group is never run
  std::vector<std::unique_ptr<Command>> commands() override {
    return action_commands(kind_, path(), ActionNames::flat);
  }

 private:
  [[nodiscard]] std::string path() const { return "park " + kind_.name; }

  command::DataKind kind_;
};

}  // namespace

void add_old_forms_command(Commands& all) {
  const command::DataKinds kinds = envs::data_kinds();
  int place = 100;
  for (const char* name : {"workload", "traces"})
    if (const command::DataKind* kind = kinds.find(name))
      all.add(place++, std::make_unique<OldFormCommand>(*kind));
}

}  // namespace park::cli
