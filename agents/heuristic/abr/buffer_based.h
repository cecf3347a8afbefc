#pragma once

#include "agents/heuristic/abr/player_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct BufferBasedConfig {
  double reservoir_s = 5, cushion_s = 10;

  bool operator==(const BufferBasedConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("reservoir_s", c.reservoir_s,
          FieldDoc{.doc = "with less in the buffer the lowest rate",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "1:15:1"});
    visit("cushion_s", c.cushion_s,
          FieldDoc{.doc = "above the reservoir; with more than both the highest rate",
                   .unit = "s",
                   .min = 1e-3,
                   .max = 1e6,
                   .tune = "2:40:2"});
  }
};

/// The rate follows the buffer alone: linear in the index of the encoding from the reservoir to the
/// end of the cushion. Source: T.-Y. Huang et al., "A buffer-based approach to rate adaptation",
/// SIGCOMM 2014, with the constants of Pensieve's artifact.
class BufferBased final : public Policy {
 public:
  using Config = BufferBasedConfig;
  [[nodiscard]] static PolicyInfo info();
  BufferBased(const Config& c, const Spec& spec) : view_(spec), config_(c) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  PlayerView view_;
  Config config_;
};

}  // namespace park::heuristics
