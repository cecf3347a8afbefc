#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "park/envs/region_assignment/config.h"

namespace park::region_assignment {

/// Capacity of the regions and what of it is used. Weights are multiples of kWeightStep, so that
/// used capacity is exact however accounts come and leave.
class Regions {
 public:
  explicit Regions(std::size_t regions) : capacity_(regions), used_(regions) {}

  /// Nothing is used. `shares` [regions] are those of the total capacity.
  void reset(double total, std::span<const double> shares) noexcept {
    for (std::size_t k = 0; k < size(); ++k) capacity_[k] = total * shares[k], used_[k] = 0;
    used_by_all_ = peak_ = 0;
    total_ = total;
  }
  [[nodiscard]] std::size_t size() const noexcept { return capacity_.size(); }
  [[nodiscard]] double capacity(std::size_t k) const noexcept { return capacity_[k]; }
  [[nodiscard]] double used(std::size_t k) const noexcept { return used_[k]; }
  [[nodiscard]] bool fits(std::size_t k, double weight) const noexcept {
    return used_[k] + weight <= capacity_[k];
  }
  void add(std::size_t k, double weight) noexcept {
    used_[k] += weight;
    used_by_all_ += weight;
    if (used_by_all_ > peak_) peak_ = used_by_all_;
  }
  void remove(std::size_t k, double weight) noexcept {
    used_[k] -= weight;
    used_by_all_ -= weight;
  }
  /// Most of the capacity of all that was used at once. [0, 1]
  [[nodiscard]] double peak_share() const noexcept { return peak_ / total_; }

 private:
  std::vector<double> capacity_, used_;
  double total_ = 1, used_by_all_ = 0, peak_ = 0;
};

}  // namespace park::region_assignment
