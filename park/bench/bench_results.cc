#include "park/bench/bench_results.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "park/core/text.h"
#include "park/runs/checkpoint.h"
#include "park/runs/data_files.h"
#include "park/runs/host.h"

namespace park::bench {
namespace {

/// Every field of the environment: its default, or what the canonical text says.
std::vector<std::pair<std::string, std::string>> full_config(const Registry& registry,
                                                             const std::string& canonical) {
  const Value text = parse_text(canonical);
  std::vector<std::pair<std::string, std::string>> all;
  for (const FieldInfo& field : registry.env_fields(text.text)) {
    const auto at = std::ranges::find(text.keys, field.name);
    const bool given = at != text.keys.end();
    all.emplace_back(field.name,
                     given ? to_text(text.items[static_cast<std::size_t>(at - text.keys.begin())])
                           : field.default_text);
  }
  return all;
}

void check_env(const SuiteEnv& env, const EnvFacts& facts, const Spec& spec, Violations& wrong) {
  const std::string where = facts.text + ": ";
  if (env.version != 0 && env.version != facts.version)
    wrong.add(where + "the suite is for version " + std::to_string(env.version) +
              " of the environment; this build has " + std::to_string(facts.version));
  if (spec.traits.system) wrong.add(where + "is a running system; suites play simulated ones");
  for (const std::string& name : env.metrics)
    if (std::ranges::find(facts.metrics, name, &Metric::name) == facts.metrics.end())
      wrong.add(std::string(where).append("has no metric \"").append(name).append("\""));
}

EnvFacts resolve_env(const Registry& registry, const SuiteEnv& env, const Opens& opens,
                     Violations& wrong) {
  const EnvOfText parsed = registry.env(env.text());
  check_env_opens(registry, parsed.name(), opens);
  EnvFacts facts{.text = parsed.text()};
  const Spec spec = parsed.spec();
  facts.version = static_cast<std::uint64_t>(spec.version);
  facts.layout_hash = layout_text(spec);
  facts.config = full_config(registry, facts.text);
  facts.metrics = result_metrics(spec);
  facts.data = runs::describe_files(parsed.data_files());
  check_env(env, facts, spec, wrong);
  return facts;
}

void add_entries(const Registry& registry, BenchResults& results, std::size_t e,
                 Violations& wrong) {
  const SuiteEnv& env = results.suite.environments[e];
  for (const std::string& text : env.all_policies()) try {
      Entry entry{.env = e, .policy = registry.canonical_policy(text)};
      entry.baseline = std::ranges::find(env.baselines, text) != env.baselines.end();
      entry.bound = text == env.bound;
      entry.files = runs::describe_files(registry.policy_files(entry.policy));
      const auto same = [&](const Entry& other) {
        return other.env == e && other.policy == entry.policy;
      };
      if (std::ranges::any_of(results.entries, same))
        wrong.add(results.environments[e].text + ": has the policy " + entry.policy + " twice");
      results.entries.push_back(std::move(entry));
    } catch (const Error& error) {
      wrong.add(results.environments[e].text + ": " + error.what());
    }
}

/// The text of a policy in a file or folder.
std::string path_text(const std::string& path) {
  const auto is_bare = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-+./:@").find(static_cast<char>(c)) != std::string::npos;
  };
  if (!std::ranges::all_of(path, is_bare))
    throw Error(Errc::invalid_config, path +
                                          ": trained policies are in a folder whose path has only "
                                          "letters, digits and _ - + . / : @");
  return path;
}

}  // namespace

BenchResults resolve(const Registry& registry, Suite suite, const Opens& opens) {
  BenchResults results{.suite = std::move(suite)};
  Violations wrong;
  for (const SuiteEnv& env : results.suite.environments) try {
      results.environments.push_back(resolve_env(registry, env, opens, wrong));
    } catch (const Error& error) {
      wrong.add(env.name + ": " + error.what());
    }
  wrong.throw_if_any(Errc::invalid_config);
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    add_entries(registry, results, e, wrong);
  wrong.throw_if_any(Errc::invalid_config);
  runs::describe_machine(results.host);
  return results;
}

std::size_t metric_index(const EnvFacts& env, std::string_view name) {
  const auto at = std::ranges::find(env.metrics, name, &Metric::name);
  return static_cast<std::size_t>(at - env.metrics.begin());
}

std::string playable(const BenchResults& results, const Entry& entry) {
  if (!entry.training) return entry.policy;
  if (!entry.training->error.empty()) throw Error(Errc::unavailable, entry.training->error);
  return path_text((std::filesystem::path(results.folder) / entry.policy).string());
}

std::string entry_name(const BenchResults& results, const Entry& entry) {
  if (!entry.training) return entry.policy;
  std::string text = entry.training->agent + ", seed " + std::to_string(entry.training->seed);
  if (entry.training->env != entry.env)
    text += ", trained on " + results.environments[entry.training->env].text;
  return text;
}

bool same_files(const std::vector<runs::DataFile>& a, const std::vector<runs::DataFile>& b) {
  return std::ranges::equal(a, b, [](const runs::DataFile& x, const runs::DataFile& y) {
    return x.path == y.path && runs::same_bytes(x, y);
  });
}

std::string entry_text(const BenchResults& results, const Entry& entry) {
  return results.environments[entry.env].text + ", " + entry.policy;
}

}  // namespace park::bench
