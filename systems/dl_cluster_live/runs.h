// The processes of jobs. A run is the time that a job trains with one number of workers. Runs hand
// out cores, tell the trainer what to start and end, and watch deadlines. LiveCluster and the
// measurement of speeds own one and ask for events.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "park/core/system_env.h"
#include "systems/dl_cluster_live/messages.h"
#include "systems/dl_cluster_live/trainer_process.h"

namespace park::dl_cluster_live {

/// Seconds of real time after which something that has not happened has failed.
struct RunLimits {
  double start_s = 60;      ///< its workers know one another
  double stall_s = 30;      ///< a step is done
  double stop_s = 20;       ///< a checkpoint is written as ordered
  double end_s = 10;        ///< a process has ended
  double report_s = 0.05;   ///< between two reports of a run
  double checkpoint_s = 2;  ///< between two checkpoints of a run
};

struct RunRequest {
  std::int32_t kind = kMlp;
  std::int32_t workers = 1, servers = 0;
  std::int64_t steps = 1;  ///< at which the job is finished
  std::uint64_t seed = 1;
  std::filesystem::path folder{};  ///< of the job; made where it is not there
};

struct RunEvent {
  enum class What {
    started,   ///< trains from `step` on
    progress,  ///< `step` steps are done
    stopped,   ///< as asked for, with a checkpoint of `step`
    finished,  ///< all steps are done
    failed,    ///< a process has ended by itself or was killed, or a limit has passed
  };
  What what = What::failed;
  std::int32_t run = 0;
  std::int64_t step = 0;
  double time_s = 0;  ///< on the clock of Clock
  double cpu_s = 0;   ///< of the first worker's thread
};

/// Runs of jobs on cores, each task on a core of its own as long as the machine has that many. One
/// thread. All processes end with this object.
class Runs {
 public:
  /// Throws what TrainerProcess throws.
  Runs(const RunLimits&, std::int32_t cores, std::filesystem::path folder, std::stop_token);

  /// Cores without a process.
  [[nodiscard]] std::int32_t free_cores() const noexcept;
  /// The number of a new run. REQUIRES as many free cores as it has workers and servers.
  std::int32_t start(const RunRequest&);
  /// Asks for a checkpoint and the end.
  void stop(std::int32_t run);
  /// Ends it, without further events.
  void kill(std::int32_t run);
  /// Ends all and waits until they have.
  void end_all();
  /// What happens next, or nothing within that time or at a stop. A run that has failed has no
  /// process left. Throws what TrainerProcess throws where the trainer has died and cannot be
  /// started again.
  [[nodiscard]] std::optional<RunEvent> next(Clock::duration most);

  [[nodiscard]] std::int32_t cores() const noexcept {
    return static_cast<std::int32_t>(busy_.size());
  }
  /// Whether a stop has been requested.
  [[nodiscard]] bool stopping() const noexcept { return stop_.stop_requested(); }
  [[nodiscard]] const std::filesystem::path& folder() const noexcept { return folder_; }

 private:
  enum class State { starting, running, stopping, over, failed, killed };
  struct Run {
    std::int32_t number = 0;
    State state = State::starting;
    std::vector<std::int32_t> cores{};
    std::int32_t alive = 0;  // processes
    Deadline until{};        // of the state
    bool told_to_end = false;
  };

  [[nodiscard]] Run* find(std::int32_t number);
  void enter(Run&, State, double most_s);
  void end(Run&);
  void take(const Report&);
  void take_end(Run&, const Report&);
  void check_deadlines();
  void remove(std::int32_t number);
  /// With all runs failed.
  void restart_trainer();
  void tell(RunEvent::What, const Report&);

  RunLimits limits_;
  std::filesystem::path folder_;
  std::stop_token stop_;
  std::vector<std::int32_t> cpus_;  // that this process may use
  std::vector<char> busy_;          // [cores]
  std::vector<Run> runs_;
  std::deque<RunEvent> events_;
  std::int32_t started_ = 0;
  std::unique_ptr<TrainerProcess> trainer_;
};

}  // namespace park::dl_cluster_live
