#include "park/bench/suite.h"

#include <algorithm>

#include "park/bench/json_fields.h"
#include "park/core/data_path.h"
#include "park/core/text.h"
#include "park/files/durable.h"

namespace park::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostSuiteBytes = 1 << 20;

/// The text of the grammar that a JSON value stands for.
std::string value_text(const Json& value) {
  if (value.is_number()) return number_text(value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  return value.get<std::string>();
}

void read_config(const Json& json, const std::string& where, SuiteEnv& env, Violations& wrong) {
  for (const auto& [key, value] : json.items()) {
    if (value.is_number() || value.is_boolean() || value.is_string())
      env.config.emplace_back(key, value_text(value));
    else
      wrong.add(std::string(where)
                    .append(".config.")
                    .append(key)
                    .append(": is not a number, true, false or a text"));
  }
}

void check_suite_env(const SuiteEnv& env, const std::string& where, Violations& wrong) {
  if (env.episodes == 0) wrong.add(where + ".episodes: is not at least 1");
  if (env.metrics.empty()) wrong.add(where + ".metrics: is empty; the first one is the score");
  const std::vector<std::string> all = env.all_policies();
  if (all.empty()) wrong.add(where + ": has no baselines and no policies");
  for (const std::string& shown : env.timeline)
    if (std::ranges::find(all, shown) == all.end())
      wrong.add(std::string(where)
                    .append(".timeline: \"")
                    .append(shown)
                    .append("\" is none of the baselines and policies"));
  for (auto i = all.begin(); i != all.end(); ++i)
    if (std::find(all.begin(), i, *i) != i)
      wrong.add(std::string(where).append(": has \"").append(*i).append("\" twice"));
}

SuiteEnv read_suite_env(const Json& json, const std::string& where, Violations& wrong) {
  SuiteEnv env;
  JsonFields fields(json, where, wrong);
  fields.take("env", env.name);
  fields.take("episodes", env.episodes);
  fields.take("metrics", env.metrics);
  fields.optional().take("version", env.version);
  read_config(fields.object("config"), where, env, wrong);
  fields.take("baselines", env.baselines);
  fields.take("policies", env.policies);
  fields.take("timeline", env.timeline);
  fields.finish();
  if (json.is_object()) check_suite_env(env, where, wrong);
  return env;
}

}  // namespace

std::string SuiteEnv::text() const {
  if (config.empty()) return name;
  Value value{.kind = Value::Kind::call, .text = name};
  for (const auto& [key, text] : config) {
    value.keys.push_back(key);
    value.items.push_back(text.empty() ? Value{.kind = Value::Kind::quoted} : parse_text(text));
  }
  return to_text(value);
}

std::vector<std::string> SuiteEnv::all_policies() const {
  std::vector<std::string> all = baselines;
  all.insert(all.end(), policies.begin(), policies.end());
  return all;
}

Suite parse_suite(std::string_view text, const std::string& file) {
  const Json json = parse_document(text, file, kSuiteSchema, kSuiteVersion);
  Suite suite;
  Violations wrong;
  JsonFields fields(json, file, wrong);
  std::string schema;
  std::uint64_t version = 0;
  fields.take("schema", schema);
  fields.take("version", version);
  fields.take("name", suite.name);
  fields.take("summary", suite.summary);
  fields.take("seed", suite.seed);
  const Json& environments = fields.array("environments");
  for (std::size_t e = 0; e < environments.size(); ++e)
    suite.environments.push_back(
        read_suite_env(environments[e], file + ": environments[" + std::to_string(e) + ']', wrong));
  fields.finish();
  if (environments.is_array() && environments.empty()) wrong.add(file + ".environments: is empty");
  wrong.throw_if_any(Errc::bad_file);
  return suite;
}

std::vector<std::string> bundled_suites() {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(data_dir() / "suites", none))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

fs::path find_suite(const std::string& name_or_path) {
  std::error_code ignored;
  if (fs::is_regular_file(name_or_path, ignored)) return name_or_path;
  const std::vector<std::string> names = bundled_suites();
  if (std::ranges::find(names, name_or_path) != names.end())
    return data_dir() / "suites" / (name_or_path + ".json");
  std::string known;
  for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
  throw Error(Errc::unknown_name,
              "no suite '" + name_or_path + "'; it is a file or one of " + known);
}

Suite read_suite(const std::string& name_or_path) {
  const fs::path file = find_suite(name_or_path);
  const std::vector<char> bytes = files::read_whole(file, kMostSuiteBytes);
  return parse_suite({bytes.data(), bytes.size()}, file.string());
}

}  // namespace park::bench
