#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "agents/heuristic/load_balance/server_view.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::heuristics {

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
                   .tune = "0.5:3:0.25"});
  }
};

/// Each server gets the jobs of one interval of sizes: the slowest one the smallest jobs (the lower
/// index first among equals). The limits follow from the sizes that the episode has shown so far:
/// with u the part of the work seen that came in jobs smaller than this one (those of about its own
/// size count half), the job goes to the first server whose cumulative share is at least u. Sizes
/// are told apart by quarters of an octave. Only the observation is used, never the configuration.
/// Source: M. Harchol-Balter, M. Crovella, C. Murta, "On choosing a task assignment policy for a
/// distributed server system", JPDC 59, 1999 (SITA-E), with shares for servers of unequal speed.
class SizeInterval final : public Policy {
 public:
  using Config = SizeIntervalConfig;
  [[nodiscard]] static PolicyInfo info();
  SizeInterval(const Config& c, const Spec& spec) : view_(spec), balance_(c.balance) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;

 private:
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

  ServerView view_;
  double balance_;
  std::vector<Slot> slots_;
};

}  // namespace park::heuristics
