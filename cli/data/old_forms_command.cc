// The commands `park workload` and `park traces` from before `park data`: the same actions, and
// import-spark for import spark. They stay until 1.0.
#include "cli/data/actions.h"
#include "cli/frame/commands.h"
#include "cli/frame/group.h"
#include "park/envs/envs.h"

namespace park::cli {
namespace {

std::unique_ptr<Command> old_form(const command::DataKind& kind) {
  const std::string path = "park " + kind.name;
  // Import was the only action with forms.
  std::string example = kind.example;
  if (example.starts_with("import ")) example.replace(0, 7, "import-");
  return group(
      {.name = kind.name, .summary = kind.summary, .details = "", .example = path + ' ' + example},
      [kind, path] { return action_commands(kind, path, ActionNames::flat); });
}

}  // namespace

void add_old_forms_command(Commands& all) {
  const command::DataKinds kinds = envs::data_kinds();
  int place = 100;
  for (const char* name : {"workload", "traces"})
    if (const command::DataKind* kind = kinds.find(name)) all.add(place++, old_form(*kind));
}

}  // namespace park::cli
