#include "agents/heuristic/abr/offline_bound.h"

#include <algorithm>
#include <functional>
#include <tuple>
#include <utility>

namespace park::heuristics {
namespace {

using envs::AbrModel;
using envs::AbrSession;

constexpr double kBytesPerMegabit = 1e6 / 8;
constexpr std::size_t kMostIntervals = 100'000;  // of the link that are known one by one

}  // namespace

FutureBound::FutureBound(const AbrModel& model, const Episode& e) : model_(model) {
  for (std::size_t chunk = 0; chunk < model.chunks(); ++chunk) add_upgrades(chunk);
  std::ranges::sort(upgrades_, std::greater{},
                    [](const Upgrade& u) { return u.quality / u.bytes; });
  read_link(model.start(e));
  go_to(0);
}

/// The upper concave hull of a chunk's encodings, from the smallest one on.
void FutureBound::add_upgrades(std::size_t chunk) {
  std::vector<std::pair<double, double>> options;  // bytes, quality
  for (std::size_t r = 0; r < model_.rates(); ++r)
    options.emplace_back(model_.bytes(r, chunk), model_.qoe().score[r]);
  std::ranges::sort(options, {}, [](const auto& o) { return std::pair(o.first, -o.second); });
  auto [bytes, quality] = options.front();
  least_bytes_.push_back(bytes);
  least_quality_.push_back(quality);
  for (;;) {
    const std::pair<double, double>* best = nullptr;
    const auto slope = [&](const auto& o) { return (o.second - quality) / (o.first - bytes); };
    for (const auto& o : options)
      if (o.first > bytes && o.second > quality && (best == nullptr || slope(o) >= slope(*best)))
        best = &o;
    if (best == nullptr) return;
    upgrades_.push_back({chunk, best->first - bytes, best->second - quality});
    std::tie(bytes, quality) = *best;
  }
}

void FutureBound::read_link(const AbrModel::Start& start) {
  const envs::Link& link = model_.link(start.link);
  const envs::AbrConfig& c = model_.config();
  // Twice the video: a later end is bounded by the largest rate.
  const double enough_s = 2 * c.chunk_s * static_cast<double>(model_.chunks()) + c.buffer_s;
  time_s_ = {0};
  bytes_ = {0};
  for (std::size_t i = 1; i <= link.intervals(); ++i)
    most_bytes_per_s_ = std::max(most_bytes_per_s_, link.mbps(i) * kBytesPerMegabit * c.payload);
  envs::LinkPosition at = start.position;
  while (time_s_.back() < enough_s && time_s_.size() < kMostIntervals) {
    const double rate = link.mbps(at.interval) * kBytesPerMegabit * c.payload;
    time_s_.push_back(time_s_.back() + link.left_s(at));
    bytes_.push_back(bytes_.back() + rate * link.left_s(at));
    link.next(at);
  }
}

void FutureBound::go_to(std::size_t chunks) {
  chunks_ = chunks;
  std::erase_if(upgrades_, [&](const Upgrade& u) { return u.chunk < chunks; });
  base_bytes_ = base_quality_ = 0;
  for (std::size_t i = chunks; i < model_.chunks(); ++i) {
    base_bytes_ += least_bytes_[i];
    base_quality_ += least_quality_[i];
  }
  sum_bytes_ = {base_bytes_};
  sum_quality_ = {base_quality_};
  for (const Upgrade& u : upgrades_) {
    sum_bytes_.push_back(sum_bytes_.back() + u.bytes);
    sum_quality_.push_back(sum_quality_.back() + u.quality);
  }
}

double FutureBound::delivered(double link_s) const {
  const auto after = std::ranges::upper_bound(time_s_, link_s);
  if (after == time_s_.begin()) return 0;
  const auto i = static_cast<std::size_t>(after - time_s_.begin());
  if (after == time_s_.end()) return bytes_.back() + (link_s - time_s_.back()) * most_bytes_per_s_;
  const double share = (link_s - time_s_[i - 1]) / (time_s_[i] - time_s_[i - 1]);
  return bytes_[i - 1] + share * (bytes_[i] - bytes_[i - 1]);
}

FutureBound::Best FutureBound::spend(double bytes) const {
  const auto after = std::ranges::upper_bound(sum_bytes_, bytes);
  if (after == sum_bytes_.end()) return {sum_quality_.back(), 0};
  const auto i = static_cast<std::size_t>(after - sum_bytes_.begin());
  const double per_byte =
      (sum_quality_[i] - sum_quality_[i - 1]) / (sum_bytes_[i] - sum_bytes_[i - 1]);
  return {sum_quality_[i - 1] + per_byte * (bytes - sum_bytes_[i - 1]), per_byte};
}

double FutureBound::of(const AbrSession& s) const {
  const envs::AbrConfig& c = model_.config();
  const auto left = static_cast<double>(model_.chunks() - chunks_);
  // The link stands still during the round trips.
  const double begin_s = s.time_s - c.rtt_s * static_cast<double>(chunks_);
  const double end_s = begin_s + s.buffer_s + c.chunk_s * (left - 1) - c.rtt_s * left;
  const double begin_bytes = begin_s < time_s_.back() ? delivered(begin_s) : bytes_.back();
  const double have = delivered(end_s) - begin_bytes;
  if (have >= base_bytes_) {
    const Best best = spend(have);
    if (best.per_byte * most_bytes_per_s_ <= model_.qoe().stall_penalty) return best.quality;
  }
  return with_stalls(begin_bytes, end_s);
}

/// The largest of spend(...) - penalty x stall over all stalls. Within an interval the gain of a
/// further second falls, so its beginning bounds it.
double FutureBound::with_stalls(double from_bytes, double end_s) const {
  const double penalty = model_.qoe().stall_penalty;
  const double most = sum_quality_.back();
  double best = base_quality_ - 1e12;
  auto i = static_cast<std::size_t>(std::ranges::upper_bound(time_s_, end_s) - time_s_.begin());
  for (double at_s = end_s, stall_s = 0;; ++i) {
    const bool known = i < time_s_.size();
    const double until_s = known ? time_s_[i] : kInf;
    double have = delivered(at_s) - from_bytes;
    const double rate = known && i > 0 ? (bytes_[i] - bytes_[i - 1]) / (time_s_[i] - time_s_[i - 1])
                                       : most_bytes_per_s_;
    if (have < base_bytes_) {  // it takes a stall to get the least of everything
      const double short_s = rate > 0 ? (base_bytes_ - have) / rate : kInf;
      const double step_s = std::min(short_s, until_s - at_s);
      at_s += step_s;
      stall_s += step_s;
      if (short_s > step_s) continue;
      have = base_bytes_;
    }
    const Best here = spend(have);
    const double gain = std::max(here.per_byte * rate - penalty, 0.0);
    const double value = here.quality - penalty * stall_s;
    best = std::max(best, gain > 0
                              ? std::min(value + gain * (until_s - at_s), most - penalty * stall_s)
                              : value);
    stall_s += until_s - at_s;
    at_s = until_s;
    if (!known || most - penalty * stall_s <= best) return best;
  }
}

}  // namespace park::heuristics
