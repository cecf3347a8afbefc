// Schedulers of input-queued switches, each with its fields and its source. A policy makes the
// matching of a slot at its first decision and then names its pairs one by one. With action=weights
// it writes weights that have this matching. All policies play both forms of the action. Ports are
// numbered from 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/switch_scheduling/assignment.h"
#include "park/envs/switch_scheduling/requests.h"

namespace park::switch_scheduling {

/// A policy that plans the matching of a slot. Where the slot may not end with its matching, it
/// plans again for the inputs and outputs that are left.
class MatchingPolicy : public RowPolicy {
 public:
  explicit MatchingPolicy(const Spec& spec) : rows_(spec) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;

 protected:
  /// What is kept of one episode.
  struct Memory {
    Rng rng{0};
    std::vector<std::int32_t> plan;                         ///< elements of the slot's matching
    std::size_t next = 0;                                   ///< of the plan
    std::array<std::uint8_t, kMaxPorts> grant{}, accept{};  ///< pointers of iSLIP
  };
  /// One matching.
  struct Task {
    const Requests& requests;
    Memory& memory;
    bool slot_begins;  ///< false: it completes the matching of a slot
    Rng rng;           ///< of this decision
  };

  /// Fills the output of each input below requests.ports.
  virtual void match(const Task&, Matching&) = 0;
  /// Weights in [0, 1] by which the environment finds the matching, of VOQs that may send. They are
  /// 1 for the pairs of `match`, unless a policy has weights of its own.
  virtual void weigh(const Task&, std::vector<float>& weight);

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  void write_weights(const Task&, Row action);
  [[nodiscard]] std::int32_t next_pair(ConstRow, Memory&) const;
  void plan(const Task&);

  SwitchRows rows_;
  Requests requests_;
  std::vector<float> weight_;
  std::vector<Memory> memory_;  // by slot of the stream
};

/// A policy that takes the matching of the largest sum of weights.
class HeaviestPolicy : public MatchingPolicy {
 public:
  using MatchingPolicy::MatchingPolicy;

 protected:
  /// The weight of a VOQ that may send, above 0.
  [[nodiscard]] virtual float weight(float queue, float age) const = 0;

 private:
  void match(const Task&, Matching&) override;
  void weigh(const Task&, std::vector<float>& weight) override;
  void fill(const Requests&, std::vector<float>& weight) const;

  Assignment assignment_;
  std::vector<float> weights_;
};

struct MaxWeightConfig {
  double alpha = 1;

  bool operator==(const MaxWeightConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("alpha", c.alpha,
          FieldDoc{.doc = "the weight of a queue of q cells is q^alpha; 0: the largest matching",
                   .min = 0,
                   .max = 4,
                   .tune = "0|0.05|0.1|0.2|0.5|1|1.5|2"});
  }
};

/// The matching of the largest sum of queue^alpha. Stable for every admissible load: N. McKeown et
/// al., "Achieving 100% throughput in an input-queued switch", IEEE Trans. Comm. 47(8), 1999
/// (alpha = 1). Smaller alpha has smaller delays: I. Keslassy, N. McKeown, "Analysis of scheduling
/// algorithms that provide 100% throughput in input-queued switches", Allerton 2001.
class MaxWeight final : public HeaviestPolicy {
 public:
  using Config = MaxWeightConfig;
  [[nodiscard]] static PolicyInfo info();
  MaxWeight(const Config&, const Spec&);

 private:
  [[nodiscard]] float weight(float queue, float age) const override;
  [[nodiscard]] float power(float queue) const;

  double alpha_;
  std::vector<float> powers_;  // of small queues
};

/// The matching of the largest sum of ages of the oldest cells. These are the ages that the cells
/// have at the end of the slot if they stay, voq.age + 1. What is added to every age favours larger
/// matchings. With voq.age itself the mean delay is 9 % longer (8 ports, uniform traffic, load
/// 0.9). Source: A. Mekkittikul, N. McKeown, "A starvation-free algorithm for achieving 100%
/// throughput in an input-queued switch", ICCCN 1996.
class OldestCell final : public HeaviestPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit OldestCell(const Spec& spec) : HeaviestPolicy(spec) {}

