// `park plugins`: what is found without running it, and what a plug-in brings, for which it is
// loaded. prepare makes one row per file or class: note, place, and why it cannot be loaded. With a
// plug-in named, or --load, run loads them and adds what they offer.
#include <algorithm>
#include <filesystem>
#include <optional>

#include "cli/frame/commands.h"
#include "cli/frame/inputs.h"
#include "cli/frame/names.h"
#include "park/command/strings.h"
#include "park/command/table.h"
#include "park/core/json_writer.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/plugin.h"
#include "park/plugins/elf_note.h"
#include "park/plugins/places.h"

namespace park::cli {
namespace {

/// A plug-in that is listed.
struct Listed {
  std::string path;       // the file, or module:Class
  std::string_view from;  // as to_text(Place::From)
  bool python = false;
  std::optional<plugins::ElfNote> note{};
  std::string problem{};  // why it cannot be loaded; empty: nothing is known
  std::string sha256{};   // of a loaded library
  std::optional<plugins::Offer> offer{};
};

/// Empty: this park can load it.
std::string interface_problem(std::uint32_t abi) {
  if (abi >= 1 && abi <= PARK_PLUGIN_ABI) return "";
  return "is of interface " + std::to_string(abi) + "; this park knows 1 to " +
         std::to_string(PARK_PLUGIN_ABI);
}

Listed listed(const plugins::Place& place) {
  Listed one{.path = place.file.string(), .from = to_text(place.from), .problem = place.problem};
  try {
    one.note = plugins::read_elf_note(place.file);
    if (one.problem.empty()) one.problem = interface_problem(one.note->abi);
  } catch (const Error& error) {
    one.problem = error.what();
  }
  return one;
}

/// One whose name an earlier one has is hidden.
void mark_hidden(std::vector<Listed>& all) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].note || !all[i].problem.empty()) continue;
    for (std::size_t earlier = 0; earlier < i && all[i].problem.empty(); ++earlier)
      if (all[earlier].note && all[earlier].problem.empty() &&
          all[earlier].note->name == all[i].note->name)
        all[i].problem = "its name is taken by " + all[earlier].path;
  }
}

class PluginsCommand final : public Command {
 public:
  CommandInfo info() const override {
    return {.name = "plugins",
            .summary = "list plug-ins, and what they bring",
            .details =
                "Without FILE it lists those of --plugin, of PARK_PLUGIN_PATH, and of the user's "
                "folder, in this order, by what their files say of themselves; no code of them "
                "runs. For a FILE, or with --load, it loads them and tells their environments, "
                "policies and importers. docs/plugins.md has the rules.",
            .example = "park plugins --plugin ./libspeed.so --load"};
  }
  bool takes_plugins() const override { return false; }  // it lists them

  void declare(Options& options) override {
    options.texts("FILE", named_,
                  "a file with a / or .so in its name, module:Class, or the name of a listed one");
    options.texts("--plugin", "FILE", given_, "a library or module:Class; may be repeated");
    options.flag("--load", load_, "load all that can be, and tell what they bring");
  }

  void prepare(Session&, Violations& wrong) override {
    std::vector<std::string> files;
    for (const std::string& text : given_)
      if (!plugins::is_python_class(text)) files.push_back(text);
    for (const plugins::Place& place : plugins::find_places(files)) all_.push_back(listed(place));
    for (const std::string& text : given_)
      if (plugins::is_python_class(text)) all_.push_back(python_class(text));
    mark_hidden(all_);
    if (!named_.empty()) choose(wrong);
  }

  int run(Session& session) override {
    if (load_ || !named_.empty()) load_all();
    session.print(session.json() ? as_json() : as_text(session.width()));
    return kDone;
  }

 private:
  void load_all() {
    envs::register_all(registry_);
    register_found(registry_);
    for (Listed& one : all_)
      if (one.problem.empty()) try {
          look_inside(one);
        } catch (const Error& error) {
          one.problem = split(error.what(), '\n').front();
          if (!named_.empty()) throw Error(Errc::bad_file, one.path + ": " + one.problem);
        }
  }

  /// Loads it beside what this build and the plug-ins before it have. Throws Error.
  void look_inside(Listed& one) {
    Plugin plugin = one.python ? load_python_class(one.path) : load_library(one.path);
    plugin.add_to_registry(registry_);
    plugin.add_to_kinds(kinds_);
    if (!one.note) one.note = plugins::ElfNote{.name = plugin.name, .version = plugin.version};
    one.sha256 = describe(plugin).sha256;
    one.offer = plugin.offer;
    plugins_.push_back(std::move(plugin));
  }

