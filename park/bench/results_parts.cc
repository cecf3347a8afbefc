#include "park/bench/results_parts.h"

namespace park::bench {
namespace {

using PartsLayout = JsonWriter::Layout;

/// A struct whose fields are texts and numbers.
template <class T>
void write_fields(JsonWriter& json, const T& value, PartsLayout layout) {
  json.begin_object(layout);
  T::fields(value, [&](std::string_view name, const auto& field) { json.member(name, field); });
  json.end_object();
}

void write_env(JsonWriter& json, const EnvFacts& env) {
  json.begin_object().member("env", env.text).member("version", env.version);
  json.member("layout_hash", env.layout_hash).key("config").begin_object();
  for (const auto& [name, text] : env.config) json.member(name, text);
  json.end_object().key("metrics");
  write_metrics(json, env.metrics);
  json.key("data");
  write_files(json, env.data);
  json.end_object();
}

void write_config(JsonWriter& json, const char* key,
                  const std::vector<std::pair<std::string, std::string>>& config) {
  json.key(key).begin_object();
  for (const auto& [name, text] : config) json.member(name, text);
  json.end_object();
}

void write_tuning(JsonWriter& json, const SuiteTuning& tuning) {
  json.key("tuning").begin_object();
  if (!tuning.training.empty()) write_config(json, "training", tuning.training);
  if (!tuning.validation.empty()) write_config(json, "validation", tuning.validation);
  json.key("tuned").begin_array();
  for (const TunedBaseline& one : tuning.tuned) {
    json.begin_object().member("policy", one.policy).member("command", one.command);
    json.member("episodes", one.episodes).member("tries", one.tries).end_object();
  }
  json.end_array().end_object();
}

void write_suite_env(JsonWriter& json, const SuiteEnv& env) {
  json.begin_object().member("env", env.name).member("version", env.version);
  write_config(json, "config", env.config);
  json.member("episodes", env.episodes);
  json.key("metrics").values(env.metrics).key("baselines").values(env.baselines);
  json.key("policies").values(env.policies).key("timeline").values(env.timeline);
  if (!env.bound.empty()) json.member("bound", env.bound);
  const SuiteTuning& tuning = env.tuning;
  if (!tuning.tuned.empty() || !tuning.training.empty() || !tuning.validation.empty())
    write_tuning(json, tuning);
  json.end_object();
}

void write_agents(JsonWriter& json, const Suite& suite) {
  json.key("agents").begin_array();
  for (const SuiteAgent& agent : suite.agents) {
    json.begin_object(PartsLayout::line).member("agent", agent.name);
    const auto add = [&](const char* name, const std::string& text) {
      if (!text.empty()) json.member(name, text);
    };
    add("train", agent.train);
    add("baseline", agent.baseline);
    add("network", agent.network);
    if (!agent.command.empty()) json.key("command").values(agent.command);
    add("policy", agent.policy);
    json.end_object();
  }
  const SuiteTraining& training = suite.training;
  json.end_array().key("training").begin_object(PartsLayout::line);
  json.member("decisions", training.decisions).member("seeds", training.seeds);
  json.member("validations", training.validations);
  json.member("validation_episodes", training.validation_episodes);
  json.member("transfer", training.transfer).end_object();
}

}  // namespace

/// Nothing where there is none, as in files from before there were plug-ins.
void write_plugins(JsonWriter& json, const std::vector<runs::PluginUsed>& plugins) {
  if (plugins.empty()) return;
  json.key("plugins").begin_array();
  for (const runs::PluginUsed& plugin : plugins) write_fields(json, plugin, PartsLayout::line);
  json.end_array();
}

void write_metrics(JsonWriter& json, const std::vector<Metric>& metrics) {
  json.begin_array();
  for (const Metric& metric : metrics) {
    json.begin_object(PartsLayout::line).member("name", metric.name).member("unit", metric.unit);
    json.member("better", metric.lower_is_better ? "lower" : "higher");
    json.member("doc", metric.doc).end_object();
  }
  json.end_array();
}

void write_files(JsonWriter& json, const std::vector<runs::DataFile>& files) {
  json.begin_array();
  for (const runs::DataFile& file : files) write_fields(json, file, PartsLayout::line);
  json.end_array();
}

void write_suite(JsonWriter& json, const Suite& suite) {
  json.begin_object().member("schema", kSuiteSchema).member("version", kSuiteVersion);
  json.member("name", suite.name).member("summary", suite.summary).member("seed", suite.seed);
  if (!suite.agents.empty()) write_agents(json, suite);
  json.key("environments").begin_array();
  for (const SuiteEnv& env : suite.environments) write_suite_env(json, env);
  json.end_array().end_object();
}

void write_manifest(JsonWriter& json, const BenchResults& results) {
  json.key("manifest").begin_object().member("started", results.started);
  json.key("command").values(results.command).key("host");
  write_fields(json, results.host, PartsLayout::lines);
  write_plugins(json, results.plugins);
  json.key("environments").begin_array();
  for (const EnvFacts& env : results.environments) write_env(json, env);
  json.end_array().end_object().key("suite");
  write_suite(json, results.suite);
}

}  // namespace park::bench
