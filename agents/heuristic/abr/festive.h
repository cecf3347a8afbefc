#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "agents/heuristic/abr/player_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct FestiveConfig {
  double p = 0.85, alpha = 12, window_s = 20;

  bool operator==(const FestiveConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("p", c.p,
          FieldDoc{.doc = "part of the estimated bandwidth that the target may use",
                   .min = 1e-3,
                   .max = 10,
                   .tune = "0.6:1.1:0.05"});
    visit("alpha", c.alpha,
          FieldDoc{.doc = "weight of efficiency against stability",
                   .min = 0,
                   .max = 1e6,
                   .tune = "2|4|8|12|16|24"});
    visit("window_s", c.window_s,
          FieldDoc{.doc = "video over which switches count against stability",
                   .unit = "s",
                   .min = 0,
                   .max = 80});
  }
};

/// Steady rates for many players: a target below p times the harmonic mean w of the last 20
/// throughputs; one level down at once, one level up from level k, from 1, after k chunks at it;
/// and the switch is made only where its score is lower: 2^n for the rate that is played and
/// 2^(n + 1) for the new one, n switches in the window, plus alpha |rate / min(w, new rate) - 1|.
/// Source: J. Jiang, V. Sekar, H. Zhang, "Improving fairness, efficiency, and stability in
/// HTTP-based adaptive video streaming with FESTIVE", CoNEXT 2012; its randomised times of requests
/// are the player's matter.
class Festive final : public Policy {
 public:
  using Config = FestiveConfig;
  [[nodiscard]] static PolicyInfo info();
  Festive(const Config& c, const Spec& spec) : view_(spec), config_(c) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;

 private:
  static constexpr std::size_t kPast = 20;

  struct Slot {
    std::array<double, kPast> throughput_mbps{};    // the newest last
    std::array<std::int32_t, kPast + 1> quality{};  // of the last chunks, the newest last
    std::size_t chunks = 0;                         // that were seen
    std::int32_t at_level = 0;                      // chunks since the last switch
  };

  void see(Slot&, ConstRow) const;
  [[nodiscard]] std::int32_t choose(const Slot&, ConstRow) const;
  [[nodiscard]] double switches(const Slot&, double chunk_s) const;

  PlayerView view_;
  Config config_;
  std::vector<Slot> slots_;
};

}  // namespace park::heuristics
