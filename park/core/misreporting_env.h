// MisreportingEnv plays an environment whose users misreport some of their jobs. Attacks give it
// the misreport of one job, adversarial training draws misreports. Both make their pools of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/declarations.h"
#include "park/core/env.h"
#include "park/core/pool.h"
#include "park/core/space.h"

namespace park {

/// What the user of a job declares, asked once for each job, when a row describes it first.
using Misreporter = std::function<std::optional<Misreport>(const Episode&, const Declarations&,
                                                           const Moment&, std::uint64_t job)>;

/// An environment as its policy sees it while users misreport: rows show what was declared.
/// Actions, rewards, metrics and events are those of the true environment. It is not cloneable.
class MisreportingEnv final : public Env {
 public:
  /// Throws Error{unavailable} in one line where users declare nothing.
  MisreportingEnv(const Spec&, std::unique_ptr<Env>, Misreporter);

  void reset(const Episode&, Row observation) override;
  Outcome step(ConstRow action, Row observation) override;
  void metrics(std::span<double> out) const override { env_->metrics(out); }
  void events(EventSink* sink) override { env_->events(sink); }
  [[nodiscard]] std::uint64_t event_count() const noexcept override { return env_->event_count(); }

 private:
  void look_for_new_jobs();
  void show(Row observation) const;
  [[nodiscard]] Moment now() const { return {truth_.row(0), sequence_}; }

  std::unique_ptr<Env> env_;
  std::unique_ptr<Declarations> declarations_;
  Misreporter misreporter_;
  Batch truth_, before_, action_;  // one row each
  Episode episode_;
  std::uint64_t sequence_ = 0;
  std::uint64_t asked_ = 0;  // jobs below this number were asked about
  std::vector<std::uint64_t> present_;
  std::vector<Misreport> misreports_;
};

/// The declarations of an environment. Throws Error{unavailable} in one line where it has none.
[[nodiscard]] std::unique_ptr<Declarations> declarations_of(const Spec&, const Env&);

/// Users of training: a share of the episodes has one to three jobs that are misreported. Which
/// ones, by which operator and how strongly follows from Episode::inputs, so all rollouts of the
/// same inputs see the same. Factors lie within 1 - strength and 1 + strength; the strength is
/// uniform in (0, kMostStrength]. Half of the misreports scale all quantities alike.
class DrawnMisreports {
 public:
  static constexpr double kMostStrength = 0.4;
  static constexpr std::uint64_t kMostJobs = 3;

  explicit DrawnMisreports(double share) : share_(share) {}
  [[nodiscard]] std::optional<Misreport> operator()(const Episode&, const Declarations&,
                                                    const Moment&, std::uint64_t job) const;

 private:
  double share_;
};

/// Makes environments whose users misreport.
[[nodiscard]] Pool::Make misreporting(const Spec&, Pool::Make, Misreporter);

}  // namespace park
