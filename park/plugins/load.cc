// Loading: the note of the file, then a child process that loads it and makes every spec, then the
// same here. `open_file` runs code of a plug-in; `load` is the only caller. What is loaded becomes
// entries of a registry and actions of data, whose functions share the tables.
#include "park/plugins/load.h"

#include <dlfcn.h>

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "park/core/data_path.h"
#include "park/plugins/elf_note.h"
#include "park/plugins/env.h"
#include "park/plugins/importer.h"
#include "park/plugins/offered.h"
#include "park/plugins/policy.h"
#include "park/plugins/probe.h"
#include "park/plugins/system.h"

namespace park::plugins {
namespace {

[[noreturn]] void refuse_file(const std::string& what) { throw Error(Errc::bad_file, what); }

/// What plug-ins are told of this Park. They may keep it.
class Host {
 public:
  Host() {
    try {
      data_folder_ = data_dir().string();
    } catch (const Error&) {  // Park without data: environments that need none work
    }
    table_ = {sizeof(ParkHost), PARK_PLUGIN_ABI, PARK_VERSION, data_folder_.c_str(), this, &refuse};
  }
  /// Throws Error{bad_file}.
  [[nodiscard]] const ParkPlugin* ask(decltype(&park_plugin) entry) {
    refusal_.clear();
    const ParkPlugin* const plugin = entry(PARK_PLUGIN_ABI, &table_);
    if (plugin == nullptr)
      refuse_file(refusal_.empty() ? "refuses this Park without a reason" : "refuses: " + refusal_);
    return plugin;
  }

 private:
  static void refuse(void* self, const char* text) {
    if (text != nullptr) static_cast<Host*>(self)->refusal_ = printable(text, "\n");
  }

  std::string data_folder_, refusal_;
  ParkHost table_{};
};

/// The error of dlopen, without the path that it may begin with.
std::string loader_error(const std::filesystem::path& file) {
  const char* const text = dlerror();
  std::string error = text ? text : "no reason is known";
  if (error.starts_with(file.string() + ": ")) error.erase(0, file.string().size() + 2);
  return error;
}

/// Loads the file for good and reads its tables. Runs code of it.
Offered open_file(const std::filesystem::path& file, const Begin& begin) {
  static Host host;
  begin("loading it");
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) refuse_file("cannot be loaded: " + loader_error(file));
  void* const entry = dlsym(library, "park_plugin");
  if (entry == nullptr) refuse_file("has no function park_plugin");
  begin("park_plugin");
  Offered offered = read_tables(host.ask(reinterpret_cast<decltype(&park_plugin)>(entry)));
  offered.file = file;
  return offered;
}

void check_note(const std::filesystem::path& file) {
  const ElfNote note = read_elf_note(file);
  if (note.abi == 0 || note.abi > PARK_PLUGIN_ABI)
    refuse_file("is of interface " + std::to_string(note.abi) + "; this Park knows 1 to " +
                std::to_string(PARK_PLUGIN_ABI));
}

/// Throws where one of the new names is taken or comes twice.
void check_names(const char* what, const std::vector<std::string>& there,
                 const std::vector<std::string>& more) {
  std::set<std::string> taken(there.begin(), there.end());
  for (const std::string& name : more)
    if (!taken.insert(name).second)
      throw Error(Errc::invalid_config,
                  std::string(what) + " '" + name + "' has a name that is taken");
}

template <class Kinds>
std::vector<std::string> names_of(const Kinds& kinds) {
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.push_back(kind->name);
  return names;
}

OutsideEnv outside(const std::shared_ptr<const Kind>& kind) {
  OutsideEnv env;
  env.name = kind->name;
  env.fields = kind->fields;
  env.spec = [kind](const Value& text) { return Configuration(kind, text).spec(); };
  if (kind->data_files)
    env.data_files = [kind](const Value& text) { return Configuration(kind, text).data_files(); };
  return env;
}

/// Environments of one text share what they have in common, as long as one of them is there.
class EnvForms {
 public:
  explicit EnvForms(std::shared_ptr<const EnvKind> kind) : kind_(std::move(kind)) {}
  [[nodiscard]] std::shared_ptr<const EnvForm> of(const Value& canonical) {
    const std::scoped_lock lock(mutex_);
    std::weak_ptr<const EnvForm>& known = forms_[to_text(canonical)];
    std::shared_ptr<const EnvForm> form = known.lock();
    if (!form) known = form = std::make_shared<const EnvForm>(kind_, canonical);
    return form;
  }

