// Two static tasks on which evolved heuristics were published, with optima that an exact search proves.
// An episode is 50 cases. In a case items are placed on bins, one after the other; all of them are in view.
//
// - prism: models on GPUs of 80 GB (PRISM, arXiv 2505.04021, as posed in ADRS, arXiv 2510.06189). 5
//   to 9 GPUs, two models for each, sizes 10 .. 29, rates 1 .. 9, objectives 5 .. 9. The pressure
//   of a GPU is the sum of rate / objective over its free memory. The score is 1 + 1 / the mean of
//   the largest pressures.
// - experts: 16 experts with uneven loads on 4 GPUs with 4 places each, after EPLB without
//   replicas. The score is the mean of mean load / largest load.
//
// Cases are drawn, or the 50 published ones of prism: a Mersenne Twister seeded with 42, as NumPy draws.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <unordered_set>
#include <vector>

#include "park/core/layout.h"
#include "park/core/policy.h"
#include "park/core/registry.h"

namespace static_placement {

struct Item {
  double size = 0, load = 0;
  bool operator==(const Item&) const = default;
};

struct Case {
  std::vector<Item> items{};
  std::size_t bins = 1;
  double capacity = 1;
  bool over_free = false;  // the cost of a bin is its load over its free capacity

  [[nodiscard]] double cost(double size, double load) const {
    if (!over_free) return load;
    constexpr double kFull = 1e6;  // as published
    return capacity - size > 0 ? load / (capacity - size) : kFull;
  }
  bool operator==(const Case&) const = default;
};

struct Config {
  std::string task = "prism", cases = "drawn";
  bool operator==(const Config&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("task", self.task, park::FieldDoc{.doc = "what is placed", .choices = "prism|experts"});
    visit("cases", self.cases,
          park::FieldDoc{.doc = "published: the 50 cases of prism", .choices = "drawn|published"});
  }
  static void check(const Config& c, park::Violations& wrong) {
    if (c.cases == "published" && c.task != "prism")
      wrong.add("cases: published are those of task=prism");
  }
};

struct Layout : park::Layout {
  using park::Layout::Layout;
  static constexpr std::int64_t kItems = 18, kBins = 9;
  park::GroupOf items{observation, "items", kItems};
  park::GroupOf bins{observation, "bins", kBins};
  park::LeafOf<double> item_size{items, "item.size", {.high = 80, .doc = "of the capacity"}};
  park::LeafOf<double> item_load{items, "item.load", {.high = 1e6, .doc = "that it brings"}};
  park::LeafOf<double> size{bins, "bin.size", {.high = 2000, .doc = "in use"}};
  park::LeafOf<double> load{bins, "bin.load", {.high = 1e8, .doc = "sum of its items"}};
  park::LeafOf<std::uint8_t> fits{
      bins, "mask.bin", {.high = 1, .doc = "the item fits; 1 everywhere if it fits nowhere"}};
  park::LeafOf<std::int32_t> now{
      observation, "item.now", {.doc = "is placed", .index_of = "items"}};
  park::LeafOf<double> capacity{
      observation, "bin.capacity", {.low = 1, .high = 80, .doc = "of each"}};
  park::LeafOf<std::uint8_t> over_free{
      observation,
      "cost.over_free",
      {.high = 1, .doc = "1: cost is load over free capacity; 0: load"}};
  park::LeafOf<std::int32_t> bin{action, "bin", {.doc = "that gets the item", .index_of = "bins"}};
  park::MetricOf score{metrics, "score", {.lower_is_better = false, .doc = "as published"}};
};

/// Integers as numpy.random.randint draws them after numpy.random.seed.
class NumpyIntegers {
 public:
  explicit NumpyIntegers(std::uint32_t seed) : engine_(seed) {}
  /// Uniform in low .. high - 1: the low bits of a draw, until they are in range.
  double operator()(std::uint32_t low, std::uint32_t high) {
    const std::uint32_t most = high - low - 1;
    std::uint32_t mask = most;
    for (unsigned shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    std::uint32_t drawn = 0;
    while ((drawn = static_cast<std::uint32_t>(engine_()) & mask) > most) {
    }
    return low + drawn;
  }

 private:
  std::mt19937 engine_;
};

inline constexpr int kCases = 50;

template <class Integers>
Case prism_case(Integers&& draw) {
  Case one{.bins = static_cast<std::size_t>(draw(5, 10)), .capacity = 80, .over_free = true};
  for (std::size_t i = 0; i < 2 * one.bins; ++i) {
    const double size = draw(10, 30), rate = draw(1, 10), objective = draw(5, 10);
    one.items.push_back({size, rate / objective});
  }
  return one;
}

inline Case expert_case(park::Rng draw) {
  Case one{.bins = 4, .capacity = 4};
  for (int i = 0; i < 16; ++i) one.items.push_back({1, std::min(std::exp(draw.normal()), 1e6)});
  return one;
}

inline std::vector<Case> draw_cases(const Config& config, std::uint64_t inputs) {
  std::vector<Case> all;
  NumpyIntegers published(42);
  for (int k = 0; k < kCases; ++k) {
    park::Rng rng = park::Rng(inputs).split(static_cast<std::uint64_t>(k));
    const auto drawn = [&](std::uint32_t low, std::uint32_t high) {
      return static_cast<double>(low + rng.below(high - low));
    };
    all.push_back(config.task == "experts"      ? expert_case(rng)
                  : config.cases == "published" ? prism_case(published)
                                                : prism_case(drawn));
  }
  return all;
}

/// The environment.
class StaticPlacement final : public park::Env {
 public:
  using Config = static_placement::Config;
  static park::Spec spec(const Config&) {
    return Layout().spec({.name = "static_placement",
                          .summary = "place items on bins so that the costliest bin costs least",
                          .reference = "PRISM, arXiv 2505.04021; ADRS, arXiv 2510.06189"});
  }
  explicit StaticPlacement(const Config& config) : config_(config) {}

