// Rules of serving systems that look at deadlines or at delays: clipper, clockwork, triton. Those
// with a state keep it per slot. register.cc adds them.
#pragma once

#include <array>
#include <cstdint>

#include "park/core/config.h"
#include "park/envs/dl_inference/choices.h"
#include "park/envs/dl_inference/score_policies.h"

namespace park::dl_inference {

struct ClipperConfig {
  double target = 0, increase = 1, backoff = 0.9;
  bool operator==(const ClipperConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    FieldDoc target = kDeadlineDoc;
    target.doc =
        "latency that a batch should not exceed, in latencies of a batch of one; 0: the deadline "
        "of the environment";
    visit("target", c.target, target);
    visit("increase", c.increase,
          FieldDoc{.doc = "added to the limit of the batch after one that kept the target",
                   .unit = "requests",
                   .min = 0,
                   .max = kMaxBatch});
    visit("backoff", c.backoff,
          FieldDoc{.doc = "what the limit is multiplied by after one that missed the target",
                   .min = 0,
                   .max = 1});
  }
};

/// Limits of the batch size by additive increase and multiplicative decrease towards a latency, one
/// per application; the application with the oldest request is served. Source: D. Crankshaw et al.,
/// "Clipper: a low-latency online prediction serving system", NSDI 2017, section 4.3.1.
class Clipper final : public ChoicePolicy {
 public:
  using Config = ClipperConfig;
  [[nodiscard]] static PolicyInfo info();
  Clipper(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}
  void start(std::uint32_t slot, const Episode&, Rng) override { limits_.start(slot); }

 private:
  struct Limits {
    Limits() { of.fill(1); }
    std::array<double, kMaxApps> of{};
  };
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
  SlotStates<Limits> limits_;
};

struct ClockworkConfig {
  double d = 0;
  bool operator==(const ClockworkConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("d", c.d, kDeadlineDoc);
  }
};

/// The earliest deadline of the oldest requests, with the largest batch that meets it. A request
/// that is late already comes with the largest batch, so that it does not block those behind it.
/// With late=drop the environment drops it, as Clockwork does. Source: A. Gujarati et al., "Serving
/// DNNs like Clockwork", OSDI 2020, section 5.3.
class Clockwork final : public ChoicePolicy {
 public:
  using Config = ClockworkConfig;
  [[nodiscard]] static PolicyInfo info();
  Clockwork(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  [[nodiscard]] static double largest_within(const Choices&, std::size_t e, double time_s) noexcept;
  Config config_;
};

struct TritonConfig {
  double delay_s = 0;
  bool operator==(const TritonConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("delay_s", c.delay_s,
          FieldDoc{.doc = "longest delay of a batch that is not full (max_queue_delay)",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|0.001|0.002|0.005|0.01|0.02|0.04|0.08|0.16"});
  }
};

/// Each application batches as much as it can without delay, or with a delay up to a limit. The
/// application with the oldest request among those that are ready is served. Source: the manual of
/// NVIDIA Triton Inference Server, dynamic batcher.
class Triton final : public ChoicePolicy {
 public:
  using Config = TritonConfig;
  [[nodiscard]] static PolicyInfo info();
  Triton(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

}  // namespace park::dl_inference
