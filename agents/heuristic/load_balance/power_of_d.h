#pragma once

#include <cstdint>
#include <vector>

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct PowerOfDConfig {
  std::int32_t d = 2;

  bool operator==(const PowerOfDConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("d", c.d,
          FieldDoc{.doc = "servers that are looked at; all of them where there are fewer",
                   .min = 1,
                   .max = 4096,
                   .tune = "1|2|3|4|5|6|8|10"});
  }
};

/// Looks at d different servers, drawn uniformly, and takes the one with the fewest jobs; the
/// lowest index among equals. Draws are keyed by (run, episode, sequence). Source: M. Mitzenmacher,
/// "The power of two choices in randomized load balancing", IEEE TPDS 12(10), 2001.
class PowerOfD final : public Policy {
 public:
  using Config = PowerOfDConfig;
  [[nodiscard]] static PolicyInfo info();
  PowerOfD(const Config& c, const Spec& spec);
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;

 private:
  void draw(Rng&);

  ServerView view_;
  std::size_t d_;
  std::vector<Rng> rng_;              // of each slot
  std::vector<std::size_t> choices_;  // of one decision, increasing
};

}  // namespace park::heuristics
