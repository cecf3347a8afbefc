#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/batch.h"
#include "park/core/env.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/abr/layout.h"
#include "park/envs/abr/model.h"

namespace park::abr {

/// The best qualities of a session whose bandwidth is known, as far as a search has found them.
struct OfflinePlan {
  std::vector<std::int32_t> qualities;  ///< qualities of the chunks after the first
  double qoe = 0;                       ///< their mean QoE: what the environment will say
  /// No sequence of qualities has a larger mean QoE; qoe and bound enclose the optimum. Infinite
  /// where download times are noisy.
  double bound = 0;
};

/// Plans forward, chunk by chunk. A partial plan is a label: its last quality, the time, the stall
/// so far, and quality minus changes so far. Take two labels of a chunk with the same last quality.
/// If one has no more time, no more stall and no less quality, every continuation keeps it so, and
/// the other one is dropped. A download that starts earlier does not end later. The stall after a
/// download that ends at time t is the larger of the stall before and t - startup - video fetched
/// before.
///
/// At most `labels` are kept of each quality and chunk: those with the largest bound on their total
/// (FutureBound), a beam. A second search gives the bound. In it the player waits no longer than
/// necessary, not in steps of 0.5 s, so that the argument above is exact. Labels dropped by the
/// limit count with the largest total that they could have reached.
[[nodiscard]] OfflinePlan offline_plan(const AbrModel&, const Episode&, std::size_t labels);

/// The most that the remaining chunks of a session can gain if the bandwidth is known. The
/// relaxation: chunks may be mixed from encodings, changes cost nothing, and only the deadline of
/// the last chunk counts. The optimum is a fractional knapsack: each byte that the link delivers
/// until then goes where it gains most. A stall moves the deadline and costs what it costs.
class FutureBound {
 public:
  FutureBound(const AbrModel&, const Episode&);

  /// From now on bounds are for sessions with that number of chunks. The number never decreases.
  void go_to(std::size_t chunks);
  /// Upper bound of the sum of QoE of the chunks that are left. REQUIRES that one is.
  [[nodiscard]] double of(const AbrSession&) const;

 private:
  /// More bytes for a chunk, for more quality.
  struct Upgrade {
    std::size_t chunk;
    double bytes, quality;
  };
  void add_upgrades(std::size_t chunk);
  void read_link(const AbrModel::Start&);
  /// Bytes of video that the link delivers in its first seconds.
  [[nodiscard]] double delivered(double link_s) const;
  /// The largest sum of quality, and how much a further byte would bring.
  struct Best {
    double quality, per_byte;
  };
  [[nodiscard]] Best spend(double bytes) const;
  [[nodiscard]] double with_stalls(double from_bytes, double end_s) const;

  const AbrModel& model_;
  double most_bytes_per_s_ = 0;
  std::vector<double> time_s_, bytes_;  // what the link has delivered when an interval ends
  std::vector<Upgrade> upgrades_;       // of the chunks left, those that bring most per byte first
  std::vector<double> least_bytes_, least_quality_;  // of a chunk
  std::size_t chunks_ = 0;
  double base_bytes_ = 0, base_quality_ = 0;     // sums of the least
  std::vector<double> sum_bytes_, sum_quality_;  // after each upgrade
};

struct OfflineOptimumConfig {
  std::int32_t labels = 200;

  bool operator==(const OfflineOptimumConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("labels", c.labels,
          FieldDoc{.doc = "partial plans that are kept of each chunk and quality: more are slower "
                          "and closer to the optimum",
                   .min = 1,
                   .max = 1'000'000});
  }
};

/// An oracle: knows the bandwidth of the whole session, plans it when an episode begins
/// (offline_plan) and plays the plan. No policy that has to do without can be better, but for what
/// the plan misses; a horizon is not planned for. It builds a simulator of its own from the text of
/// the environment, so it is for environments that a registry has made.
class OfflineOptimum final : public RowPolicy {
 public:
  using Config = OfflineOptimumConfig;
  [[nodiscard]] static PolicyInfo info();
  /// Throws Error{unavailable} if the spec has no text.
  OfflineOptimum(const Config&, const Spec&);
  void start(std::uint32_t slot, const Episode&, Rng) override;

 private:
  void choose(const Ask&, ConstRow observation, Row action) override;
  AbrModel model_;
  std::size_t labels_;
  PlayerLayout layout_;
  std::vector<std::vector<std::int32_t>> plans_;  // of each slot
};

}  // namespace park::abr
