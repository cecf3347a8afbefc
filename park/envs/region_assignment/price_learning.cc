// Shadow prices of other days. Day is one episode as the dual sees it: costs of its accounts and
// the hours in which they are present. DualAscent finds the prices of a day. LearnedPrices adds up
// the days when a policy is made, and is then asked once per decision.
#include "park/envs/region_assignment/price_learning.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "park/core/rng.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/residents.h"

namespace park::region_assignment {
namespace {

constexpr double kPriceHourS = 3600;
constexpr std::size_t kMostHours = 48;      // of a table
constexpr std::int32_t kMostLearned = 600;  // accounts of a day
constexpr double kMostAhead = 168;          // hours that an expectation looks ahead

struct Present {
  std::size_t hour;
  double share;  // of that hour
};

/// The accounts of one episode. Presences of account i are first[i] .. first[i + 1] - 1.
struct Day {
  std::vector<double> weight;
  std::vector<Costs> costs;  // of a unit of weight
  std::vector<std::size_t> first{0};
  std::vector<Present> present;
  double capacity = 0, ends_s = 0;

  void add(const Account& a, const RegionConfig& c, const std::vector<double>& prices) {
    weight.push_back(a.weight);
    Costs& unit = costs.emplace_back();
    for (std::size_t k = 0; k < prices.size(); ++k)
      unit[k] = a.round_trip_s(k) / c.round_trip_unit_s + c.price_weight * prices[k];
  }
  /// When it is known how many hours there are.
  void add_hours(double from_s, double to_s, std::size_t hours) {
    const auto begin = static_cast<std::size_t>(from_s / kPriceHourS);
    for (std::size_t h = begin; h < hours; ++h) {
      const double start_s = static_cast<double>(h) * kPriceHourS;
      const double in_s =
          std::min({to_s, start_s + kPriceHourS, ends_s}) - std::max(from_s, start_s);
      if (in_s <= 0) break;
      present.push_back({h, in_s / kPriceHourS});
    }
    first.push_back(present.size());
  }
};

std::size_t hours_of(double ends_s) {
  const double hours = std::ceil(ends_s / kPriceHourS);
  return static_cast<std::size_t>(std::clamp(hours, 1.0, static_cast<double>(kMostHours)));
}

/// Prices of a day that is known to its end.
class DualAscent {
 public:
  DualAscent(const RegionConfig& c, const Day& day, std::size_t hours)
      : config_(c),
        day_(day),
        regions_(c.region_count()),
        hours_(hours),
        prices_(hours * regions_),
        used_(hours * regions_),
        capacity_(hours * regions_) {
    const std::vector<double> shares = c.capacity_shares();
    for (std::size_t h = 0; h < hours; ++h) {
      const double left_s = day.ends_s - static_cast<double>(h) * kPriceHourS;
      const double open = c.permanent() ? 1 : std::clamp(left_s / kPriceHourS, 1e-3, 1.0);
      for (std::size_t k = 0; k < regions_; ++k)
        capacity_[h * regions_ + k] = day.capacity * shares[k] * open;
    }
  }

  /// Adds the prices that it finds to `table`.
  void run(std::int32_t iterations, std::vector<double>& table) {
    const double hours = config_.permanent() ? 1 : config_.lifetime_s / kPriceHourS;
    const double step = 0.3 / std::max(1.0, hours);
    const std::int32_t half = iterations / 2;
    for (std::int32_t n = 0; n < iterations; ++n) {
      assign();
      for (std::size_t i = 0; i < prices_.size(); ++i) {
        const double excess = used_[i] / capacity_[i] - 1;
        prices_[i] = std::max(0.0, prices_[i] + step / std::sqrt(n + 1.0) * excess);
        if (n >= half) table[i] += prices_[i] / (iterations - half);
      }
    }
  }

 private:
  /// Every account goes where it is cheapest at the present prices.
  void assign() {
    std::ranges::fill(used_, 0.0);
    for (std::size_t i = 0; i < day_.weight.size(); ++i) {
      Costs total = day_.costs[i];
      const auto present =
          std::span(day_.present).subspan(day_.first[i], day_.first[i + 1] - day_.first[i]);
      for (const Present& p : present)
        for (std::size_t k = 0; k < regions_; ++k)
          total[k] += p.share * prices_[p.hour * regions_ + k];
      const auto best = std::min_element(total.begin(), total.begin() + config_.regions);
      if (*best > config_.reject_cost) continue;
      const auto k = static_cast<std::size_t>(best - total.begin());
      for (const Present& p : present) used_[p.hour * regions_ + k] += day_.weight[i] * p.share;
    }
  }

  const RegionConfig& config_;
  const Day& day_;
  std::size_t regions_, hours_;
  std::vector<double> prices_, used_, capacity_;  // [hours][regions]
};

}  // namespace

LearnedPrices::LearnedPrices(const RegionConfig& c, const LearningOptions& options)
    : regions_(c.region_count()), permanent_(c.permanent()), lifetime_s_(c.lifetime_s) {
  const std::int32_t accounts = std::min(c.accounts, kMostLearned);
  RegionConfig known = c;
  known.accounts = accounts;
  if (!permanent_) hours_ = hours_of(accounts * c.interval_s);
  table_.assign(hours_ * regions_, 0.0);
  AccountSource source(known);
  const std::vector<double> prices = c.region_prices();
  const Rng days = Rng(options.seed).split("days");
  for (std::int32_t d = 0; d < options.days; ++d) {
    source.reset(days.split(static_cast<std::uint64_t>(d)).bits());
    Day day;
    day.capacity = source.total_capacity();
    std::vector<Account> all;
    for (std::int32_t i = 0; i < accounts; ++i) all.push_back(source.next());
    day.ends_s = permanent_ ? kInf : all.back().arrives_s;
    for (const Account& a : all) {
      day.add(a, c, prices);
      if (permanent_) {
        day.present.push_back({0, 1});
        day.first.push_back(day.present.size());
      } else {
        day.add_hours(a.arrives_s, a.arrives_s + a.lifetime_s, hours_);
      }
    }
    DualAscent(c, day, hours_).run(options.iterations, table_);
  }
  for (double& price : table_) price /= options.days;
}

std::size_t LearnedPrices::hour_of(double hour) const noexcept {
  const auto hours = static_cast<double>(hours_);
  if (hour < hours) return static_cast<std::size_t>(hour);
  if (hours_ < 24) return hours_ - 1;
  return hours_ - 24 + static_cast<std::size_t>(std::fmod(hour - hours, 24.0));
}

void LearnedPrices::expected(double time_s, double ends_s, std::vector<double>& prices) const {
  prices.assign(regions_, 0.0);
  if (permanent_) {
    prices = table_;
    return;
  }
  const double now = std::floor(time_s / kPriceHourS);
  for (double h = now; h < now + kMostAhead && h * kPriceHourS < ends_s; ++h) {
    const double from_s = std::max(0.0, h * kPriceHourS - time_s);
    const double to_s = std::min((h + 1) * kPriceHourS, ends_s) - time_s;
    // Expected time in this hour, of a lifetime that is memoryless.
    const double in_s =
        lifetime_s_ * (std::exp(-from_s / lifetime_s_) - std::exp(-to_s / lifetime_s_));
    if (!(to_s > from_s)) break;
    const double* row = table_.data() + hour_of(h) * regions_;
    for (std::size_t k = 0; k < regions_; ++k) prices[k] += row[k] * in_s / kPriceHourS;
  }
}

}  // namespace park::region_assignment