  void reset(const park::Episode& episode, park::Row row) override {
    cases_ = draw_cases(config_, episode.inputs);
    horizon_ = episode.horizon_s;
    at_ = item_ = 0;
    decisions_ = worst_ = balance_ = 0;
    begin_case();
    show(row);
  }
  park::Outcome step(park::ConstRow action, park::Row row) override {
    const Case& now = cases_[at_];
    const auto bin = static_cast<std::size_t>(action.scalar(layout_.bin));
    size_[bin] += now.items[item_].size;
    load_[bin] += now.items[item_].load;
    ++decisions_;
    double reward = 0;
    if (++item_ == now.items.size()) reward = end_case();
    const bool over = at_ == cases_.size();
    if (over) at_ = cases_.size() - 1, item_ = cases_[at_].items.size() - 1;
    show(row);
    const bool cut = !over && decisions_ >= horizon_;
    return {reward, 1, over ? park::End::terminated : cut ? park::End::truncated : park::End::none};
  }
  void metrics(std::span<double> out) const override {
    out[layout_.score] = done_ == 0                ? std::numeric_limits<double>::quiet_NaN()
                         : config_.task == "prism" ? 1 + done_ / worst_
                                                   : balance_ / done_;
  }

 private:
  void begin_case() {
    item_ = 0;
    if (at_ == 0) done_ = 0;
    if (at_ == cases_.size()) return;
    size_.assign(cases_[at_].bins, 0);
    load_.assign(cases_[at_].bins, 0);
  }
  double end_case() {
    const Case& now = cases_[at_];
    double worst = 0, sum = 0;
    for (std::size_t b = 0; b < now.bins; ++b) {
      worst = std::max(worst, now.cost(size_[b], load_[b]));
      sum += load_[b];
    }
    worst_ += worst;
    balance_ += sum / static_cast<double>(now.bins) / std::max(worst, 1e-300);
    ++done_;
    if (++at_ < cases_.size()) begin_case();
    return -worst;
  }
  void show(park::Row row) const {
    const Case& now = cases_[at_];
    row.resize(layout_.items, now.items.size());
    row.resize(layout_.bins, now.bins);
    for (std::size_t i = 0; i < now.items.size(); ++i) {
      row[layout_.item_size][i] = now.items[i].size;
      row[layout_.item_load][i] = now.items[i].load;
    }
    bool any = false;
    for (std::size_t b = 0; b < now.bins; ++b) {
      row[layout_.size][b] = size_[b];
      row[layout_.load][b] = load_[b];
      const bool fits = size_[b] + now.items[item_].size <= now.capacity;
      row[layout_.fits][b] = fits ? 1 : 0;
      any = any || fits;
    }
    if (!any) std::ranges::fill(row[layout_.fits], std::uint8_t{1});
    row.scalar(layout_.now) = static_cast<std::int32_t>(item_);
    row.scalar(layout_.capacity) = now.capacity;
    row.scalar(layout_.over_free) = now.over_free ? 1 : 0;
  }

