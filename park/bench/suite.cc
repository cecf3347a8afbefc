// Suites from JSON and by name. A suite is a list of environments with their fields, metrics and
// policies; reading it collects all violations before it throws. Bundled suites are read once from
// the texts of the environments' folders. Files that name the same suite are its parts.
// `park bench` calls read_suite, a reader of results parse_suite.
#include "park/bench/suite.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "park/bench/suite_parts.h"
#include "park/core/text.h"
#include "park/envs/bundled_texts.h"
#include "park/files/json_fields.h"
#include "park/files/read.h"

namespace park::bench {

void check_count(const std::string& name, std::uint64_t count, Violations& wrong) {
  if (count == 0 || count > kMostCount)
    wrong.add(name + ": is " + std::to_string(count) + ", not 1 to " + std::to_string(kMostCount));
}

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSuiteBytes = 1 << 20;

/// The text of the grammar that a JSON value stands for. Throws Error{syntax}.
std::string value_text(const files::Json& value) {
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  std::string text = value.get<std::string>();
  if (!text.empty()) static_cast<void>(parse_text(text));
  return text;
}

using ConfigTexts = std::vector<std::pair<std::string, std::string>>;

void read_config(const files::Json& json, const std::string& where, ConfigTexts& config,
                 Violations& wrong) {
  for (const auto& [key, value] : json.items()) {
    const std::string field = std::string(where).append(".").append(key).append(": ");
    if (value.is_number() || value.is_boolean() || value.is_string()) try {
        config.emplace_back(key, value_text(value));
      } catch (const Error& error) {
        wrong.add(field + error.what());
      }
    else
      wrong.add(field + "is not a number, true, false or a text");
  }
}

void check_suite_env(const SuiteEnv& env, const std::string& where, Violations& wrong) {
  check_count(where + ".episodes", env.episodes, wrong);
  if (env.metrics.empty()) wrong.add(where + ".metrics: is empty; the first one is the score");
  const std::vector<std::string> all = env.all_policies();
  if (all.empty()) wrong.add(where + ": has no baselines and no policies");
  for (const std::string& shown : env.timeline)
    if (std::ranges::find(all, shown) == all.end())
      wrong.add(std::string(where)
                    .append(".timeline: \"")
                    .append(shown)
                    .append("\" is none of the baselines and policies"));
  if (!env.bound.empty() && std::ranges::find(env.policies, env.bound) == env.policies.end())
    wrong.add(std::string(where)
                  .append(".bound: \"")
                  .append(env.bound)
                  .append("\" is none of the policies"));
  for (auto i = all.begin(); i != all.end(); ++i)
    if (std::find(all.begin(), i, *i) != i)
      wrong.add(std::string(where).append(": has \"").append(*i).append("\" twice"));
}

TunedBaseline read_tuned(const files::Json& json, const std::string& where,
                         const std::vector<std::string>& baselines, Violations& wrong) {
  TunedBaseline tuned;
  files::JsonFields fields(json, where, wrong);
  fields.take("policy", tuned.policy);
  fields.take("command", tuned.command);
  fields.take("episodes", tuned.episodes);
  fields.take("tries", tuned.tries);
  fields.finish();
  if (!json.is_object()) return tuned;
  if (std::ranges::find(baselines, tuned.policy) == baselines.end())
    wrong.add(where + ".policy: \"" + tuned.policy + "\" is none of the baselines");
  if (tuned.command.empty()) wrong.add(where + ".command: is empty");
  check_count(where + ".episodes", tuned.episodes, wrong);
  check_count(where + ".tries", tuned.tries, wrong);
  return tuned;
}

SuiteTuning read_tuning(const files::Json& json, const std::string& where,
                        const std::vector<std::string>& baselines, Violations& wrong) {
  SuiteTuning tuning;
  files::JsonFields fields(json, where, wrong);
  const files::Json& tuned = fields.array("tuned");
  fields.optional();
  read_config(fields.object("training"), where + ".training", tuning.training, wrong);
  read_config(fields.object("validation"), where + ".validation", tuning.validation, wrong);
  for (std::size_t i = 0; i < tuned.size(); ++i)
    tuning.tuned.push_back(
        read_tuned(tuned[i], where + ".tuned[" + std::to_string(i) + ']', baselines, wrong));
  fields.finish();
  return tuning;
}

SuiteEnv read_suite_env(const files::Json& json, const std::string& where, Violations& wrong) {
  SuiteEnv env;
  files::JsonFields fields(json, where, wrong);
  fields.take("env", env.name);
  fields.take("episodes", env.episodes);
  fields.take("metrics", env.metrics);
  fields.optional().take("version", env.version);
  read_config(fields.object("config"), where + ".config", env.config, wrong);
  fields.take("baselines", env.baselines);
  fields.take("policies", env.policies);
  fields.take("timeline", env.timeline);
  fields.take("bound", env.bound);
  if (const files::Json& tuning = fields.object("tuning"); !tuning.is_null())
    env.tuning = read_tuning(tuning, where + ".tuning", env.baselines, wrong);
  fields.finish();
  if (json.is_object()) check_suite_env(env, where, wrong);
  return env;
}

std::string env_text(const std::string& name, const ConfigTexts& config) {
  if (config.empty()) return name;
  Value value{.kind = Value::Kind::call, .text = name};
  for (const auto& [key, text] : config) {
    value.keys.push_back(key);
    value.items.push_back(text.empty() ? Value{.kind = Value::Kind::quoted} : parse_text(text));
  }
  return to_text(value);
}

/// The fields of a list, where another one gives some of them other values.
ConfigTexts with_fields(ConfigTexts config, const ConfigTexts& others) {
  for (const auto& [key, text] : others) {
    const auto at = std::ranges::find(config, key, [](const auto& field) { return field.first; });
    if (at == config.end())
      config.emplace_back(key, text);
    else
      at->second = text;
  }
  return config;
}

/// One of the files that a suite is made of. That with the agents may have no environment.
Suite parse_part(std::string_view text, const std::string& file) {
  const files::Json json = files::parse_document(text, file, kSuiteSchema, kSuiteVersion);
  Suite suite;
  Violations wrong;
  files::JsonFields fields(json, file, wrong);
  std::string schema;
  std::uint64_t version = 0;
  fields.take("schema", schema);
  fields.take("version", version);
  fields.take("name", suite.name);
  fields.take("summary", suite.summary);
  fields.take("seed", suite.seed);
  const files::Json& environments = fields.array("environments");
  fields.optional().take("position", suite.position);
  read_agents(fields, suite, wrong);
  for (std::size_t e = 0; e < environments.size(); ++e)
    suite.environments.push_back(
        read_suite_env(environments[e], file + ": environments[" + std::to_string(e) + ']', wrong));
  fields.finish();
  if (environments.is_array() && environments.empty() && suite.agents.empty())
    wrong.add(file + ".environments: is empty");
  wrong.throw_if_any(Errc::bad_file);
  return suite;
}

/// Adds a file's environments to those of the files before that have the same name.
void add_part(std::map<std::string, Suite>& suites, const std::string& file, Suite part) {
  const auto [at, first] = suites.try_emplace(part.name, part);
  if (first) return;
  Suite& whole = at->second;
  if (part.summary != whole.summary || part.seed != whole.seed)
    throw Error(Errc::bad_file, file + ": another part of " + part.name +
                                    " has another summary or seed; they must be equal");
  if (!part.agents.empty()) {
    if (!whole.agents.empty())
      throw Error(Errc::bad_file, file + ": another part of " + part.name + " has agents too");
    whole.agents = std::move(part.agents);
    whole.training = part.training;
  }
  for (SuiteEnv& env : part.environments) whole.environments.push_back(std::move(env));
}

/// By name; read once.
const std::map<std::string, Suite>& bundled() {
  static const std::map<std::string, Suite> all = [] {
    std::vector<std::pair<std::string, Suite>> parts;
    for (const std::vector<envs::BundledText>* list :
         {&envs::bundled_suites(), &bundled_suite_heads()})
      for (const auto& [file, text] : *list)
        parts.emplace_back(file, parse_part(text, std::string(file)));
    std::ranges::stable_sort(parts, {}, [](const auto& part) { return part.second.position; });
    std::map<std::string, Suite> suites;
    for (auto& [file, part] : parts) add_part(suites, file, std::move(part));
    std::erase_if(suites, [](const auto& suite) { return suite.second.environments.empty(); });
    return suites;
  }();
  return all;
}

/// N of NAME-vN; 0: the full name is not of that form.
std::uint64_t version_of(std::string_view full, std::string_view name) {
  if (!full.starts_with(std::string(name) + "-v")) return 0;
  full.remove_prefix(name.size() + 2);
  std::uint64_t version = 0;
  const auto read = std::from_chars(full.data(), full.data() + full.size(), version);
  return read.ec == std::errc() && read.ptr == full.data() + full.size() ? version : 0;
}

/// The newest version of a name that lacks it: dag-batch-v2 of dag-batch; nullptr: there is none.
const Suite* newest(std::string_view name) {
  const Suite* found = nullptr;
  std::uint64_t most = 0;
  for (const auto& [full, suite] : bundled()) {
    const std::uint64_t version = version_of(full, name);
    if (version <= most) continue;
    most = version;
    found = &suite;
  }
  return found;
}

/// The newest version where a name is that of an older one; nullptr: it is not.
const Suite* successor(std::string_view full) {
  const std::string_view name = full.substr(0, full.rfind("-v"));
  const std::uint64_t version = version_of(full, name);
  const Suite* found =
      version == 0 || bundled().contains(std::string(full)) ? nullptr : newest(name);
  return found && version < version_of(found->name, name) ? found : nullptr;
}

bool is_file(const std::string& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

std::string SuiteEnv::text() const { return env_text(name, config); }

std::string SuiteEnv::training_text() const {
  return env_text(name, with_fields(config, tuning.training));
}

std::string SuiteEnv::validation_text() const {
  if (tuning.validation.empty()) return training_text();
  return env_text(name, with_fields(config, tuning.validation));
}

std::vector<std::string> SuiteEnv::all_policies() const {
  std::vector<std::string> all = baselines;
  all.insert(all.end(), policies.begin(), policies.end());
  return all;
}

Suite parse_suite(std::string_view text, const std::string& file) {
  Suite suite = parse_part(text, file);
  if (suite.environments.empty()) throw Error(Errc::bad_file, file + ".environments: is empty");
  return suite;
}

std::vector<std::string> bundled_suites() {
  std::vector<std::string> names;
  for (const auto& [name, suite] : bundled()) names.push_back(name);
  return names;
}

bool is_replaced_suite(const std::string& name_or_path) {
  return !is_file(name_or_path) && successor(name_or_path) != nullptr;
}

Suite read_suite(const std::string& name_or_path) {
  if (is_file(name_or_path))
    return parse_suite(files::read_whole(name_or_path, kMostSuiteBytes), name_or_path);
  if (const auto found = bundled().find(name_or_path); found != bundled().end())
    return found->second;
  if (const Suite* found = newest(name_or_path)) return *found;
  if (const Suite* found = successor(name_or_path)) return *found;
  std::string known;
  for (const std::string& name : bundled_suites()) known += (known.empty() ? "" : ", ") + name;
  throw Error(Errc::unknown_name,
              "no suite '" + name_or_path + "'; it is a file or one of " + known);
}

}  // namespace park::bench