 private:
  [[nodiscard]] float weight(float queue, float age) const override;
};

/// Greedy: the longest queue whose input and output are free, again and again; the oldest cell
/// among equals, then the first element. Source: N. McKeown, "Scheduling algorithms for
/// input-queued cell switches", PhD thesis, Berkeley 1995 (iLQF without the ties at random).
class LongestQueue final : public MatchingPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit LongestQueue(const Spec& spec) : MatchingPolicy(spec) {}

 private:
  void match(const Task&, Matching&) override;
  std::vector<std::int32_t> order_;
};

struct IterationsConfig {
  std::int32_t iterations = 4;

  bool operator==(const IterationsConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("iterations", c.iterations,
          FieldDoc{.doc = "rounds of requests, grants and acceptances; where a slot may not idle, "
                          "more follow until its matching is maximal",
                   .min = 1,
                   .max = kMaxPorts});
  }
};

/// Rounds in which each free output grants one request and each free input accepts one grant.
class IteratedPolicy : public MatchingPolicy {
 public:
  IteratedPolicy(const IterationsConfig& c, const Spec& spec)
      : MatchingPolicy(spec), iterations_(c.iterations) {}

 protected:
  /// A port of a set that is not empty, one bit each.
  [[nodiscard]] virtual std::size_t grant(const Task&, Rng&, std::size_t output,
                                          std::uint64_t inputs) const = 0;
  [[nodiscard]] virtual std::size_t accept(const Task&, Rng&, std::size_t input,
                                           std::uint64_t outputs) const = 0;
  /// A pair was accepted in the first round of a slot.
  virtual void first_accepted(Memory&, std::size_t input, std::size_t output) const {
    static_cast<void>(input), static_cast<void>(output);
  }

 private:
  struct Free {
    std::uint64_t inputs, outputs;
  };
  void match(const Task&, Matching&) override;
  /// One round; false where nothing could be added.
  bool iterate(const Task&, Rng&, bool first, Free&, Matching&) const;

  std::int32_t iterations_;
};

/// Parallel iterative matching: grants and acceptances are drawn at random. Source: T. Anderson, S.
/// Owicki, J. Saxe, C. Thacker, "High-speed switch scheduling for local-area networks", ACM TOCS
/// 11(4), 1993.
class Pim final : public IteratedPolicy {
 public:
  using Config = IterationsConfig;
  [[nodiscard]] static PolicyInfo info();
  using IteratedPolicy::IteratedPolicy;

 private:
  [[nodiscard]] std::size_t grant(const Task&, Rng&, std::size_t output,
                                  std::uint64_t inputs) const override;
  [[nodiscard]] std::size_t accept(const Task&, Rng&, std::size_t input,
                                   std::uint64_t outputs) const override;
};

/// iSLIP: grants and acceptances go round robin; pointers move one beyond a grant that is accepted
/// in the first round of a slot. Source: N. McKeown, "The iSLIP scheduling algorithm for
/// input-queued switches", IEEE/ACM Trans. Networking 7(2), 1999.
class Islip final : public IteratedPolicy {
 public:
  using Config = IterationsConfig;
  [[nodiscard]] static PolicyInfo info();
  using IteratedPolicy::IteratedPolicy;

 private:
  [[nodiscard]] std::size_t grant(const Task&, Rng&, std::size_t output,
                                  std::uint64_t inputs) const override;
  [[nodiscard]] std::size_t accept(const Task&, Rng&, std::size_t input,
                                   std::uint64_t outputs) const override;
  void first_accepted(Memory&, std::size_t input, std::size_t output) const override;
};

}  // namespace park::switch_scheduling
