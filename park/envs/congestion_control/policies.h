// The classic senders as policies. Each hands its flows over to the built-in sender of that name
// (net/hand_over.h), which then acts at every acknowledgement. `park tune` tunes fields of it.
// Clairvoyant is a bound. register.cc adds them.
#pragma once

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/congestion_control/layout.h"

namespace park::congestion_control {

/// Answers every question alike.
class HandsOver : public RowPolicy {
 public:
  HandsOver(const Spec&, int kind, double first, double second);

 private:
  void choose(const Ask&, ConstRow, Row action) final;
  FlowLayout layout_;
  float rate_, cap_;
};

struct RenoConfig {
  double beta = 0.5;

  bool operator==(const RenoConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("beta", c.beta,
          FieldDoc{.doc = "part of the window that a loss leaves",
                   .min = 0.1,
                   .max = 0.95,
                   .tune = "0.3:0.9:0.1"});
  }
};
/// RFC 5681: one packet more per round trip, half of the window at a loss.
class RenoPolicy final : public HandsOver {
 public:
  using Config = RenoConfig;
  [[nodiscard]] static PolicyInfo info();
  RenoPolicy(const Config&, const Spec&);
};

struct CubicConfig {
  double beta = 0.7, c = 0.4;

  bool operator==(const CubicConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("beta", self.beta,
          FieldDoc{.doc = "part of the window that a loss leaves",
                   .min = 0.1,
                   .max = 0.95,
                   .tune = "0.4:0.9:0.1"});
    visit("c", self.c,
          FieldDoc{.doc = "how fast the window grows back",
                   .unit = "packets/s^3",
                   .min = 1e-3,
                   .max = 1e3,
                   .tune = "0.025|0.05|0.1|0.2|0.4|0.8|1.6"});
  }
};
/// RFC 9438.
class CubicPolicy final : public HandsOver {
 public:
  using Config = CubicConfig;
  [[nodiscard]] static PolicyInfo info();
  CubicPolicy(const Config&, const Spec&);
};

struct VegasConfig {
  double alpha = 2;

  bool operator==(const VegasConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("alpha", c.alpha,
          FieldDoc{.doc = "packets that it keeps in the queue at least; at most twice that",
                   .unit = "packets",
                   .min = 0.1,
                   .max = 1e3,
                   .tune = "0.5|1|2|3|4|6|8|12|16"});
  }
};
/// Brakmo, Peterson, IEEE JSAC 13(8), 1995.
class VegasPolicy final : public HandsOver {
 public:
  using Config = VegasConfig;
  [[nodiscard]] static PolicyInfo info();
  VegasPolicy(const Config&, const Spec&);
};

struct CopaConfig {
  double delta = 0.5;

  bool operator==(const CopaConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("delta", c.delta,
          FieldDoc{.doc = "weight of delay: the rate aims at 1 / (delta x queueing delay)",
                   .min = 1e-3,
                   .max = 100,
                   .tune = "0.05|0.1|0.15|0.2|0.25|0.3|0.4|0.5|0.7|1|1.5|2"});
  }
};
/// Arun, Balakrishnan, NSDI 2018, with its competitive mode.
class CopaPolicy final : public HandsOver {
 public:
  using Config = CopaConfig;
  [[nodiscard]] static PolicyInfo info();
  CopaPolicy(const Config&, const Spec&);
};

struct BbrConfig {
  double window_gain = 2, probe_gain = 1.25;

  bool operator==(const BbrConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "window_gain", c.window_gain,
        FieldDoc{
            .doc = "window, in bandwidth-delay products", .min = 1, .max = 10, .tune = "1:3:0.25"});
    visit("probe_gain", c.probe_gain,
          FieldDoc{.doc = "pacing, in bandwidths, of the phase that probes for more",
                   .min = 1.01,
                   .max = 1.9,
                   .tune = "1.1|1.25|1.4"});
  }
};
/// Version 1, draft-cardwell-iccrg-bbr-congestion-control-00.
class BbrPolicy final : public HandsOver {
 public:
  using Config = BbrConfig;
  [[nodiscard]] static PolicyInfo info();
  BbrPolicy(const Config&, const Spec&);
};

/// RFC 8257; for queues that mark.
class DctcpPolicy final : public HandsOver {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit DctcpPolicy(const Spec&);
};

/// A bound, not a sender: a packet leaves exactly when the link would be idle without it. Policer and
/// link of the acks may delay it. The own flow that asked last does so.
class Clairvoyant final : public HandsOver {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit Clairvoyant(const Spec&);
};

}  // namespace park::congestion_control
