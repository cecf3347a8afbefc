#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "park/core/system_env.h"
#include "park/envs/dag_scheduling/job_log.h"
#include "systems/spark/cluster_report.h"
#include "systems/spark/report_row.h"

namespace park::spark {

/// The sums that a driver sends, as what is new in each message.
class DriverSums {
 public:
  /// What was before the first message is no part of it. Throws Failed{malformed}.
  explicit DriverSums(wire::Progress::Reader first);

  struct News {
    double job_seconds = 0, elapsed_s = 0, busy_s = 0;
    std::uint64_t moves = 0;
    bool fell_back = false;  ///< Spark's own order decided in between
  };
  /// Throws Failed{malformed}.
  [[nodiscard]] News take(wire::Progress::Reader);
  /// By the driver's clock.
  [[nodiscard]] double time_s() const noexcept { return time_s_; }
  /// Offers that were to be decided by an agent and went by Spark's own order, since the first.
  [[nodiscard]] std::uint64_t fallbacks() const noexcept { return fallbacks_ - fallbacks_begin_; }

 private:
  double time_s_, job_seconds_, busy_s_;
  std::uint64_t moves_, fallbacks_, fallbacks_begin_;
};

/// An episode: the questions to its decider, what has come of the answers, and the figures of its
/// end. One thread at a time.
class EpisodeAccount {
 public:
  EpisodeAccount(Decider&, const Spec&, const Episode&);
  /// Closes the episode as truncated where it is open.
  ~EpisodeAccount();
  EpisodeAccount(const EpisodeAccount&) = delete;
  EpisodeAccount& operator=(const EpisodeAccount&) = delete;

  /// What came since the last call.
  void take(const DriverSums::News&);
  void arrived(double at_s);
  /// A job has ended; `arrival_s` by the clock of the episode.
  void ended(wire::EndedJob::Reader, double arrival_s);
  /// Asks until the slots of the source are handed out or no stage can use them. Returns whether
  /// the decider had no answer.
  bool hand_out(ClusterReport&, Deadline,
                const std::function<void(std::size_t stage, std::uint32_t slots)>& granted);
  /// The time of the episode's clock, and the slots that there are from then on.
  void saw(double time_s, std::uint32_t slots) noexcept;
  void close(End);
  [[nodiscard]] bool is_open() const noexcept { return open_; }

 private:
  Decider& decider_;
  Context context_;
  ReportRow row_;
  Batch action_;
  std::vector<double> metrics_;  // of its end
  Outcome owed_{};               // since the last question
  std::optional<double> first_arrival_s_;
  double last_arrival_s_ = 0, time_s_ = 0, busy_s_ = 0;
  double slot_s_ = 0;  // of all slots, since the first arrival
  std::uint64_t moves_ = 0;
  std::uint32_t slots_ = 0, most_slots_ = 1;
  dag_scheduling::JobLog log_;
  bool open_ = true;
};

}  // namespace park::spark
