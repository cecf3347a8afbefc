// The trainings of a suite as files. A job's folder begins with trained.json, which says what is asked
// for and how far that is; the policy lies beside it. training_jobs counts the jobs, add_agents makes
// entries of what lies in the folders, check_trainings reads the checkpoints themselves.
// train_agents.cc trains. `park bench` trains, then adds; `park bench verify` adds and checks.
#include "park/bench/agents.h"

#include <algorithm>
#include <concepts>
#include <filesystem>

#include "park/bench/trained_file.h"
#include "park/core/text.h"
#include "park/runs/checkpoint.h"
#include "park/runs/data_files.h"
#include "park/runs/module.h"

namespace park::bench {
namespace {

namespace fs = std::filesystem;

using Lines = std::vector<std::string>;

/// The environments that a policy of a job plays: its own one first, then those of its layout.
std::vector<std::size_t> played_by(const BenchResults& results, std::size_t env) {
  std::vector<std::size_t> all{env};
  if (!results.suite.training.transfer) return all;
  const std::string &name = results.suite.environments[env].name,
                    &layout = results.environments[env].layout_hash;
  for (std::size_t e = 0; e < results.environments.size(); ++e)
    if (e != env && results.suite.environments[e].name == name &&
        results.environments[e].layout_hash == layout)
      all.push_back(e);
  return all;
}

void add_entries(const Registry& registry, const TrainingJob& job, const TrainedFile& trained,
                 BenchResults& results) {
  Entry entry{.policy = job_folder(results.suite, job), .training = trained.training};
  entry.training->env = job.env;
  const std::string& file = results.suite.agents[job.agent].policy;
  if (!file.empty()) entry.policy += '/' + file;
  if (entry.training->error.empty())
    entry.files = runs::describe_files(registry.policy_files(playable(results, entry)));
  for (const std::size_t e : played_by(results, job.env)) {
    entry.env = e;
    results.entries.push_back(entry);
  }
}

/// The settings that make a training what it is, with their names. An environment of validations that
/// is that of the training may be named or not.
std::vector<std::pair<std::string, std::string>> named_settings(runs::TrainSettings settings) {
  settings.validate_on = settings.validation_env();
  std::vector<std::pair<std::string, std::string>> all;
  runs::TrainSettings::fields(settings, [&]<class T>(std::string_view name, const T& value) {
    if constexpr (std::integral<T>)
      all.emplace_back(name, std::to_string(value));
    else if constexpr (std::floating_point<T>)
      all.emplace_back(name, number_text(value));
    else
      all.emplace_back(name, value.empty() ? "nothing" : value);
  });
  return all;
}

/// The run of an entry: its latest checkpoint knows all of it, its best one is what plays.
void check_run(const Registry& registry, const BenchResults& results, const Entry& entry,
               Lines& lines) {
  const Training& training = *entry.training;
  const auto add = [&](const std::string& line) { lines.push_back(entry.policy + ": " + line); };
  const auto agent = std::ranges::find(results.suite.agents, training.agent, &SuiteAgent::name);
  const TrainingJob job{static_cast<std::size_t>(agent - results.suite.agents.begin()),
                        training.env, training.seed};
  const fs::path folder = fs::path(results.folder) / entry.policy;
  const runs::Manifest latest =
      runs::read_checkpoint(folder / "latest", runs::Parts::policy).manifest;
  const runs::Manifest best = runs::read_checkpoint(folder / "best", runs::Parts::policy).manifest;
  const runs::TrainSettings asked = training_settings(registry, results, job);
  std::ranges::for_each(compare_settings(asked, latest.settings), add);
  std::ranges::for_each(compare_settings(latest.settings, best.settings), add);
  if (latest.progress.decisions != training.decisions)
    add("training took " + std::to_string(latest.progress.decisions) + " decisions, recorded " +
        std::to_string(training.decisions));
  if (latest.progress.decisions < results.suite.training.decisions) add("training is not finished");
  const runs::ValidationPoint* found = latest.best();
  if (found == nullptr || found->at.iteration != best.progress.iteration)
    add("best is not the policy with the best validation");
}

}  // namespace

std::vector<TrainingJob> training_jobs(const Suite& suite) {
  std::vector<TrainingJob> jobs;
  for (std::size_t a = 0; a < suite.agents.size(); ++a)
    for (std::size_t e = 0; e < suite.environments.size(); ++e)
      for (std::uint64_t seed = 1; seed <= suite.training.seeds; ++seed)
        jobs.push_back({a, e, seed});
  return jobs;
}

std::string job_folder(const Suite& suite, const TrainingJob& job) {
  return "agents/" + suite.agents[job.agent].name + '/' + std::to_string(job.env) + '-' +
         suite.environments[job.env].name + "/seed-" + std::to_string(job.seed);
}

runs::TrainSettings training_settings(const Registry& registry, const BenchResults& results,
                                      const TrainingJob& job) {
  const SuiteAgent& agent = results.suite.agents[job.agent];
  const SuiteEnv& env = results.suite.environments[job.env];
  const SuiteTraining& training = results.suite.training;
  const runs::TrainingTexts texts = runs::load_module().canonical(
      registry, {env.training_text(), agent.train, agent.baseline, agent.network});
  runs::TrainSettings settings;
  settings.env = texts.env;
  settings.algorithm = texts.algorithm;
  settings.baseline = texts.baseline;
  settings.network = texts.network;
  settings.seed = job.seed;
  settings.decisions = training.decisions;
  settings.validate_every = 1 / static_cast<double>(training.validations);
  settings.validation_episodes = training.validation_episodes;
  const std::string validation = registry.canonical_env(env.validation_text());
  if (validation != settings.env) settings.validate_on = validation;
  return settings;
}

void check_agents(const Registry& registry, const BenchResults& results, Violations& wrong) {
  for (std::size_t a = 0; a < results.suite.agents.size(); ++a) {
    if (results.suite.agents[a].train.empty()) continue;
    std::string why;
    bool fits = false;
    for (std::size_t e = 0; e < results.suite.environments.size() && !fits; ++e) try {
        static_cast<void>(training_settings(registry, results, {a, e, 1}));
        fits = true;
      } catch (const Error& error) {
        if (error.code() == Errc::unavailable) throw;
        why = error.what();
      }
    if (!fits) wrong.add("agent " + results.suite.agents[a].name + ": " + why);
  }
}

void add_agents(const Registry& registry, BenchResults& results, Lines& lines) {
  for (const TrainingJob& job : training_jobs(results.suite)) try {
      const std::string folder = job_folder(results.suite, job);
      const TrainedFile trained = read_trained(fs::path(results.folder) / folder);
      if (trained.asked != asked_text(results.suite, job))
        lines.push_back(folder + ": was another training than the suite asks for");
      else if (trained.state == TrainedFile::State::begun)
        lines.push_back(folder + ": the training is not finished");
      else if (trained.state == TrainedFile::State::ended)
        add_entries(registry, job, trained, results);
      else if (job.seed == 1)
        results.unfit.push_back(
            {results.suite.agents[job.agent].name, job.env, trained.training.error});
    } catch (const Error& error) {
      lines.emplace_back(error.what());
    }
  std::ranges::stable_sort(results.entries, {}, &Entry::env);
}

Lines compare_settings(const runs::TrainSettings& asked, const runs::TrainSettings& found) {
  Lines lines;
  const auto in_suite = named_settings(asked), in_run = named_settings(found);
  for (std::size_t i = 0; i < in_suite.size(); ++i) {
    const auto& [name, value] = in_run[i];
    if (value != in_suite[i].second)
      lines.push_back(name + " is " + value + ", but the suite asks for " + in_suite[i].second);
  }
  return lines;
}

Lines check_trainings(const Registry& registry, const BenchResults& results) {
  Lines lines;
  for (const Entry& entry : results.entries) try {
      if (!entry.training || !entry.training->error.empty() || entry.training->env != entry.env)
        continue;
      const auto agent =
          std::ranges::find(results.suite.agents, entry.training->agent, &SuiteAgent::name);
      if (agent != results.suite.agents.end() && !agent->train.empty())
        check_run(registry, results, entry, lines);
    } catch (const Error& error) {
      lines.push_back(entry.policy + ": " + error.what());
    }
  return lines;
}

}  // namespace park::bench
