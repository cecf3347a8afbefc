// Heuristics that give every application with waiting requests a score and serve the largest batch
// of the best one. Scores are by age (max_slowdown, aged, index), by size (wspt) or by deadline
// (edf, least_slack). No heuristic waits or remembers anything. register.cc adds them.
#pragma once

#include <cstdint>

#include "park/core/config.h"
#include "park/envs/dl_inference/choices.h"

namespace park::dl_inference {

/// The deadlines of a policy: a field that is 0 for those of the environment.
inline constexpr FieldDoc kDeadlineDoc{
    .doc =
        "deadline of a request after its arrival, in latencies of a batch of one; 0: that of "
        "the environment",
    .min = 0,
    .max = 1e9,
    .tune = "0|2|3|5|8|10|15|20|30|50|100"};

struct MaxSlowdownConfig {
  double latency = 1;
  bool operator==(const MaxSlowdownConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "latency", c.latency,
        FieldDoc{.doc = "factor of the latency of the batch in (waited + latency) / latency of one",
                 .min = 0,
                 .max = 100,
                 .tune = "0|0.25|0.5|0.75|1|1.5|2|3|5|10|20"});
  }
};

/// The application whose oldest request would have the largest slowdown: (waited + L(k)) / L(1).
class MaxSlowdown final : public ChoicePolicy {
 public:
  using Config = MaxSlowdownConfig;
  [[nodiscard]] static PolicyInfo info();
  MaxSlowdown(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct WsptConfig {
  double q = 1;
  bool operator==(const WsptConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("q", c.q,
          FieldDoc{.doc = "exponent of the latency of one in the weight of a request",
                   .min = -10,
                   .max = 10,
                   .tune = "-1|-0.5|0|0.5|1|1.5|2"});
  }
};

/// Weighted shortest processing time first (W. E. Smith, "Various optimizers for single-stage
/// production", 1956) with batches as jobs: the largest k w / (L(1)^q L(k)). It starves long ones.
class Wspt final : public ChoicePolicy {
 public:
  using Config = WsptConfig;
  [[nodiscard]] static PolicyInfo info();
  Wspt(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct AgedConfig {
  double p = 1;
  bool operator==(const AgedConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("p", c.p,
          FieldDoc{.doc = "exponent of the age of a request",
                   .min = -10,
                   .max = 10,
                   .tune = "-1|-0.5|-0.25|0|0.25|0.5|0.75|1|1.25|1.5|2|3"});
  }
};

/// The largest w / (rate L(1)) times the sum over the batch of (1 + waited / L(1))^p, over L(k).
/// These are the aged slowdowns that a second of the device takes out of the mean over
/// applications.
class Aged final : public ChoicePolicy {
 public:
  using Config = AgedConfig;
  [[nodiscard]] static PolicyInfo info();
  Aged(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct IndexConfig {
  double p = 0.5, q = 1, r = 1, e = 1, d = 1;
  bool operator==(const IndexConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    const auto exponent = [&](std::string_view name, auto& field, std::string_view of,
                              std::string_view tune) {
      visit(name, field, FieldDoc{.doc = of, .min = -10, .max = 10, .tune = tune});
    };
    exponent("p", c.p, "exponent of the age of a request", "-0.5|0|0.1|0.25|0.5|0.75|1|1.5");
    exponent("q", c.q, "exponent of 1 / latency of one", "-0.5|0|0.25|0.5|0.75|1|1.25|1.5");
    exponent("r", c.r, "exponent of 1 / latency of the batch", "0|0.25|0.5|0.75|1|1.25|1.5|2");
    exponent("e", c.e, "exponent of 1 / arrival rate", "0|0.25|0.5|0.75|1|1.25|1.5");
    exponent("d", c.d, "exponent of the batch size", "-0.5|0|0.25|0.5|0.75|1|1.25|1.5");
  }
};

/// An index of five exponents, our own: the largest [mean over the batch of (1 + waited / L(1))^p]
/// k^d rate^-e L(1)^-q L(k)^-r. The policy aged(p) is index(p, 1, 1, 1, 1), but for weights.
class Index final : public ChoicePolicy {
 public:
  using Config = IndexConfig;
  [[nodiscard]] static PolicyInfo info();
  Index(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct EdfConfig {
  double d = 0;
  bool operator==(const EdfConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("d", c.d, kDeadlineDoc);
  }
};

/// Earliest deadline first (Liu, Layland, "Scheduling algorithms for multiprogramming in a
/// hard-real-time environment", 1973) of the oldest requests.
class Edf final : public ChoicePolicy {
 public:
  using Config = EdfConfig;
  [[nodiscard]] static PolicyInfo info();
  Edf(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct LeastSlackConfig {
  double d = 0;
  bool operator==(const LeastSlackConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("d", c.d, kDeadlineDoc);
  }
};

/// Least slack first: the smallest time that is left until the deadline of the oldest request after
/// the latency of its batch.
class LeastSlack final : public ChoicePolicy {
 public:
  using Config = LeastSlackConfig;
  [[nodiscard]] static PolicyInfo info();
  LeastSlack(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

}  // namespace park::dl_inference
