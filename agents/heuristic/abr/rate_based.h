#pragma once

#include "agents/heuristic/abr/player_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct RateBasedConfig {
  std::int32_t past = 5;
  double safety = 1;

  bool operator==(const RateBasedConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("past", c.past,
          FieldDoc{.doc = "chunks whose throughput counts",
                   .unit = "chunks",
                   .min = 1,
                   .max = 8,
                   .tune = "1:8:1"});
    visit("safety", c.safety,
          FieldDoc{.doc = "part of the prediction that may be used",
                   .min = 1e-3,
                   .max = 10,
                   .tune = "0.5:1.2:0.05"});
  }
};

/// The highest rate below the predicted throughput, the harmonic mean of the last chunks; as RB in
/// H. Mao et al., "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017, section 5.1.
class RateBased final : public Policy {
 public:
  using Config = RateBasedConfig;
  [[nodiscard]] static PolicyInfo info();
  RateBased(const Config& c, const Spec& spec) : view_(spec), config_(c) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  PlayerView view_;
  Config config_;
};

}  // namespace park::heuristics
