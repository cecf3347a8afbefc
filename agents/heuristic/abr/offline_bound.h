#pragma once

#include <cstddef>
#include <vector>

#include "park/core/env.h"
#include "park/envs/abr/model.h"

namespace park::heuristics {

/// What the chunks that are left of a session can still bring at most, where the bandwidth is
/// known. The relaxation: chunks may be mixed from encodings, changes cost nothing, and only the
/// last deadline counts, that of the last chunk; so the best is to spend the bytes that the link
/// delivers until then where they bring most (a fractional knapsack). A stall moves the deadline
/// and costs what it costs.
class FutureBound {
 public:
  FutureBound(const envs::AbrModel&, const Episode&);

  /// From here on, bounds are for sessions that have that many chunks. Never goes back.
  void go_to(std::size_t chunks);
  /// Of the sum of QoE of the chunks that are left. REQUIRES that one is.
  [[nodiscard]] double of(const envs::AbrSession&) const;

 private:
  /// More bytes for a chunk, for more quality.
  struct Upgrade {
    std::size_t chunk;
    double bytes, quality;
  };
  void add_upgrades(std::size_t chunk);
  void read_link(const envs::AbrModel::Start&);
  /// Bytes of video that the link delivers in its first seconds.
  [[nodiscard]] double delivered(double link_s) const;
  /// The largest sum of quality, and how much a further byte would bring.
  struct Best {
    double quality, per_byte;
  };
  [[nodiscard]] Best spend(double bytes) const;
  [[nodiscard]] double with_stalls(double from_bytes, double end_s) const;

  const envs::AbrModel& model_;
  double most_bytes_per_s_ = 0;
  std::vector<double> time_s_, bytes_;  // what the link has delivered when an interval ends
  std::vector<Upgrade> upgrades_;       // of the chunks left, those that bring most per byte first
  std::vector<double> least_bytes_, least_quality_;  // of a chunk
  std::size_t chunks_ = 0;
  double base_bytes_ = 0, base_quality_ = 0;     // sums of the least
  std::vector<double> sum_bytes_, sum_quality_;  // after each upgrade
};

}  // namespace park::heuristics
