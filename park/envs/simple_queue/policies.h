#pragma once

#include <cstdint>
#include <optional>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/core/stream.h"
#include "park/envs/simple_queue/admission_model.h"

namespace park::simple_queue {

/// The leaves of simple_queue that its policies read, and the head that they write.
struct QueueView {
  /// Throws Error{invalid_space} where the environment has another layout.
  explicit QueueView(const Spec&);

  Field<float> busy, free, waiting, places;
  Field<float> reward, rewards;  // of the job that asks; of each class
  Field<float> interval_s, gap_cv, service_s, waiting_cost;
  Field<std::int32_t> admit;

  /// Free servers and places to wait.
  [[nodiscard]] float room(ConstRow row) const { return row.scalar(free) + row.scalar(places); }
  /// The reward of the best class.
  [[nodiscard]] float highest(ConstRow row) const;
};

/// Admits every job; one that finds neither a server nor a place is lost. In the language of loss
/// systems: complete sharing.
class AdmitAll final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit AdmitAll(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  QueueView view_;
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

/// Admits the classes whose reward is high enough, whatever the servers do: a static priority
/// threshold, which the state-dependent one of optimal_admission is compared with.
class RewardThreshold final : public Policy {
 public:
  using Config = RewardThresholdConfig;
  [[nodiscard]] static PolicyInfo info();
  RewardThreshold(const Config& c, const Spec& spec) : view_(spec), fraction_(c.fraction) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  QueueView view_;
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
class TrunkReservation final : public Policy {
 public:
  using Config = TrunkReservationConfig;
  [[nodiscard]] static PolicyInfo info();
  TrunkReservation(const Config& c, const Spec& spec) : view_(spec), reserved_(c.reserved) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  QueueView view_;
  double reserved_;
};

/// Admits a job if its reward is at least what its presence costs later jobs: the policy with the
/// best average reward, a threshold of jobs in the system per class. Exact for slotted arrivals
/// with geometric service and for Poisson arrivals with exponential service; other service times
/// are taken for memoryless ones of the same mean. What it has to know stands in the observation.
/// Source: B. Miller, "A queueing reward system with several customer classes", Management Science
/// 16(3), 1969; with a waiting room and a cost of waiting P. Naor, "The regulation of queue size by
/// levying tolls", Econometrica 37(1), 1969 (its social optimum).
class OptimalAdmission final : public Policy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit OptimalAdmission(const Spec& spec) : view_(spec) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  [[nodiscard]] AdmissionModel model_of(ConstRow) const;

  QueueView view_;
  AdmissionModel model_;
  std::optional<AdmissionSolution> solution_;  // of model_
};

}  // namespace park::simple_queue
