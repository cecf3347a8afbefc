// Reads results.json into BenchResults: the manifest, the facts of the environments, and the rows
// of every entry. Figures are left out, because they follow from the rows. Violations are collected
// over the whole file, each with the path of its member, and thrown together. The commands that
// verify, compare and rank results call it.
#include <algorithm>
#include <filesystem>
#include <functional>

#include "park/bench/results_json.h"
#include "park/bench/results_parts.h"
#include "park/bench/row_links.h"
#include "park/files/json_fields.h"
#include "park/files/read.h"

namespace park::bench {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

std::string element(const std::string& list, std::size_t i) {
  return list + '[' + std::to_string(i) + ']';
}

/// Reads the fields of a struct that are texts and numbers. `lacks` is a field that may be missing.
template <class T>
T read_fields(const files::Json& json, const std::string& where, Violations& wrong,
              std::string_view lacks = {}) {
  T value;
  files::JsonFields fields(json, where, wrong);
  T::fields(value, [&](std::string_view name, auto& field) {
    fields.optional(name == lacks).take(std::string(name).c_str(), field);
  });
  return value;
}

std::vector<runs::DataFile> read_files(const files::Json& json, const std::string& where,
                                       std::uint64_t version, Violations& wrong) {
  std::vector<runs::DataFile> files;
  for (std::size_t i = 0; i < json.size(); ++i)
    files.push_back(read_fields<runs::DataFile>(json[i], element(where, i), wrong,
                                                version < 2 ? "sha256" : ""));
  return files;
}

Metric read_metric(const files::Json& json, const std::string& where, Violations& wrong) {
  Metric metric;
  std::string better;
  files::JsonFields fields(json, where, wrong);
  fields.take("name", metric.name);
  fields.take("unit", metric.unit);
  fields.take("better", better);
  fields.take("doc", metric.doc);
  metric.lower_is_better = better == "lower";
  return metric;
}

EnvFacts read_env(const files::Json& json, const std::string& where, std::uint64_t version,
                  Violations& wrong) {
  EnvFacts env;
  files::JsonFields fields(json, where, wrong);
  fields.take("env", env.text);
  fields.take("version", env.version);
  fields.take("layout_hash", env.layout_hash);
  for (const auto& [name, value] : fields.object("config").items())
    env.config.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  const files::Json& metrics = fields.array("metrics");
  for (std::size_t m = 0; m < metrics.size(); ++m)
    env.metrics.push_back(read_metric(metrics[m], element(where + ".metrics", m), wrong));
  env.data = read_files(fields.array("data"), where + ".data", version, wrong);
  return env;
}

void read_manifest(const files::Json& json, BenchResults& results, Violations& wrong) {
  files::JsonFields fields(json, "manifest", wrong);
  fields.take("started", results.started);
  fields.take("command", results.command);
  results.host = read_fields<runs::TrainingHost>(fields.object("host"), "manifest.host", wrong);
  if (json.is_object() && json.contains("plugins")) {
    const files::Json& plugins = fields.array("plugins");
    for (std::size_t i = 0; i < plugins.size(); ++i)
      results.plugins.push_back(
          read_fields<runs::PluginUsed>(plugins[i], element("manifest.plugins", i), wrong));
  }
  const files::Json& environments = fields.array("environments");
  for (std::size_t e = 0; e < environments.size(); ++e)
    results.environments.push_back(
        read_env(environments[e], element("manifest.environments", e), results.version, wrong));
}

/// The rows of an entry; every list has one value per episode.
std::vector<EpisodeResult> read_rows(files::JsonFields& fields, const EnvFacts& env,
                                     Violations& wrong) {
  std::vector<std::uint64_t> ids, decisions, events;
  fields.take("episode_ids", ids);
  fields.take("episode_decisions", decisions);
  fields.take("episode_events", events);
  std::vector<EpisodeResult> rows(ids.size());
  const std::string where = fields.where();
  if (decisions.size() != ids.size() || events.size() != ids.size()) {
    wrong.add(where + ": episode_ids, episode_decisions and episode_events differ in length");
    return {};
  }
  for (std::size_t i = 0; i < ids.size(); ++i)
    rows[i] = {.id = ids[i], .decisions = decisions[i], .events = events[i]};
  files::JsonFields columns(fields.object("per_episode"), where + ".per_episode", wrong);
  for (const Metric& metric : env.metrics) {
    std::vector<double> values;
    columns.take(metric.name.c_str(), values);
    if (values.size() != rows.size()) {
      wrong.add(where + ".per_episode." + metric.name + ": has " + std::to_string(values.size()) +
                " values for " + std::to_string(rows.size()) + " episodes");
      return {};
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].metrics.push_back(values[i]);
  }
  columns.finish();
  return rows;
}

Training read_training(const files::Json& json, const std::string& where, std::size_t environments,
                       Violations& wrong) {
  Training training;
  std::uint64_t env = 0;
  files::JsonFields fields(json, where, wrong);
  fields.take("agent", training.agent);
  fields.take("environment", env);
  fields.take("seed", training.seed);
  fields.take("decisions", training.decisions);
  fields.take("episodes", training.episodes);
  fields.take("cpu_s", training.cpu_s);
  fields.take("wall_s", training.wall_s);
  fields.take("error", training.error);
  fields.finish();
  if (env >= environments)
    wrong.add(where + ".environment: is not the number of one of the environments");
  else
    training.env = env;
  return training;
}

/// The agents that do not fit an environment; nothing where the suite has no agents.
void read_unfit(const files::Json& json, BenchResults& results, Violations& wrong) {
  files::JsonFields agents(json, "agents", wrong);
  const files::Json& all = agents.array("unfit");
  for (std::size_t i = 0; i < all.size(); ++i) {
    Unfit unfit;
    std::uint64_t env = 0;
    const std::string where = element("agents.unfit", i);
    files::JsonFields fields(all[i], where, wrong);
    fields.take("agent", unfit.agent);
    fields.take("environment", env);
    fields.take("reason", unfit.reason);
    fields.finish();
    unfit.env = env;
    if (env >= results.environments.size())
      wrong.add(where + ".environment: is not the number of one of the environments");
    results.unfit.push_back(std::move(unfit));
  }
}

Entry read_entry(const files::Json& json, const std::string& where, const BenchResults& results,
                 Violations& wrong) {
  Entry entry;
  std::uint64_t env = 0;
  files::JsonFields fields(json, where, wrong);
  fields.take("environment", env);
  fields.take("policy", entry.policy);
  fields.take("baseline", entry.baseline);
  fields.optional(results.version < 2).take("bound", entry.bound);
  fields.optional(false);
  fields.take("wall_s", entry.wall_s);
  entry.files = read_files(fields.array("files"), where + ".files", results.version, wrong);
  if (json.is_object() && json.contains("training"))
    entry.training = read_training(fields.object("training"), where + ".training",
                                   results.environments.size(), wrong);
  if (env >= results.environments.size()) {
    wrong.add(where + ".environment: is not the number of one of the environments");
    return entry;
  }
  entry.env = env;
  entry.episodes = read_rows(fields, results.environments[env], wrong);
  if (!std::ranges::is_sorted(entry.episodes, std::less_equal<>{}, &EpisodeResult::id))
    wrong.add(where + ".episode_ids: are not ascending");
  return entry;
}

EpisodeFailure read_failure(const files::Json& json, const std::string& where, std::size_t entries,
                            Violations& wrong) {
  EpisodeFailure failure;
  std::uint64_t entry = 0;
  files::JsonFields fields(json, where, wrong);
  fields.take("result", entry);
  fields.take("first_episode", failure.first);
  fields.take("episodes", failure.count);
  fields.take("error", failure.error);
  if (entry >= entries) wrong.add(where + ".result: is not the number of one of the results");
  failure.entry = entry;
  return failure;
}

void check_shape(const BenchResults& results, Violations& wrong) {
  const auto& environments = results.suite.environments;
  if (environments.size() != results.environments.size())
    return wrong.add("manifest.environments: are not as many as those of the suite");
  for (std::size_t e = 0; e < environments.size(); ++e)
    for (const std::string& name : environments[e].metrics)
      if (metric_index(results.environments[e], name) == results.environments[e].metrics.size())
        wrong.add(element("suite.environments", e) + ".metrics: there is no \"" + name + '"');
}

BenchResults results_of(const files::Json& json, const std::string& file) {
  BenchResults results;
  Violations wrong;
  files::JsonFields fields(json, file, wrong);
  fields.take("version", results.version);
  const files::Json& suite = fields.object("suite");
  wrong.throw_if_any(Errc::bad_file);
  results.suite = parse_suite(suite.dump(), file + ": suite");
  read_manifest(fields.object("manifest"), results, wrong);
  fields.take("interrupted", results.interrupted);
  check_shape(results, wrong);
  wrong.throw_if_any(Errc::bad_file);
  const files::Json& entries = fields.array("results");
  for (std::size_t i = 0; i < entries.size(); ++i)
    results.entries.push_back(read_entry(entries[i], element("results", i), results, wrong));
  const files::Json& failures = fields.array("failures");
  for (std::size_t i = 0; i < failures.size(); ++i)
    results.failures.push_back(
        read_failure(failures[i], element("failures", i), entries.size(), wrong));
  if (!results.suite.agents.empty()) read_unfit(fields.object("agents"), results, wrong);
  wrong.throw_if_any(Errc::bad_file);
  return results;
}

/// The rows of each entry have the hash that stands beside them. Version 1 has no such hashes.
void check_hashes(const files::Json& json, const BenchResults& results, const std::string& file,
                  Violations& wrong) {
  for (std::size_t i = 0; results.version > 1 && i < results.entries.size(); ++i) {
    const files::Json& entry = json["results"][i];
    const std::string given = rows_sha256(results, results.entries[i]);
    if (entry.contains("rows_sha256") && entry["rows_sha256"] == files::Json(given)) continue;
    wrong.add(file + ": " + element("results", i) +
              ".rows_sha256: is not that of the rows; park bench verify names what was changed");
  }
}

}  // namespace

BenchResults parse_results(std::string_view text, const std::string& file) {
  BenchResults results =
      results_of(files::parse_document(text, file, kResultsSchema, kResultsVersion), file);
  results.folder = std::filesystem::path(file).parent_path().string();
  return results;
}

BenchResults read_results(const std::string& path) {
  const files::Json json = files::parse_document(files::read_whole(path, kMostBytes), path,
                                                 kResultsSchema, kResultsVersion);
  BenchResults results = results_of(json, path);
  results.folder = std::filesystem::path(path).parent_path().string();
  Violations wrong;
  check_hashes(json, results, path, wrong);
  wrong.throw_if_any(Errc::bad_file);
  return results;
}

}  // namespace park::bench
