#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "park/bench/bench_results.h"
#include "park/core/registry.h"

namespace park::bench {

/// A training that a suite asks for. Its folder, within that of the results, then has the policy and
/// trained.json (schema park.trained): what was asked for, and what it took.
struct TrainingJob {
  std::size_t agent = 0, env = 0;  ///< numbers in the suite
  std::uint64_t seed = 1;
};

/// Agent by agent, environment by environment, seed by seed.
[[nodiscard]] std::vector<TrainingJob> training_jobs(const Suite&);

/// "agents/ppo/2-load_balance/seed-1": below the folder of the results, and the policy's name there.
[[nodiscard]] std::string job_folder(const Suite&, const TrainingJob&);

/// Adds a line for each agent whose texts are wrong, or that fits no environment of the suite. Throws
/// Error{unavailable} where Park is to train and has no LibTorch.
void check_agents(const Registry&, const BenchResults&, Violations&);

/// Follows trainings; each is called from any thread, one call at a time, but for stop.
struct AgentWatch {
  std::function<bool()> stop{};  ///< asked often, from any thread
  std::function<void(const TrainingJob&, std::uint64_t decisions)> on_iteration{};
  std::function<void(const TrainingJob&, const Training&)> on_end{};
  std::function<void(const std::string&)> warn{};
};

/// Trains each agent in each environment with each seed, as threads are free; results.folder must be
/// there. A training that has ended is left as it is, and one that failed is tried again. One that
/// was interrupted continues from its latest checkpoint; that of an outside command begins anew.
/// True: all have ended. Throws Error{invalid_config} where a folder has another training.
[[nodiscard]] bool train_agents(const Registry&, const BenchResults&, std::uint32_t threads,
                                const AgentWatch&);

/// Adds the trained policies that are in results.folder to the entries. Each is added in the
/// environment that it was trained on and, with transfer, in all settings of that environment. A
/// line for each training that is not there, or was another one.
void add_agents(const Registry&, BenchResults&, std::vector<std::string>& lines);

/// A line for each fact in which the checkpoints of the trainings differ from the results. The
/// facts are the settings of the training, how many decisions it took, and which policy was the
/// best.
[[nodiscard]] std::vector<std::string> check_trainings(const Registry&, const BenchResults&);

}  // namespace park::bench
