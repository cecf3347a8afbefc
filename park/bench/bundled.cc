#include "park/bench/bundled.h"

#include <algorithm>

#include "park/core/error.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace park::bench {
namespace {

std::string list_text(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& one : list) text += (text.empty() ? "" : ", ") + one;
  return text;
}

std::string named(const std::string& policy) { return policy.empty() ? "none" : policy; }

/// How the baselines were tuned, as one text.
std::string tuning_text(const SuiteTuning& tuning) {
  std::string text;
  for (const TunedBaseline& one : tuning.tuned)
    text += (text.empty() ? "" : ", ") + one.policy + " by " + one.command + " in " +
            std::to_string(one.tries) + " tries of " + std::to_string(one.episodes) + " episodes";
  return text.empty() ? "nothing" : text;
}

std::string agent_text(const SuiteAgent& agent) {
  std::string text = agent.name + ": " + agent.train;
  for (const std::string& word : agent.command) text += word + ' ';
  for (const std::string* part : {&agent.baseline, &agent.network, &agent.policy})
    if (!part->empty()) text += ", " + *part;
  return text;
}

/// An environment in canonical form: a record from before a field came has its default. One that is
/// not of this build, or is wrong, is compared as it is.
std::string canonical(const std::string& env) {
  static const Registry* const all = [] {
    auto* r = new Registry;
    envs::register_all(*r);
    return r;
  }();
  try {
    return all->canonical_env(env);
  } catch (const Error&) {
    return env;
  }
}

/// The agents and their budget, as one text.
std::string agents_text(const Suite& suite) {
  const SuiteTraining& training = suite.training;
  std::vector<std::string> all;
  for (const SuiteAgent& agent : suite.agents) all.push_back(agent_text(agent));
  return all.empty() ? "none"
                     : list_text(all) + ", " + std::to_string(training.decisions) + " decisions, " +
                           std::to_string(training.seeds) + " seeds, " +
                           std::to_string(training.validations) + " validations of " +
                           std::to_string(training.validation_episodes) + " episodes" +
                           (training.transfer ? ", transfer" : "");
}

/// Compares a suite with the bundled one, value by value.
class Differences {
 public:
  explicit Differences(const std::string& name) : name_(name) {}

  void compare(const std::string& what, const std::string& recorded, const std::string& bundled) {
    if (recorded == bundled) return;
    lines_.push_back("suite: " + what + ": recorded " + recorded + ", but " + name_ + " has " +
                     bundled);
  }
  void compare(const std::string& what, std::uint64_t recorded, std::uint64_t bundled) {
    compare(what, std::to_string(recorded), std::to_string(bundled));
  }
  void compare(const SuiteEnv& recorded, const SuiteEnv& bundled) {
    const std::string front = bundled.name + ": ";
    const std::string recorded_env = canonical(recorded.text()),
                      bundled_env = canonical(bundled.text());
    compare(front + "environment", recorded_env, bundled_env);
    compare(front + "version", recorded.version, bundled.version);
    compare(front + "episodes", recorded.episodes, bundled.episodes);
    compare(front + "metrics", list_text(recorded.metrics), list_text(bundled.metrics));
    compare(front + "baselines", list_text(recorded.baselines), list_text(bundled.baselines));
    compare(front + "bound", named(recorded.bound), named(bundled.bound));
    compare(front + "tuning", tuning_text(recorded.tuning), tuning_text(bundled.tuning));
    if (recorded_env != bundled_env) return;  // those of training follow from them
    compare(front + "training environment", canonical(recorded.training_text()),
            canonical(bundled.training_text()));
    compare(front + "validation environment", canonical(recorded.validation_text()),
            canonical(bundled.validation_text()));
  }
  [[nodiscard]] std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  std::string name_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> changes_of_bundled(const Suite& suite) {
  const std::vector<std::string> names = bundled_suites();
  if (std::ranges::find(names, suite.name) == names.end()) return {};
  const Suite bundled = read_suite(suite.name);
  Differences all(suite.name);
  all.compare("seed", suite.seed, bundled.seed);
  all.compare("agents", agents_text(suite), agents_text(bundled));
  all.compare("environments", suite.environments.size(), bundled.environments.size());
  const std::size_t both = std::min(suite.environments.size(), bundled.environments.size());
  for (std::size_t e = 0; e < both; ++e)
    all.compare(suite.environments[e], bundled.environments[e]);
  return std::move(all).lines();
}

}  // namespace park::bench
