#pragma once

#include <cstdint>
#include <optional>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/simple_queue/admission_model.h"
#include "park/envs/simple_queue/layout.h"

namespace park::simple_queue {

/// Admits every job; one that finds neither a server nor a place is lost. In the language of loss
/// systems: complete sharing.
class AdmitAll final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit AdmitAll(const Spec& spec) : layout_(bind_layout<QueueLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  QueueLayout layout_;
};

struct RewardThresholdConfig {
  double fraction = 0.5;

  bool operator==(const RewardThresholdConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("fraction", c.fraction,
          FieldDoc{.doc = "least reward of a job that is admitted, as a part of the highest one",
                   .min = 0,
                   .max = 1,
                   .tune = "0:1:0.05"});
  }
};

/// Admits the classes whose reward is high enough, regardless of the servers: a static priority
/// threshold, to compare with the state-dependent one of optimal_admission.
class RewardThreshold final : public RowPolicy {
 public:
  using Config = RewardThresholdConfig;
  [[nodiscard]] static PolicyInfo info();
  RewardThreshold(const Config& c, const Spec& spec)
      : layout_(bind_layout<QueueLayout>(spec)), fraction_(c.fraction) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  QueueLayout layout_;
  double fraction_;
};

struct TrunkReservationConfig {
  double reserved = 2;

  bool operator==(const TrunkReservationConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("reserved", c.reserved,
          FieldDoc{.doc = "servers and places that are kept from a job without a reward; one that "
                          "pays the part q of the highest reward needs more than "
                          "reserved (1 - q) free ones",
                   .min = 0,
                   .max = 1e9,
                   .tune = "0:8:0.5"});
  }
};

/// Keeps servers free for the jobs that pay most: the less a job pays, the more servers must be
/// free for it. Policies of this form, with a number per class, are optimal in loss systems whose
/// classes are served alike: B. Miller, "A queueing reward system with several customer classes",
/// Management Science 16(3), 1969. Here the numbers follow a line with one field.
class TrunkReservation final : public RowPolicy {
 public:
  using Config = TrunkReservationConfig;
  [[nodiscard]] static PolicyInfo info();
  TrunkReservation(const Config& c, const Spec& spec)
      : layout_(bind_layout<QueueLayout>(spec)), reserved_(c.reserved) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  QueueLayout layout_;
  double reserved_;
};

/// Admits a job if its reward is at least the cost of its presence for later jobs. This is the
/// policy with the best average reward, a threshold of jobs in the system per class. It is exact
/// for slotted arrivals with geometric service and for Poisson arrivals with exponential service.
/// Other service times are treated as memoryless ones of the same mean. What it has to know stands
/// in the observation.
/// Source: B. Miller, "A queueing reward system with several customer classes", Management Science
/// 16(3), 1969; with a waiting room and a cost of waiting P. Naor, "The regulation of queue size by
/// levying tolls", Econometrica 37(1), 1969 (its social optimum).
class OptimalAdmission final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit OptimalAdmission(const Spec& spec) : layout_(bind_layout<QueueLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  [[nodiscard]] AdmissionModel model_of(ConstRow) const;

  QueueLayout layout_;
  AdmissionModel model_;
  std::optional<AdmissionSolution> solution_;  // of model_
};

}  // namespace park::simple_queue