 private:
  std::shared_ptr<const EnvKind> kind_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const EnvForm>> forms_;
};

void add(const std::shared_ptr<const EnvKind>& kind, Registry& registry) {
  OutsideEnv env = outside(kind);
  env.make_env = [forms = std::make_shared<EnvForms>(kind)](const Value& text) {
    return std::make_unique<PluginEnv>(forms->of(text));
  };
  registry.add_env(std::move(env));
}

void add(const std::shared_ptr<const SystemKind>& kind, Registry& registry) {
  OutsideEnv env = outside(kind);
  env.make_system = [kind](const Value& text) {
    return std::make_unique<PluginSystem>(kind, std::make_shared<const Configuration>(kind, text));
  };
  registry.add_env(std::move(env));
}

void add(const std::shared_ptr<const PolicyKind>& kind, Registry& registry) {
  registry.add_policy(kind->info, kind->fields, [kind](const Value& text, const Spec& spec) {
    return std::make_unique<PluginPolicy>(kind, text, spec);
  });
}

std::string words_of(const ImporterKind& importer) {
  std::string words = plugin::text_of(importer.calls.kind) + " import";
  const std::string form = plugin::text_of(importer.calls.form);
  return form.empty() ? words : words + ' ' + form;
}

}  // namespace

const std::string& Plugin::name() const noexcept { return offered_->name; }
const std::string& Plugin::version() const noexcept { return offered_->version; }
const std::string& Plugin::licence() const noexcept { return offered_->licence; }
const std::filesystem::path& Plugin::file() const noexcept { return offered_->file; }

Offer Plugin::offer() const {
  Offer offer{.environments = names_of(offered_->envs), .systems = names_of(offered_->systems)};
  for (const auto& policy : offered_->policies) offer.policies.push_back(policy->info.name);
  for (const auto& importer : offered_->importers) offer.importers.push_back(words_of(*importer));
  return offer;
}

void Plugin::add_to(Registry& registry) const {
  const Offer mine = offer();
  std::vector<std::string> envs = mine.environments;
  envs.insert(envs.end(), mine.systems.begin(), mine.systems.end());
  check_names("the environment", registry.env_names(), envs);
  check_names("the policy", registry.policy_names(), mine.policies);
  for (const auto& env : offered_->envs) add(env, registry);
  for (const auto& system : offered_->systems) add(system, registry);
  for (const auto& policy : offered_->policies) add(policy, registry);
}

void Plugin::add_to(command::DataKinds& kinds) const {
  std::map<std::string, command::DataKind> mine;
  for (const auto& importer : offered_->importers) {
    const ParkImporterType& t = importer->calls;
    command::DataKind& kind = mine[plugin::text_of(t.kind)];
    kind.name = plugin::text_of(t.kind);
    kind.summary = plugin::text_of(t.kind_summary);
    kind.environment = plugin::text_of(t.environment);
    kind.example = plugin::text_of(t.kind_example);
    kind.actions.emplace_back([importer] { return std::make_unique<PluginImport>(importer); });
  }
  for (const auto& [name, kind] : mine)
    if (kinds.find(name) != nullptr)
      throw Error(Errc::invalid_config, "the kind of data '" + name + "' has a name that is taken");
  for (auto& [name, kind] : mine) kinds.add(std::move(kind));
}

Plugin load(const std::filesystem::path& file, std::chrono::milliseconds deadline) {
  static std::mutex mutex;
  static std::map<std::filesystem::path, std::shared_ptr<const Offered>> loaded;
  std::error_code failed;
  const std::filesystem::path path = std::filesystem::canonical(file, failed);
  if (failed) refuse_file(failed.message());
  const std::scoped_lock lock(mutex);
  auto& offered = loaded[path];
  if (!offered) {
    check_note(path);
    probe([&](const Begin& begin) { try_specs(open_file(path, begin), begin); }, deadline);
    offered = std::make_shared<const Offered>(open_file(path, [](const std::string&) {}));
  }
  return Plugin(offered);
}

}  // namespace park::plugins
