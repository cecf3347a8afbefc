#pragma once

#include "agents/heuristic/abr/player_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

struct BolaConfig {
  double gamma_p = 5, buffer_s = 0;

  bool operator==(const BolaConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("gamma_p", c.gamma_p,
          FieldDoc{.doc = "how much a stall weighs against the utility of a chunk",
                   .min = 0,
                   .max = 1e3,
                   .tune = "1:15:1",
                   .open_min = true});
    visit("buffer_s", c.buffer_s,
          FieldDoc{.doc = "level of the buffer at which the highest rate is worth nothing more; 0: "
                          "the player's capacity",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|10|15|20|25|30|40|50"});
  }
};

/// Lyapunov optimisation of utility and stalls from the buffer level alone. With the utility v of a
/// rate, ln(rate / lowest rate), Q chunks in the buffer and V = (Qmax - 1) / (v of the highest +
/// gamma_p), the rate with the largest (V (v + gamma_p) - Q) / rate. Where that is negative for
/// all, BOLA would pause; here the player alone does, when its buffer is full. Source: K. Spiteri,
/// R. Urgaonkar, R. Sitaraman, "BOLA: near-optimal bitrate adaptation for online videos",
/// INFOCOM 2016, section IV (BOLA-BASIC).
class Bola final : public Policy {
 public:
  using Config = BolaConfig;
  [[nodiscard]] static PolicyInfo info();
  Bola(const Config& c, const Spec& spec) : view_(spec), config_(c) {}
  void act(const Decisions&, Batch& actions) override;

 private:
  [[nodiscard]] std::int32_t choose(ConstRow) const;

  PlayerView view_;
  Config config_;
};

}  // namespace park::heuristics
