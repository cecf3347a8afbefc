#pragma once

#include <cstdint>
#include <memory>

#include "park/core/system_env.h"
#include "systems/spark/cluster_report.h"
#include "systems/spark/ended_jobs.h"
#include "systems/spark/episode_account.h"
#include "systems/spark/job_numbers.h"

namespace park::spark {

/// One application of Spark, from when it found its agent. One thread at a time.
class Application {
 public:
  virtual ~Application() = default;
  Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// Asks until the slots of the source are handed out or no stage can use them.
  virtual void decide(wire::Consult::Reader, wire::Decision::Builder, Deadline) = 0;
  virtual void finish(wire::Progress::Reader) = 0;
  /// Whether it has not finished.
  [[nodiscard]] virtual bool is_open() const = 0;
  /// Offers that were to be decided here and went by Spark's own order.
  [[nodiscard]] virtual std::uint64_t fallbacks() const = 0;
  [[nodiscard]] virtual EndedJobs::Sums ended() const = 0;
};

/// Grants as a driver reads them: a stage's id, and how many slots.
using Grants = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
void write_grants(const Grants&, wire::Decision::Builder);

/// The mean duration of the tasks that were measured, else what it was before.
[[nodiscard]] double mean_task_s(wire::Consult::Reader, double before_s);
constexpr double kUnknownTaskS = 1;  ///< before anything was measured

/// An application with executors of its own: an episode. Where it goes without an end, the episode
/// is truncated.
class SoleApplication final : public Application {
 public:
  /// `known` may be null.
  SoleApplication(Decider&, const Spec&, const ReportLimits&,
                  std::shared_ptr<const KnownDurations> known, const Episode&,
                  wire::Progress::Reader);

  void decide(wire::Consult::Reader, wire::Decision::Builder, Deadline) override;
  void finish(wire::Progress::Reader) override;
  [[nodiscard]] bool is_open() const override { return account_.is_open(); }
  [[nodiscard]] std::uint64_t fallbacks() const override { return sums_.fallbacks(); }
  [[nodiscard]] EndedJobs::Sums ended() const override { return ended_.sums(); }

 private:
  /// Applies the changes of a message since the one before.
  void take(wire::Progress::Reader);

  ReportLimits limits_;
  std::shared_ptr<const KnownDurations> known_;
  DriverSums sums_;
  EndedJobs ended_;
  JobNumbers numbers_;
  NumberedJobs jobs_;
  EpisodeAccount account_;
  double mean_s_ = kUnknownTaskS;  // of a task where nothing of its job was measured
  std::uint32_t slots_ = 0;
};

}  // namespace park::spark
