#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/rng.h"
#include "park/core/space.h"
#include "park/envs/region_assignment/config.h"
#include "park/envs/region_assignment/sites.h"

namespace park::region_assignment {

/// Sites that an account has users in: its home, then three others.
inline constexpr std::size_t kAccountSites = 4;
/// Weights are multiples of it, so that sums of them are exact.
inline constexpr double kWeightStep = 1.0 / 1024;

/// An account as it arrives.
struct Account {
  double arrives_s = 0;
  double lifetime_s = 0;                           ///< inf where accounts are permanent
  double weight = 0;                               ///< a multiple of kWeightStep
  std::array<std::size_t, kAccountSites> sites{};  ///< the home first
  std::array<double, kAccountSites> demand{};      ///< share of each; they add up to 1

  /// Effective number of sites: 1 / sum of the squared shares.
  [[nodiscard]] double spread() const noexcept;
  /// Demand-weighted mean of the round trips to a region.
  [[nodiscard]] double round_trip_s(std::size_t region) const noexcept;
};

/// The exogenous input of region_assignment: the accounts of an episode, one after the other.
/// Account k takes child k of the streams "gaps", "weights", "lifetimes", "homes", "shares" and
/// "others" of the episode's inputs. It does not depend on other accounts but for its time. The
/// first one arrives at time 0, which is 00:00 UTC. Copies continue independently.
class AccountSource {
 public:
  /// REQUIRES a configuration that parse_config accepts.
  explicit AccountSource(const RegionConfig&);

  void reset(std::uint64_t inputs) noexcept;
  /// Draws all accounts but the first ones, which have arrived by now, from other inputs. The next
  /// one arrives after now. REQUIRES an account that has arrived.
  void draw_future(std::uint64_t inputs, std::uint64_t arrived, double now_s) noexcept;
  /// May be called any number of times; `accounts` is a limit for whoever calls.
  [[nodiscard]] Account next();
  /// Accounts that `next` has returned.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  /// Drawn for account k; inf where accounts are permanent.
  [[nodiscard]] double lifetime_of(std::uint64_t k) const noexcept;
  /// Capacity of all regions in this episode. See RegionConfig::load.
  [[nodiscard]] double total_capacity() const noexcept;

  /// Mean of the weight before it is rounded to kWeightStep.
  [[nodiscard]] static double mean_weight(const RegionConfig&);

 private:
  [[nodiscard]] double weight_of(std::uint64_t k) const noexcept;
  [[nodiscard]] std::size_t home_of(std::uint64_t k, double time_s) const noexcept;

  RegionConfig config_;
  double mean_weight_;
  Rng gaps_, weights_, lifetimes_, homes_, shares_, others_;
  double now_s_ = 0;
  std::uint64_t count_ = 0;
};

/// Rate of new accounts of each site relative to the mean over the day: exp(sun cos(angle)).
[[nodiscard]] std::array<double, kSites> site_activity(double sun, double time_s);

}  // namespace park::region_assignment
