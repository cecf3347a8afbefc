// Heuristics that choose a rate from throughput, from the buffer, or from both, each with its
// fields and its source. Every policy binds the layout of the environment to the spec and answers
// row by row. Festive notes every arrived chunk of its slot first. register.cc adds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/abr/layout.h"

namespace park::abr {

/// The harmonic mean of the last `n` values that are there, those above 0; 0 without one.
[[nodiscard]] double harmonic_mean(std::span<const double> values, std::size_t n) noexcept;

/// The highest rate that does not exceed a throughput, or the lowest one.
[[nodiscard]] std::int32_t highest_rate(std::span<const double> rate_mbps, double mbps) noexcept;

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
                   .tune = "0.4:1.5:0.05"});
  }
};

/// The highest rate below the predicted throughput, the harmonic mean of the last chunks; as RB in
/// H. Mao et al., "Neural Adaptive Video Streaming with Pensieve", SIGCOMM 2017, section 5.1.
class RateBased final : public RowPolicy {
 public:
  using Config = RateBasedConfig;
  [[nodiscard]] static PolicyInfo info();
  RateBased(const Config& c, const Spec& spec)
      : layout_(bind_layout<PlayerLayout>(spec)), config_(c) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  PlayerLayout layout_;
  Config config_;
};

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
                   .tune = "0:20:1"});
    visit("cushion_s", c.cushion_s,
          FieldDoc{.doc = "above the reservoir; with more than both the highest rate",
                   .unit = "s",
                   .min = 1e-3,
                   .max = 1e6,
                   .tune = "2:58:2"});
  }
};

/// The rate follows the buffer alone: linear in the index of the encoding from the reservoir to the
/// end of the cushion. Source: T.-Y. Huang et al., "A buffer-based approach to rate adaptation",
/// SIGCOMM 2014, with the constants of Pensieve's artifact.
class BufferBased final : public RowPolicy {
 public:
  using Config = BufferBasedConfig;
  [[nodiscard]] static PolicyInfo info();
  BufferBased(const Config& c, const Spec& spec)
      : layout_(bind_layout<PlayerLayout>(spec)), config_(c) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  PlayerLayout layout_;
  Config config_;
};

struct BolaConfig {
  double gamma_p = 5, buffer_s = 0;

  bool operator==(const BolaConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("gamma_p", c.gamma_p,
          FieldDoc{.doc = "how much a stall weighs against the utility of a chunk",
                   .min = 0,
                   .max = 1e3,
                   .tune = "0.25|0.5|1|1.5|2|3|4|5|6|7|8|10|12|15|20|30",
                   .open_min = true});
    visit("buffer_s", c.buffer_s,
          FieldDoc{.doc = "level of the buffer at which the highest rate is worth nothing more; 0: "
                          "the player's capacity",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|10|15|20|25|30|35|40|45|50|60|80|120"});
  }
};

/// Lyapunov optimisation of utility and stalls from the buffer level alone. The utility v of a rate
/// is ln(rate / lowest rate). Q chunks are in the buffer, and V = (Qmax - 1) / (v of the highest +
/// gamma_p). BOLA takes the rate with the largest (V (v + gamma_p) - Q) / rate. Where that is
/// negative for all, BOLA would pause; here the player alone does, when its buffer is full. Source:
/// K. Spiteri, R. Urgaonkar, R. Sitaraman, "BOLA: near-optimal bitrate adaptation for online
/// videos", INFOCOM 2016, section IV (BOLA-BASIC).
class Bola final : public RowPolicy {
 public:
  using Config = BolaConfig;
  [[nodiscard]] static PolicyInfo info();
  Bola(const Config& c, const Spec& spec) : layout_(bind_layout<PlayerLayout>(spec)), config_(c) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  [[nodiscard]] std::int32_t best_rate(ConstRow) const;

  PlayerLayout layout_;
  Config config_;
};

struct FestiveConfig {
  double p = 0.85, alpha = 12, window_s = 20;

  bool operator==(const FestiveConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("p", c.p,
          FieldDoc{.doc = "part of the estimated bandwidth that the target may use",
                   .min = 1e-3,
                   .max = 10,
                   .tune = "0.6:1.4:0.05"});
    visit("alpha", c.alpha,
          FieldDoc{.doc = "weight of efficiency against stability",
                   .min = 0,
                   .max = 1e6,
                   .tune = "1|2|4|8|12|16|24|48"});
    visit("window_s", c.window_s,
          FieldDoc{.doc = "video over which switches count against stability",
                   .unit = "s",
                   .min = 0,
                   .max = 80});
  }
};

/// Steady rates for many players. The target is below p times the harmonic mean w of the last 20
/// throughputs. The rate goes one level down at once, and one level up from level k, from 1, after
/// k chunks at it. A switch is made only if its score is lower. A score has two parts. With n
/// switches in the window, the first is 2^n for the rate that is played and 2^(n + 1) for the new
/// one. The second is alpha |rate / min(w, new rate) - 1|. Source: J. Jiang, V. Sekar, H. Zhang,
/// "Improving fairness, efficiency, and stability in HTTP-based adaptive video streaming with
/// FESTIVE", CoNEXT 2012; its randomised times of requests are the player's matter.
class Festive final : public RowPolicy {
 public:
  using Config = FestiveConfig;
  [[nodiscard]] static PolicyInfo info();
  Festive(const Config& c, const Spec& spec)
      : layout_(bind_layout<PlayerLayout>(spec)), config_(c) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  static constexpr std::size_t kPast = 20;

  struct Slot {
    std::array<double, kPast> throughput_mbps{};    // the newest last
    std::array<std::int32_t, kPast + 1> quality{};  // of the last chunks, the newest last
    std::size_t chunks = 0;                         // that were seen
    std::int32_t at_level = 0;                      // chunks since the last switch
  };

  void see(Slot&, ConstRow) const;
  [[nodiscard]] std::int32_t next_quality(const Slot&, ConstRow) const;
  [[nodiscard]] double switches(const Slot&, double chunk_s) const;

  PlayerLayout layout_;
  Config config_;
  std::vector<Slot> slots_;
};

}  // namespace park::abr
