// Heuristics that share the device: in turn (rr, nexus) or by the time used (lowest_util, sfq).
// Those with a state keep it per slot. register.cc adds them.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "park/core/config.h"
#include "park/envs/dl_inference/choices.h"

namespace park::dl_inference {

/// The applications in turn: the next one that is ready gets a batch. While none is ready it waits;
/// where that is illegal, the next one is taken as it is.
class TurnPolicy : public ChoicePolicy {
 public:
  void start(std::uint32_t slot, const Episode&, Rng) override { turns_.start(slot); }

 protected:
  using ChoicePolicy::ChoicePolicy;
  /// Whether a batch need not wait for more requests.
  [[nodiscard]] virtual bool ready(const Choices&, std::size_t e) const = 0;
  /// How many requests the batch has at most.
  [[nodiscard]] virtual double batch(const Choices&, std::size_t) const { return kLargest; }

 private:
  struct Turn {
    std::size_t last = kMaxApps - 1;  // number of the application served last
  };
  Answer answer(const Choices&, std::uint32_t slot) final;
  SlotStates<Turn> turns_;
};

struct RrConfig {
  double timeout_s = 0;
  bool operator==(const RrConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("timeout_s", c.timeout_s,
          FieldDoc{.doc = "how long a batch that is not full waits for more; 0: not at all",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|0.001|0.002|0.005|0.01|0.02|0.04|0.08|0.16"});
  }
};

/// The applications in turn, each with the largest batch. One is ready when max_batch requests
/// wait or the oldest has waited for the timeout. Source: C. Olston et al., "TensorFlow-Serving:
/// flexible, high-performance ML serving", 2017, section 4, and the batching guide of TensorFlow
/// Serving (max_batch_size, batch_timeout_micros).
class Rr final : public TurnPolicy {
 public:
  using Config = RrConfig;
  [[nodiscard]] static PolicyInfo info();
  Rr(const Config& c, const Spec& spec) : TurnPolicy(spec), config_(c) {}

 private:
  [[nodiscard]] bool ready(const Choices& c, std::size_t e) const override {
    return c.full(e) || c.oldest_s(e) >= config_.timeout_s;
  }
  Config config_;
};

struct NexusConfig {
  double cycle_s = 0.1;
  bool operator==(const NexusConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("cycle_s", c.cycle_s,
          FieldDoc{.doc = "duty cycle: the time whose arrivals make a batch",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|0.005|0.01|0.02|0.04|0.08|0.16|0.32"});
  }
};

/// The applications in turn with a duty cycle. The batch of an application is what arrives in a
/// cycle on average, at least 1. An application is ready with so many requests, or when the oldest
/// has waited for a cycle. Source: H. Shen et al., "Nexus: a GPU cluster engine for accelerating
/// DNN-based video analysis", SOSP 2019, section 6.1, without its placement on several devices.
class Nexus final : public TurnPolicy {
 public:
  using Config = NexusConfig;
  [[nodiscard]] static PolicyInfo info();
  Nexus(const Config& c, const Spec& spec) : TurnPolicy(spec), config_(c) {}

 private:
  [[nodiscard]] bool ready(const Choices& c, std::size_t e) const override {
    return c.full(e) || c.batch(e) >= batch(c, e) || c.oldest_s(e) >= config_.cycle_s;
  }
  [[nodiscard]] double batch(const Choices&, std::size_t e) const override;
  Config config_;
};

struct LowestUtilConfig {
  std::string window = "episode";
  bool operator==(const LowestUtilConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("window", c.window,
          FieldDoc{.doc = "the time over which device time counts: the episode so far, the last "
                          "second, the last tenth of a second",
                   .choices = "episode|second|tenth",
                   .tune = "episode|second|tenth"});
  }
};

/// The application that has used the device least, over its weight; the lower number among equals.
/// DyBatch's rule for the order of applications (Zhang et al., CCGRID 2020, abstract).
class LowestUtil final : public ChoicePolicy {
 public:
  using Config = LowestUtilConfig;
  [[nodiscard]] static PolicyInfo info();
  LowestUtil(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}

 private:
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
};

struct SfqConfig {
  double credit_s = 0;
  bool operator==(const SfqConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("credit_s", c.credit_s,
          FieldDoc{.doc = "how far an application that was idle may stay behind the virtual time",
                   .unit = "s",
                   .min = 0,
                   .max = 1e9,
                   .tune = "0|0.003|0.01|0.03|0.1|0.3|1|3"});
  }
};

/// Start-time fair queueing of device time. An application has the tag max(virtual time - credit,
/// end tag of its last batch). The smallest tag is served and becomes the virtual time. The end tag
/// of the batch is L(k) / w later. Unlike under lowest_util, an idle application saves up at most
/// the credit. Source: P. Goyal, H. Vin, H. Cheng, "Start-time fair queueing", IEEE/ACM ToN 5(5),
/// 1997.
class Sfq final : public ChoicePolicy {
 public:
  using Config = SfqConfig;
  [[nodiscard]] static PolicyInfo info();
  Sfq(const Config& c, const Spec& spec) : ChoicePolicy(spec), config_(c) {}
  void start(std::uint32_t slot, const Episode&, Rng) override { tags_.start(slot); }

 private:
  struct Tags {
    double virtual_s = 0;
    std::array<double, kMaxApps> end_s{};  // of each application's last batch
  };
  Answer answer(const Choices&, std::uint32_t slot) override;
  Config config_;
  SlotStates<Tags> tags_;
};

}  // namespace park::dl_inference
