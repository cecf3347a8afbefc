#include "park/cli/command.h"
#include "park/cli/describe.h"
#include "park/cli/json.h"
#include "park/cli/table.h"
#include "park/core/registry.h"

namespace park::cli {
namespace {

class EnvsCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "envs",
            .summary = "list the environments",
            .details = "",
            .example = "park envs"};
  }

  int run(Session& session) override {
    std::vector<Spec> specs;
    for (const std::string& name : session.registry().env_names())
      specs.push_back(session.registry().spec(name));
    session.print(session.json() ? as_json(specs) : as_text(specs, session.width()));
    return kDone;
  }

 private:
  static std::string as_text(const std::vector<Spec>& specs, std::size_t width) {
    Table table({{"environment"}, {"version"}, {"twin"}, {"traits"}, {"summary"}});
    for (const Spec& spec : specs)
      table.add({spec.name, std::to_string(spec.version),
                 spec.traits.twin.empty() ? "-" : spec.traits.twin, traits_text(spec.traits),
                 spec.summary});
    return table.text(0, width);
  }

  static std::string as_json(const std::vector<Spec>& specs) {
    JsonWriter json;
    json.begin_object().key("environments").begin_array();
    for (const Spec& spec : specs) {
      json.begin_object().member("name", spec.name).member("version", spec.version);
      json.member("summary", spec.summary);
      write_twin(json, spec.traits);
      json.key("traits");
      write_traits(json, spec.traits);
      json.end_object();
    }
    return json.end_array().end_object().take();
  }
};

}  // namespace

std::unique_ptr<Command> make_envs_command() { return std::make_unique<EnvsCommand>(); }

}  // namespace park::cli
