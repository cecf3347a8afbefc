#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "systems/spark/known_durations.h"
#include "systems/spark/spark_wire.h"

namespace park::spark {

/// The most that an agent can see at once: the bounds of its spaces.
struct ReportLimits {
  std::uint32_t executors = 1, jobs = 1, stages = 1, edges = 1;
};

/// A stage of a job in the system. Times are in seconds.
struct StageReport {
  std::uint32_t id = 0;   ///< the driver's
  std::uint32_t job = 0;  ///< element of the jobs
  std::uint32_t tasks = 0, left = 0, running = 0;
  bool runnable = false, done = false;
  bool measured = false;  ///< here, or known before
  double mean_s = 0;      ///< mean task: known before, else measured, else of the job, else of all
  double last_s = 0, ready_s = -1;
  double critical_s = 0;        ///< its work and the largest chain of work among its descendants
  std::uint32_t committed = 0;  ///< granted in this round
  std::uint32_t moving = 0;     ///< executors on their way to it
  bool chosen = false;          ///< in this round
  bool away = false;            ///< of another application than the slots of the source

  [[nodiscard]] double work_s() const noexcept { return tasks * mean_s; }
  [[nodiscard]] std::uint32_t demand() const noexcept {
    return left > committed + moving ? left - committed - moving : 0;
  }
};

struct JobReport {
  std::uint32_t number = 0;  ///< the driver's; a policy is shown that of JobNumbers
  std::string name{};
  double arrival_s = 0;
  std::uint32_t first = 0, stages = 0;  ///< its elements of the stages
  std::uint32_t running = 0;            ///< tasks
  std::uint32_t committed = 0;          ///< granted in this round
  std::uint32_t moving = 0;             ///< executors on their way to it
};

/// A driver's report of its slots, jobs and stages, and the grants of this round so far.
struct ClusterReport {
  double time_s = 0;
  double moving_delay_s = 0;  ///< of an executor to another application
  std::uint32_t slots = 0, idle = 0;
  std::uint32_t source = 0;      ///< slots to be handed out, those granted included
  std::uint32_t granted = 0;     ///< slots granted so far
  std::uint32_t kept = 0;        ///< slots of the source that no other application may get
  std::int64_t source_job = -1;  ///< element of the jobs
  std::vector<JobReport> jobs{};
  std::vector<StageReport> stages{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges{};  ///< parent, child

  [[nodiscard]] std::uint32_t left() const noexcept { return source - granted; }
  /// What a stage may get.
  [[nodiscard]] std::uint32_t left_for(const StageReport& s) const noexcept {
    const std::uint32_t out_of_reach = s.away ? kept : 0;
    return left() > out_of_reach ? left() - out_of_reach : 0;
  }
  /// A grant to it could be carried out.
  [[nodiscard]] bool legal(const StageReport& s) const noexcept {
    return left_for(s) > 0 && s.runnable && !s.chosen && s.demand() > 0;
  }
  [[nodiscard]] bool any_legal() const noexcept;
  /// Slots that a job has, without those of the source.
  [[nodiscard]] std::uint32_t have(const JobReport& j) const noexcept {
    return j.running + j.committed + j.moving;
  }
  /// Gives a stage what a limit of its job allows; returns how many slots.
  std::uint32_t grant(std::size_t stage, std::uint32_t limit) noexcept;
};

/// Throws Failed: {malformed} where the message contradicts itself, {tooMuch} beyond the limits.
/// `any_mean_s` is the duration of a task where nothing of the job was measured; `known` may be
/// null.
[[nodiscard]] ClusterReport read_report(wire::Consult::Reader, const ReportLimits&,
                                        double any_mean_s, const KnownDurations* known = nullptr);

}  // namespace park::spark
