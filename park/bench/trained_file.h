#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "park/bench/agents.h"
#include "park/runs/manifest.h"

namespace park::bench {

/// trained.json of a job's folder.
struct TrainedFile {
  enum class State : std::uint8_t { begun, ended, unfit };
  State state = State::begun;
  std::string asked{};  ///< asked_text of what it was begun for
  /// What it took; `error` also says why an agent does not fit. The environment is that of the job.
  Training training{};
};

/// All that decides what a training gives, as one text.
[[nodiscard]] std::string asked_text(const Suite&, const TrainingJob&);

/// What `park train` is to do. Throws Error{unavailable} without LibTorch, Error{invalid_config} and
/// the like where the texts are wrong or the agent does not fit.
[[nodiscard]] runs::TrainSettings training_settings(const Registry&, const BenchResults&,
                                                    const TrainingJob&);

/// A line for each setting of a training that is another one than the suite asks for.
[[nodiscard]] std::vector<std::string> compare_settings(const runs::TrainSettings& asked,
                                                        const runs::TrainSettings& found);

[[nodiscard]] bool has_trained(const std::filesystem::path& folder);
/// Throws Error{io} where there is none, Error{bad_file} with a line per violation.
[[nodiscard]] TrainedFile read_trained(const std::filesystem::path& folder);
void write_trained(const std::filesystem::path& folder, const TrainedFile&);

}  // namespace park::bench
