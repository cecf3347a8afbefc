#include "cli/frame/commands.h"
#include "cli/frame/names.h"
#include "cli/play/describe.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/registry.h"

namespace park::cli {
namespace {

class EnvsCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {
        .name = "envs", .summary = "list the environments", .details = "", .example = "park envs"};
  }

  int run(Session& session) override {
    std::vector<Entry> entries;
    for (const std::string& name : session.registry().env_names())
      if (name != kElsewhere) entries.push_back(look_up(session.registry(), name));
    session.print(session.json() ? as_json(entries) : as_text(entries, session.width()));
    return kDone;
  }

 private:
  /// An environment, or why it cannot be used here: its bundled data may not be installed.
  struct Entry {
    std::string name;
    Spec spec;
    std::string problem;
  };

  static Entry look_up(const Registry& registry, const std::string& name) {
    try {
      return {name, registry.spec(name), ""};
    } catch (const Error& error) {
      return {name, {}, error.what()};
    }
  }

  static std::string as_text(const std::vector<Entry>& entries, std::size_t width) {
    Table table({{"environment"}, {"version"}, {"twin"}, {"traits"}, {"summary"}});
    for (const auto& [name, spec, problem] : entries) {
      if (problem.empty())
        table.add({name, std::to_string(spec.version),
                   spec.traits.twin.empty() ? "-" : spec.traits.twin, traits_text(spec.traits),
                   spec.summary});
      else
        table.add({name, "-", "-", "unavailable", problem});
    }
    return table.text(0, width);
  }

  static std::string as_json(const std::vector<Entry>& entries) {
    JsonWriter json;
    json.begin_object().key("environments").begin_array();
    for (const auto& [name, spec, problem] : entries) {
      json.begin_object().member("name", name);
      if (problem.empty()) {
        json.member("version", spec.version).member("summary", spec.summary);
        write_twin(json, spec.traits);
        json.key("traits");
        write_traits(json, spec.traits);
      } else {
        json.member("unavailable", problem);
      }
      json.end_object();
    }
    return json.end_array().end_object().take();
  }
};

}  // namespace

void add_envs_command(Commands& all) { all.add(10, std::make_unique<EnvsCommand>()); }

}  // namespace park::cli