  Layout layout_;
  Config config_;
  std::vector<Case> cases_;
  std::size_t at_ = 0, item_ = 0;
  double horizon_ = 0, decisions_ = 0, worst_ = 0, balance_ = 0, done_ = 0;
  std::vector<double> size_, load_;
};

/// A bin for each item.
using Plan = std::vector<std::size_t>;

/// The human baseline of ADRS: the largest load first, each on the bin that costs least before it.
inline Plan greedy_plan(const Case& one) {
  std::vector<std::size_t> order(one.items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return one.items[i].load; });
  Plan plan(one.items.size(), 0);
  std::vector<double> size(one.bins, 0), load(one.bins, 0);
  for (const std::size_t i : order) {
    std::size_t best = one.bins;
    for (std::size_t b = 0; b < one.bins; ++b)
      if (size[b] + one.items[i].size <= one.capacity &&
          (best == one.bins || one.cost(size[b], load[b]) < one.cost(size[best], load[best])))
        best = b;
    plan[i] = best == one.bins ? 0 : best;
    size[plan[i]] += one.items[i].size;
    load[plan[i]] += one.items[i].load;
  }
  return plan;
}

/// The best plan. Whether some plan costs less than K is a question of packing. A bin of such a
/// plan has items whose weights, load + K size, sum to less than K capacity. Where the cost is the
/// load, the weights are the loads alone, which sum to less than K. Bins are filled one after the
/// other, each beginning with the heaviest item that is left (bin completion; Korf, AAAI 2002).
/// What they leave unused may not exceed what all bins together leave. Bisection on K ends where a
/// plan is there and none costs one part in 10^9 less.
class ExactSearch {
 public:
  explicit ExactSearch(const Case& one)
      : case_(one), plan_(greedy_plan(one)), cost_(cost_of(plan_)) {
    constexpr double kExact = 1e-9;
    for (double low = 0; cost_ - low > kExact * cost_;) {
      const double middle = low == 0 ? lower_bound() : (low + cost_) / 2;
      if (low != 0 && cost_ - low < 4 * kExact * cost_) {
        low = cheaper_than(cost_ * (1 - kExact)) ? low : cost_;
      } else if (!cheaper_than(middle)) {
        low = middle;
      }
    }
  }
  [[nodiscard]] const Plan& plan() const { return plan_; }
  [[nodiscard]] double cost() const { return cost_; }

