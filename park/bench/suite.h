#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace park::bench {

constexpr const char* kSuiteSchema = "park.suite";
constexpr int kSuiteVersion = 1;  ///< version of the file's form

/// A baseline whose fields were tuned, and how.
struct TunedBaseline {
  std::string policy{};        ///< one of the baselines
  std::string command{};       ///< that finds its fields again
  std::uint64_t episodes = 0;  ///< training episodes of each try
  std::uint64_t tries = 0;     ///< assignments of fields that were tried
};

/// How the fields of an environment's baselines were chosen.
struct SuiteTuning {
  /// Fields of the environment that are otherwise on training and on validation inputs: field, text
  /// of its value.
  std::vector<std::pair<std::string, std::string>> training{}, validation{};
  std::vector<TunedBaseline> tuned{};
};

/// One environment of a suite and what plays there.
struct SuiteEnv {
  std::string name{};                                         ///< name of the environment
  std::uint64_t version = 0;                                  ///< required version; 0: any
  std::vector<std::pair<std::string, std::string>> config{};  ///< field, text of its value
  std::uint64_t episodes = 0;
  std::vector<std::string> metrics{};  ///< reported metrics; the first one is the score
  std::vector<std::string>
      baselines{};                      ///< "random" and heuristics: scores count from 0 to 1 there
  std::vector<std::string> policies{};  ///< others that are judged
  std::vector<std::string> timeline{};  ///< whose first episode the report shows
  std::string bound{};   ///< the one of `policies` that no policy can beat; empty: none is known
  SuiteTuning tuning{};  ///< of the baselines; empty: not told

  /// The environment's text, such as load_balance(servers=10,jobs=100).
  [[nodiscard]] std::string text() const;
  /// The environment of training and of validation inputs: `tuning` may say how they differ. Where it
  /// says nothing of validation, that is as training.
  [[nodiscard]] std::string training_text() const;
  [[nodiscard]] std::string validation_text() const;
  /// Baselines, then the others.
  [[nodiscard]] std::vector<std::string> all_policies() const;
};

/// An algorithm that a suite trains on each of its environments. Either Park trains it, or a command
/// does.
struct SuiteAgent {
  std::string name{};                  ///< letters, digits, _ . -
  std::string train{};                 ///< algorithm, such as ppo(rollouts=8)
  std::string baseline{};              ///< empty: what suits the algorithm
  std::string network{};               ///< empty: what suits the environment
  std::vector<std::string> command{};  ///< words of an outside trainer (outside_trainer.h)
  std::string
      policy{};  ///< file that the command leaves in its folder: a policy, such as policy.onnx
};

/// The budget of every agent in every environment.
struct SuiteTraining {
  std::uint64_t decisions = 0;    ///< a training ends with the iteration that reaches so many
  std::uint64_t seeds = 0;        ///< trainings of each agent and environment, of seeds 1, 2, ...
  std::uint64_t validations = 4;  ///< evenly over the training; the best policy of these is judged
  std::uint64_t validation_episodes = 20;
  /// Each trained policy also plays the suite's other settings of its environment, of its layout.
  bool transfer = false;
};

/// The contents of a benchmark: a file of schema park.suite (docs/benchmarks.md).
struct Suite {
  std::string name{}, summary{};
  std::uint64_t seed = 1;
  std::vector<SuiteAgent> agents{};  ///< empty: the suite has policies only
  SuiteTraining training{};
  std::uint64_t position = 0;  ///< of a part: the environments of lower ones come first
  std::vector<SuiteEnv> environments{};
};

/// Throws Error{bad_file}: no JSON, another schema, a newer form, or a line per violation. `file`
/// is the name in errors.
[[nodiscard]] Suite parse_suite(std::string_view text, const std::string& file);

/// The names of the suites that the environments' folders have, sorted. A suite of several
/// environments, such as quick-v2, has a part in the folder of each: a file with its name. What
/// holds for all of them, such as agents, is in a file of park/bench/suites without environments.
[[nodiscard]] std::vector<std::string> bundled_suites();

/// A suite: a file, or a bundled one by its name. Without -vN the name is that of the newest version, and
/// so is that of a version that was replaced. Throws Error{unknown_name} with the names that there are.
[[nodiscard]] Suite read_suite(const std::string& name_or_path);

/// Whether it is no file, and the name is that of a bundled suite's older version, which is no longer there.
[[nodiscard]] bool is_replaced_suite(const std::string& name_or_path);

}  // namespace park::bench