  static Listed python_class(const std::string& text) {
    return {.path = text, .from = to_text(plugins::Place::From::option), .python = true};
  }

  /// Leaves only those that are named; each of them has to load.
  void choose(Violations& wrong) {
    std::vector<Listed> chosen;
    for (const std::string& text : named_) {
      if (plugins::is_python_class(text)) {
        chosen.push_back(python_class(text));
      } else if (text.find('/') != std::string::npos || text.ends_with(".so")) {
        chosen.push_back(listed({.file = std::filesystem::absolute(text)}));
      } else {
        const auto at = std::ranges::find_if(
            all_, [&](const Listed& one) { return one.note && one.note->name == text; });
        if (at == all_.end()) {
          wrong.add("FILE: no plug-in '" + text + "' is found; `park plugins` lists them");
          continue;
        }
        chosen.push_back(*at);
      }
      if (!chosen.back().problem.empty())
        wrong.add(chosen.back().path + ": " + chosen.back().problem);
    }
    all_ = std::move(chosen);
  }

  [[nodiscard]] std::string as_text(std::size_t width) const {
    if (all_.empty())
      return "no plug-ins; they are given by --plugin and PARK_PLUGIN_PATH, or lie in " +
             folder_text() + '\n';
    Table table(
        {{"plug-in"}, {"version"}, {"licence"}, {"interface"}, {"from"}, {"state"}, {"file"}});
    for (const Listed& one : all_) {
      const bool known = one.note.has_value();
      const std::string state = !one.problem.empty() ? one.problem
                                : one.offer          ? "loaded"
                                                     : "can be loaded";
      table.add({known ? one.note->name : "-", known ? one.note->version : "-",
                 known && !one.note->licence.empty() ? one.note->licence : "-",
                 known && !one.python ? std::to_string(one.note->abi) : "-", std::string(one.from),
                 one.problem.empty() && one.python && !one.offer ? "not looked into" : state,
                 one.path});
    }
    std::string text = table.text(0, width);
    for (const Listed& one : all_)
      if (one.offer) text += offer_text(one);
    return text;
  }

  static std::string offer_text(const Listed& one) {
    const auto line = [](const char* what, const std::vector<std::string>& names) {
      return std::string("  ") + what + (names.empty() ? "none" : joined(names, ", ")) + '\n';
    };
    return '\n' + one.note->name + ' ' + one.note->version + " brings\n" +
           line("environments  ", one.offer->environments) +
           line("systems       ", one.offer->systems) +
           line("policies      ", one.offer->policies) +
           line("importers     ", one.offer->importers);
  }

  [[nodiscard]] std::string as_json() const {
    JsonWriter json;
    json.begin_object().member("interface", PARK_PLUGIN_ABI).member("folder", folder_text());
    json.key("plugins").begin_array();
    for (const Listed& one : all_) write(json, one);
    return json.end_array().end_object().take();
  }

  static void write(JsonWriter& json, const Listed& one) {
    const plugins::ElfNote note = one.note.value_or(plugins::ElfNote{});
    json.begin_object().member("name", note.name).member("version", note.version);
    json.member("licence", note.licence).key("interface");
    if (one.note && !one.python)
      json.value(note.abi);
    else
      json.null();
    json.member("path", one.path).member("kind", one.python ? "python" : "library");
    json.member("from", one.from).member("loadable", one.problem.empty());
    json.member("problem", one.problem).member("loaded", one.offer.has_value());
    if (one.offer) {
      json.member("sha256", one.sha256).key("environments").values(one.offer->environments);
      json.key("systems").values(one.offer->systems);
      json.key("policies").values(one.offer->policies);
      json.key("importers").values(one.offer->importers);
    }
    json.end_object();
  }

  static std::string folder_text() {
    const std::filesystem::path folder = plugins::user_folder();
    return folder.empty() ? "the user's folder, which needs HOME" : folder.string();
  }

  std::vector<std::string> named_, given_;
  bool load_ = false;
  std::vector<Listed> all_;
  std::vector<Plugin> plugins_;  // of which registry_ and kinds_ have parts
  Registry registry_;
  command::DataKinds kinds_ = envs::data_kinds();
};

}  // namespace

void add_plugins_command(Commands& all) { all.add(96, std::make_unique<PluginsCommand>()); }

}  // namespace park::cli