 private:
  [[nodiscard]] double cost_of(const Plan& plan) const {
    std::vector<double> size(case_.bins, 0), load(case_.bins, 0);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      size[plan[i]] += case_.items[i].size;
      load[plan[i]] += case_.items[i].load;
    }
    double worst = 0;
    for (std::size_t b = 0; b < case_.bins; ++b)
      worst = std::max(worst, case_.cost(size[b], load[b]));
    return worst;
  }
  /// What the bins cost if items could be cut.
  [[nodiscard]] double lower_bound() const {
    double size = 0, load = 0;
    for (const Item& item : case_.items) size += item.size, load += item.load;
    const auto bins = static_cast<double>(case_.bins);
    return case_.over_free ? load / (bins * case_.capacity - size) : load / bins;
  }
  /// Finds a plan that costs less than k, and takes it.
  bool cheaper_than(double k) {
    order_.resize(case_.items.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    weight_.clear();
    for (const Item& item : case_.items)
      weight_.push_back(item.load + (case_.over_free ? k * item.size : 0));
    std::ranges::stable_sort(order_, std::greater{}, [&](std::size_t i) { return weight_[i]; });
    room_ = case_.over_free ? k * case_.capacity : k;
    hopeless_.clear();
    tried_ = plan_;
    const std::uint32_t all = (std::uint32_t{1} << order_.size()) - 1;
    const double sum = std::accumulate(weight_.begin(), weight_.end(), 0.0);
    constexpr double kRounding = 1e-9;  // the last bin leaves exactly what may be left
    const double unused = (static_cast<double>(case_.bins) + kRounding) * room_ - sum;
    double free = static_cast<double>(case_.bins) * case_.capacity;
    for (const Item& item : case_.items) free -= item.size;
    if (!fill(all, 0, unused, free)) return false;
    plan_ = tried_;
    cost_ = cost_of(plan_);
    return true;
  }
  /// Fills the bins from `bin` on with the items that are left (bits by order_).
  bool fill(std::uint32_t left, std::size_t bin, double unused, double unused_size) {
    if (left == 0) return true;
    const std::uint64_t state = left | static_cast<std::uint64_t>(bin) << 32;
    if (bin == case_.bins || hopeless_.contains(state)) return false;
    const auto first = static_cast<std::size_t>(std::countr_zero(left));
    if (complete(left, first, bin, {room_, case_.capacity}, {unused, unused_size})) return true;
    hopeless_.insert(state);
    return false;
  }
  /// Weight and size.
  struct Amount {
    double weight, size;
  };
  /// Puts item k into the bin, which has `free`, then completes it with later ones.
  bool complete(std::uint32_t left, std::size_t k, std::size_t bin, Amount free, Amount unused) {
    free.weight -= weight_[order_[k]];
    free.size -= case_.items[order_[k]].size;
    if (free.weight <= 0 || free.size < 0) return false;
    left &= ~(std::uint32_t{1} << k);
    tried_[order_[k]] = bin;
    Amount later{0, 0};
    const auto count = [&](std::size_t i, double sign) {
      later.weight += sign * weight_[order_[i]];
      later.size += sign * case_.items[order_[i]].size;
    };
    for (std::size_t i = k + 1; i < order_.size(); ++i)
      if ((left >> i & 1) != 0) count(i, 1);
    for (std::size_t i = k + 1; i < order_.size(); ++i) {
      if (free.weight - later.weight > unused.weight || free.size - later.size > unused.size)
        return false;
      if ((left >> i & 1) == 0) continue;
      if (complete(left, i, bin, free, unused)) return true;
      count(i, -1);
    }
    return free.weight <= unused.weight && free.size <= unused.size &&
           fill(left, bin + 1, unused.weight - free.weight, unused.size - free.size);
  }

  const Case& case_;
  Plan plan_;
  double cost_;
  std::vector<std::size_t> order_;
  std::vector<double> weight_;
  double room_ = 0;
  Plan tried_;
  std::unordered_set<std::uint64_t> hopeless_;  // left, and the next bin
};

/// Places as a plan of the whole case says; where that bin is full, on the first that is not.
template <bool kExact>
class Planned final : public park::RowPolicy {
 public:
  static park::PolicyInfo info() {
    return {
        .name = kExact ? "exact" : "greedy_load",
        .summary = kExact ? "the optimum, by branch and bound" : "largest load on the cheapest bin",
        .reference = "ADRS, arXiv 2510.06189",
        .environments = {"static_placement"}};
  }
  explicit Planned(const park::Spec& spec) : layout_(park::bind_layout<Layout>(spec)) {}

 private:
  void choose(const park::Ask&, park::ConstRow row, park::Row action) override {
    Case one{.bins = row.count(layout_.bins),
             .capacity = row.scalar(layout_.capacity),
             .over_free = row.scalar(layout_.over_free) != 0};
    for (std::size_t i = 0; i < row.count(layout_.items); ++i)
      one.items.push_back({row[layout_.item_size][i], row[layout_.item_load][i]});
    if (!(one == case_)) {
      plan_ = kExact ? ExactSearch(one).plan() : greedy_plan(one);
      case_ = std::move(one);
    }
    const auto fits = row[layout_.fits];
    std::size_t bin = plan_[static_cast<std::size_t>(row.scalar(layout_.now))];
    if (fits[bin] == 0) bin = static_cast<std::size_t>(std::ranges::find(fits, 1) - fits.begin());
    action.scalar(layout_.bin) = static_cast<std::int32_t>(bin);
  }

  Layout layout_;
  Case case_;
  Plan plan_;
};

}  // namespace static_placement
