#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/runs/host.h"
#include "park/runs/iteration_report.h"
#include "park/runs/manifest.h"
#include "park/runs/module.h"

namespace park::runs {

/// Follows a training and may end it.
class TrainWatcher {
 public:
  virtual ~TrainWatcher() = default;
  /// Asked between iterations and during validations; what is finished is kept.
  [[nodiscard]] virtual bool stop() { return false; }
  virtual void on_iteration(const Manifest&, const IterationReport&, double decisions_per_s) {
    static_cast<void>(decisions_per_s);
  }
  /// The last validation of the manifest.
  virtual void on_validation(const Manifest&) {}
  virtual void warn(const std::string&) {}
};

/// A training in a folder:
///     manifest.json    settings, host and progress (schema park.run)
///     metrics.jsonl    a line per iteration and per validation
///     tensorboard/     the same as curves
///     latest/          the checkpoint from which it continues
///     best/            the policy with the best validation so far
///     checkpoints/     policies that are kept: 000100/, 000200/, ...
///     failed_batch.safetensors   after a result that is not a finite number
struct TrainPlan {
  std::filesystem::path folder;
  bool resume = false;     ///< from folder/latest, with settings that check_resume accepts
  bool overwrite = false;  ///< removes the files of an earlier run, unless the new one is refused
  TrainSettings settings;
  std::vector<std::string> command;  ///< for the manifest of a new run
  TrainingHost host;
  std::vector<PluginUsed> plugins{};  ///< for the manifest
  double checkpoint_every_s =
      120;  ///< wall time between two checkpoints, at most an iteration more
  std::function<double()> cpu_s = &process_cpu_s;
  std::function<double()> clock_s = &monotonic_s;  ///< wall time
};

/// Throws Error{io} if the folder cannot become that of a new run; `overwrite` allows an earlier
/// run there.
void check_new_run(const std::filesystem::path&, bool overwrite);

/// The manifest of the checkpoint from which a run continues; another process may be writing it.
/// Throws as read_checkpoint.
[[nodiscard]] Manifest resumable(const std::filesystem::path& folder);
/// Throws Error{invalid_config} with a line for each changed value that a continued run must keep.
/// These are all settings but its end (iterations, budget_s, wall_s, decisions). The environment's
/// version, layout and data are such values too, and so are the files of a teacher, of exploration
/// and of Mixture::scale_by. Runs of earlier versions do not know the last ones and continue.
void check_resume(const Manifest&, const TrainSettings&, const Registry&);

struct TrainOutcome {
  Manifest manifest;
  bool finished = false;  ///< else it was stopped
};

/// Trains until the settings' end or until the watcher stops it; both leave a checkpoint. With
/// --iterations or --decisions an interrupted training gives the same bits as an uninterrupted one. A schedule by
/// the time depends on the machine's speed. Throws Error{not_finite} with the iteration in one
/// line; the batch then is in the folder. Throws Error{unavailable} if another process trains
/// there, and the errors of reading and writing files.
[[nodiscard]] TrainOutcome train(const Registry&, Module&, const TrainPlan&, TrainWatcher&);

}  // namespace park::runs
