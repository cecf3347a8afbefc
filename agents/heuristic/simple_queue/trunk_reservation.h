#pragma once

#include "agents/heuristic/simple_queue/queue_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

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

}  // namespace park::heuristics
