// Heuristics that choose a server, each with its fields and its source. Every policy binds the
// layout of the environment to the spec and answers row by row. Those with a Slot remember what an
// episode has brought so far. register.cc adds them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/load_balance/layout.h"

namespace park::load_balance {

/// The position of the smallest value, the lowest among equals. REQUIRES values.
[[nodiscard]] std::int32_t smallest(std::span<const float> values) noexcept;

/// Decision k of an episode goes to server k mod n, regardless of the state of the servers.
class RoundRobin final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit RoundRobin(const Spec& spec) : layout_(bind_layout<ServersLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  ServersLayout layout_;
};

/// The server with the fewest jobs, the one in service counted; the lowest index among equals.
/// Optimal for equal servers and exponential sizes when only the numbers of jobs are known:
/// W. Winston, "Optimality of the shortest line discipline", J. Appl. Prob. 14, 1977.
class ShortestQueue final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit ShortestQueue(const Spec& spec) : layout_(bind_layout<ServersLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  ServersLayout layout_;
};

/// The server with the least work left, in units of work, so without regard to its rate; the lowest
/// index among equals. With equal rates this serves jobs in the same order as one queue for all
/// servers. That order is optimal among those that ignore sizes: D. J. Daley, "Certain optimality
/// properties of the first-come first-served discipline for G/G/s queues", Stoch. Proc. Appl. 25,
/// 1987.
class LeastWork final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit LeastWork(const Spec& spec) : layout_(bind_layout<ServersLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  ServersLayout layout_;
};

/// The server that would complete the job first: the smallest drain time + size / rate, so the
/// greedy choice for the response time of this job. The lowest index among equals. The name follows
/// S. A. Banawan and N. M. Zeidat, "A comparative study of load sharing in heterogeneous
/// multicomputer systems", 1992; sizes are known here, so the delay is exact.
class ShortestExpectedDelay final : public RowPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  explicit ShortestExpectedDelay(const Spec& spec) : layout_(bind_layout<ServersLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  ServersLayout layout_;
};

struct PowerOfDConfig {
  std::int32_t d = 2;

  bool operator==(const PowerOfDConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("d", c.d,
          FieldDoc{.doc = "servers that are looked at; all of them where there are fewer",
                   .min = 1,
                   .max = 4096,
                   .tune = "1|2|3|4|5|6|8|10|12|16|24|32|64"});
  }
};

/// Looks at d different servers, drawn uniformly, and takes the one with the fewest jobs; the
/// lowest index among equals. Draws are keyed by (run, episode, sequence). Source: M. Mitzenmacher,
/// "The power of two choices in randomized load balancing", IEEE TPDS 12(10), 2001.
class PowerOfD final : public RowPolicy {
 public:
  using Config = PowerOfDConfig;
  [[nodiscard]] static PolicyInfo info();
  PowerOfD(const Config& c, const Spec& spec);
  void start(std::uint32_t slot, const Episode&, Rng) override;

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  void draw(Rng&);

  ServersLayout layout_;
  std::size_t servers_, d_;
  std::vector<Rng> rng_;              // of each slot
  std::vector<std::size_t> choices_;  // of one decision, increasing
};

struct SizeIntervalConfig {
  double balance = 1;

  bool operator==(const SizeIntervalConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("balance", c.balance,
          FieldDoc{.doc = "a server's share of the work is proportional to rate^balance: 1 gives "
                          "all the same load, more gives slow ones less",
                   .min = 0,
                   .max = 100,
                   .tune = "0|0.25|0.5|0.75|1|1.25|1.5|1.75|2|2.5|3|4|5|6|8|10|15|20|30"});
  }
};

/// Each server gets the jobs of one interval of sizes: the slowest one the smallest jobs (the lower
/// index first among equals). The limits follow from the sizes that the episode has shown so far.
/// Let u be the part of the work seen that came in jobs smaller than this one; jobs of about its
/// own size count half. The job goes to the first server whose cumulative share is at least u.
/// Sizes are distinguished by quarters of an octave. Only the observation is used, never the
/// config.
/// Source: M. Harchol-Balter, M. Crovella, C. Murta, "On choosing a task assignment policy for a
/// distributed server system", JPDC 59, 1999 (SITA-E), with shares for servers of unequal speed.
class SizeInterval final : public RowPolicy {
 public:
  using Config = SizeIntervalConfig;
  [[nodiscard]] static PolicyInfo info();
  SizeInterval(const Config& c, const Spec& spec)
      : layout_(bind_layout<ServersLayout>(spec)), balance_(c.balance) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  static constexpr int kBinsPerOctave = 4, kLowestOctave = -30, kOctaves = 90;
  static constexpr int kBins = kBinsPerOctave * kOctaves;  // sizes 1e-9 .. 1e18; beyond: the last

  struct Slot {
    std::array<double, kBins> work{};  // seen in jobs of these sizes
    double total = 0;
    std::vector<std::int32_t> order;  // servers, the slowest first
    std::vector<double> limits;       // cumulative shares, in that order
  };

  [[nodiscard]] static std::size_t bin(float size) noexcept;
  /// Counts the job and returns its u.
  [[nodiscard]] static double place(Slot&, float size) noexcept;
  void share(Slot&, std::span<const float> rates) const;

  ServersLayout layout_;
  double balance_;
  std::vector<Slot> slots_;
};

}  // namespace park::load_balance
