#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "park/core/system_env.h"
#include "park/envs/dag_scheduling/job_log.h"
#include "systems/spark/cluster_report.h"
#include "systems/spark/report_row.h"

namespace park::spark {

/// One application of Spark, from when it found its agent: a context of the decider. One thread at
/// a time.
class Application {
 public:
  /// `known` may be null.
  Application(Decider&, const Spec&, const ReportLimits&,
              std::shared_ptr<const KnownDurations> known, const Episode&, wire::Progress::Reader);
  /// Closes the context as truncated where it has not finished.
  ~Application();
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;

  /// Asks until the slots of the source are handed out or no stage can use them.
  void decide(wire::Consult::Reader, wire::Decision::Builder, Deadline);
  void finish(wire::Progress::Reader);
  /// Whether it has not finished.
  [[nodiscard]] bool is_open() const noexcept { return open_; }
  /// Offers that were to be decided here and went by Spark's own order.
  [[nodiscard]] std::uint64_t fallbacks() const noexcept { return fallbacks_ - fallbacks_begin_; }

 private:
  /// Applies the changes of a message since the one before.
  void take(wire::Progress::Reader);
  void learn_mean(wire::Consult::Reader);
  void arrived(double at_s);
  void close(End);

  Decider& decider_;
  ReportLimits limits_;
  std::shared_ptr<const KnownDurations> known_;
  Context context_;
  ReportRow row_;
  Batch action_;
  std::vector<double> metrics_;  // of its end
  Outcome owed_{};               // since the last question
  double time_s_, job_seconds_, busy_begin_s_, busy_s_;
  std::uint64_t moves_begin_, moves_, fallbacks_begin_, fallbacks_;
  std::optional<double> first_arrival_s_;
  double last_arrival_s_ = 0;
  double mean_s_;  // of a task where nothing of its job was measured
  std::uint32_t slots_ = 0;
  dag_scheduling::JobLog log_;
  bool open_ = true;
};

}  // namespace park::spark
