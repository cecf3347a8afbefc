#include "park/plugins/offered.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

#include "park/core/outside_fields.h"
#include "park/plugin/read.h"

namespace park::plugins {
namespace {

[[noreturn]] void refuse_tables(const std::string& what) { throw Error(Errc::bad_file, what); }

/// A function of a table; nullptr is missing.
struct Needed {
  const char* name;
  bool there;
};

void expect_functions(const std::string& what, std::initializer_list<Needed> functions) {
  for (const Needed& f : functions)
    if (!f.there) refuse_tables(what + " lacks the function " + f.name);
}

/// Letters, digits and _ alone, as texts need them.
std::string name_of(const char* name, const char* what) {
  std::string text = plugin::text_of(name);
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (text.empty() || text.size() > 100 || !std::ranges::all_of(text, is_part))
    refuse_tables(std::string(what) + " has the name '" + printable(text) +
                  "'; allowed are letters, digits and _");
  return text;
}

std::vector<FieldInfo> fields_of(const std::string& what, const ParkField* const* list,
                                 std::uint64_t count) {
  std::vector<FieldInfo> fields = plugin::read_fields(list, count);
  check_outside_fields(what, fields);
  return fields;
}

template <class K, class Table>
std::shared_ptr<K> kind_of(const std::string& plugin, const Table& t, const char* what) {
  auto kind = std::make_shared<K>();
  kind->name = name_of(t.name, what);
  kind->who = "plug-in " + plugin + ": " + kind->name;
  kind->fields = fields_of(kind->name, t.fields, t.field_count);
  expect_functions(kind->name, {{"configure", t.configure != nullptr},
                                {"forget", t.forget != nullptr},
                                {"spec", t.spec != nullptr},
                                {"create", t.create != nullptr},
                                {"destroy", t.destroy != nullptr}});
  kind->configure = t.configure;
  kind->forget = t.forget;
  kind->spec = t.spec;
  kind->data_files = t.data_files;
  kind->calls = t;
  return kind;
}

std::shared_ptr<const EnvKind> read(const std::string& plugin, const ParkEnvType& t) {
  auto kind = kind_of<EnvKind>(plugin, t, "an environment");
  expect_functions(kind->name, {{"reset", t.reset != nullptr}, {"step", t.step != nullptr}});
  return kind;
}

std::shared_ptr<const SystemKind> read(const std::string& plugin, const ParkSystemType& t) {
  auto kind = kind_of<SystemKind>(plugin, t, "a running system");
  expect_functions(kind->name, {{"run", t.run != nullptr}});
  kind->system = true;
  return kind;
}

std::shared_ptr<const PolicyKind> read(const std::string& plugin, const ParkPolicyType& t) {
  auto kind = std::make_shared<PolicyKind>();
  kind->info = {
      .name = name_of(t.name, "a policy"),
      .summary = plugin::text_of(t.summary),
      .reference = plugin::text_of(t.reference),
      .environments = plugin::texts_of(t.environments, t.environment_count, "environments")};
  kind->who = "plug-in " + plugin + ": " + kind->info.name;
  kind->fields = fields_of(kind->info.name, t.fields, t.field_count);
  expect_functions(kind->info.name, {{"create", t.create != nullptr},
                                     {"destroy", t.destroy != nullptr},
                                     {"act", t.act != nullptr}});
  kind->calls = t;
  return kind;
}

std::shared_ptr<const ImporterKind> read(const std::string& plugin, const ParkImporterType& t) {
  auto kind = std::make_shared<ImporterKind>();
  const std::string name = name_of(t.kind, "an importer");
  kind->who = "plug-in " + plugin + ": import of " + name;
  kind->fields = fields_of("import of " + name, t.fields, t.field_count);
  expect_functions("import of " + name, {{"run", t.run != nullptr}});
  kind->calls = t;
  return kind;
}

template <class T, class Kinds>
void read_all(const std::string& plugin, const T* const* list, std::uint64_t count,
              const char* what, Kinds& kinds) {
  plugin::for_each(list, count, what, [&](const T& t) { kinds.push_back(read(plugin, t)); });
}

}  // namespace

Offered read_tables(const ParkPlugin* theirs) {
  if (theirs == nullptr || theirs->size < sizeof(std::uint64_t))
    refuse_tables("its function park_plugin returns no table");
  const ParkPlugin p = plugin::copied(*theirs);
  if (p.abi == 0 || p.abi > PARK_PLUGIN_ABI)
    refuse_tables("its tables are of interface " + std::to_string(p.abi) +
                  "; this Park knows 1 to " + std::to_string(PARK_PLUGIN_ABI));
  Offered offered;
  offered.name = plugin::text_of(p.name);
  offered.version = plugin::text_of(p.version);
  offered.licence = plugin::text_of(p.licence);
  if (offered.name.empty()) refuse_tables("it has no name");
  try {
    read_all(offered.name, p.envs, p.env_count, "environment", offered.envs);
    read_all(offered.name, p.systems, p.system_count, "running system", offered.systems);
    read_all(offered.name, p.policies, p.policy_count, "policy", offered.policies);
    read_all(offered.name, p.importers, p.importer_count, "importer", offered.importers);
  } catch (const Error& e) {
    refuse_tables(e.what());
  }
  return offered;
}

}  // namespace park::plugins
