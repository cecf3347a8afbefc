#include "park/envs/region_assignment/policies.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "park/core/text.h"

namespace park::region_assignment {
namespace {

RegionConfig config_of(const Spec& spec) {
  if (spec.text.empty())
    throw Error(Errc::unavailable, "learned_prices needs the text of its environment, and '" +
                                       spec.name + "' has none");
  return parse_config<RegionConfig>(parse_text(spec.text));
}

}  // namespace

RegionChoices::RegionChoices(const RegionLayout& l, ConstRow row)
    : mask_(row[l.mask]),
      reject_(row[l.reject]),
      number_(row[l.number]),
      cost_(row[l.cost]),
      used_share_(row[l.used_share]),
      weight_(row.scalar(l.weight)) {}

std::size_t RegionChoices::number(std::size_t e) const noexcept {
  return static_cast<std::size_t>(std::clamp(number_[e], 0, kMaxRegions));
}

void PricePolicy::choose(const Ask&, ConstRow row, Row action) {
  const RegionChoices choices(layout_, row);
  begin(layout_, row);
  std::size_t best = choices.size();
  double least = 0;
  for (std::size_t e = 0; e < choices.size(); ++e) {
    if (!choices.legal(e)) continue;
    const double unit = choices.rejects(e) ? 0 : price(choices, e);
    const double cost = choices.cost(e) + unit * choices.weight();
    if (best == choices.size() || cost < least) best = e, least = cost;
  }
  if (best < choices.size()) action.scalar(layout_.region) = static_cast<std::int32_t>(best);
}

PolicyInfo Cheapest::info() {
  return {.name = "cheapest",
          .summary = "the region that costs the account least, among those with free capacity",
          .reference = "greedy",
          .environments = {kRegionAssignmentName}};
}

PolicyInfo ExponentialPrice::info() {
  return {.name = "exponential_price",
          .summary = "the least cost plus a price that rises exponentially with the used share",
          .reference = "Aspnes et al., On-Line Routing of Virtual Circuits, JACM 44(3), 1997",
          .environments = {kRegionAssignmentName}};
}

double ExponentialPrice::price(const RegionChoices& choices, std::size_t e) const {
  return config_.full * (std::pow(config_.base, choices.used_share(e)) - 1) / (config_.base - 1);
}

PolicyInfo LearnedPricesPolicy::info() {
  return {.name = "learned_prices",
          .summary = "the least cost plus the shadow price of capacity on other days",
          .reference =
              "Agrawal, Wang, Ye, A Dynamic Near-Optimal Algorithm for Online Linear "
              "Programming, Operations Research 62(4), 2014",
          .environments = {kRegionAssignmentName}};
}

LearnedPricesPolicy::LearnedPricesPolicy(const Config& c, const Spec& spec)
    : PricePolicy(spec),
      learned_(config_of(spec), {.days = c.days, .seed = c.seed}),
      scale_(c.scale) {}

void LearnedPricesPolicy::begin(const RegionLayout& l, ConstRow row) {
  const double now_s = std::clamp(row.scalar(l.time_s), 0.0, 1e15);
  const double rest_s =
      static_cast<double>(row.scalar(l.to_come)) * static_cast<double>(row.scalar(l.interval_s));
  learned_.expected(now_s, now_s + rest_s, prices_);
}

double LearnedPricesPolicy::price(const RegionChoices& choices, std::size_t e) const {
  const std::size_t k = choices.number(e);
  return k < prices_.size() ? scale_ * prices_[k] : 0;
}

}  // namespace park::region_assignment
