// The best plan of an episode whose bandwidth is known. A Front holds the labels of one chunk, by
// last quality; a label is a partial plan with its time, stall and quality. Search extends the
// front chunk by chunk, drops labels that another one dominates, and keeps those with the best
// FutureBound. A second, relaxed search gives the upper bound. The policy offline_optimum computes
// a plan when an episode starts and plays it back.
#include "park/envs/abr/offline.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/abr/config.h"
#include "park/envs/abr/link.h"

namespace park::abr {

namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr double kRounding = 1e-9;

/// A partial plan.
struct Label {
  AbrSession session;
  double stall_s = 0;      // after the first chunk
  double quality = 0;      // minus changes
  double most = 0;         // what the whole video can come to
  std::uint32_t step = 0;  // how it came about, in Search::steps_
};

/// The labels of a chunk, by their last quality.
using Front = std::vector<std::vector<Label>>;

class Search {
 public:
  /// Labels that cannot come to more than `known` are of no use.
  Search(const AbrModel& model, const Episode& episode, std::size_t labels, bool relaxed,
         double known)
      : model_(model),
        episode_(episode),
        start_(model.start(episode)),
        labels_(labels),
        relaxed_(relaxed),
        known_(known),
        future_(model, episode) {}

  struct Result {
    double best;     ///< sum of QoE of the best plan found, or `known` where none is better
    double dropped;  ///< the most that a label dropped for want of room could have come to
    std::vector<std::int32_t> qualities;
  };
  Result run() {
    Front front(model_.rates());
    front[first()].push_back(first_label());
    for (std::size_t chunk = 1; chunk < model_.chunks(); ++chunk) front = next(front, chunk);
    Result result{.best = known_, .dropped = dropped_, .qualities = {}};
    const Label* best = nullptr;
    for (const auto& labels : front)
      for (const Label& l : labels)
        if (best == nullptr || value(l) > value(*best)) best = &l;
    if (best == nullptr) return result;
    result.best = std::max(known_, value(*best));
    for (std::uint32_t s = best->step; s != kNone; s = steps_[s].before)
      result.qualities.push_back(steps_[s].quality);
    std::ranges::reverse(result.qualities);
    return result;
  }

 private:
  struct Step {
    std::uint32_t before;
    std::int32_t quality;
  };

  [[nodiscard]] const Link& link() const { return model_.link(start_.link); }
  [[nodiscard]] std::size_t first() const {
    return static_cast<std::size_t>(model_.config().first_quality);
  }
  [[nodiscard]] double value(const Label& l) const {
    return l.quality - model_.qoe().stall_penalty * l.stall_s;
  }

  [[nodiscard]] Label first_label() const {
    Label l{.session = {.link = start_.position}, .step = kNone};
    static_cast<void>(
        model_.fetch(link(), l.session, model_.bytes(first(), 0), model_.noise(episode_, 0)));
    wait(l.session);
    return l;
  }

  void wait(AbrSession& s) const {
    if (!relaxed_) {
      static_cast<void>(model_.wait(link(), s));
      return;
    }
    const double over_s = s.buffer_s - model_.config().buffer_s;
    if (over_s <= 0) return;
    link().pass(s.link, over_s);
    s.time_s += over_s;
    s.buffer_s -= over_s;
  }

  Front next(const Front& front, std::size_t chunk) {
    Front reached(model_.rates());
    future_.go_to(chunk + 1);
    for (std::size_t q = 0; q < reached.size(); ++q) {
      for (std::size_t before = 0; before < front.size(); ++before)
        for (const Label& from : front[before]) extend(from, before, q, chunk, reached[q]);
      drop_dominated(reached[q]);
      drop_surplus(reached[q]);
      for (Label& l : reached[q]) {
        steps_.push_back({l.step, static_cast<std::int32_t>(q)});
        l.step = static_cast<std::uint32_t>(steps_.size() - 1);
      }
    }
    return reached;
  }

  void extend(const Label& from, std::size_t before, std::size_t quality, std::size_t chunk,
              std::vector<Label>& to) const {
    Label l = from;
    const AbrFetch f = model_.fetch(link(), l.session, model_.bytes(quality, chunk),
                                    model_.noise(episode_, chunk));
    l.stall_s += f.stall_s;
    l.quality += model_.qoe().of(quality, before, 0);
    const bool last = chunk + 1 == model_.chunks();
    if (!last) wait(l.session);
    l.most = value(l) + (last ? 0 : future_.of(l.session));
    if (l.most > known_ + kRounding) to.push_back(l);
  }

  /// Drops labels that another one makes needless.
  static void drop_dominated(std::vector<Label>& all) {
    std::ranges::sort(all, {}, [](const Label& l) {
      return std::tuple(l.session.time_s, l.stall_s, -l.quality);
    });
    std::map<double, double> best;  // stall -> quality, both rising, of the labels kept so far
    std::erase_if(all, [&](const Label& l) {
      const auto after = best.upper_bound(l.stall_s);
      if (after != best.begin() && std::prev(after)->second >= l.quality) return true;
      auto worse = best.lower_bound(l.stall_s);
      while (worse != best.end() && worse->second <= l.quality) worse = best.erase(worse);
      best[l.stall_s] = l.quality;
      return false;
    });
  }

  /// Keeps those that can come to most.
  void drop_surplus(std::vector<Label>& all) {
    if (all.size() <= labels_) return;
    const auto end = all.begin() + static_cast<std::ptrdiff_t>(labels_);
    std::ranges::nth_element(all, end, std::greater{}, &Label::most);
    dropped_ = std::max(dropped_, end->most);
    all.erase(end, all.end());
  }

  const AbrModel& model_;
  const Episode& episode_;
  AbrModel::Start start_;
  std::size_t labels_;
  bool relaxed_;
  double known_;
  FutureBound future_;
  double dropped_ = -std::numeric_limits<double>::infinity();
  std::vector<Step> steps_;
};

}  // namespace

OfflinePlan offline_plan(const AbrModel& model, const Episode& episode, std::size_t labels) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(model.chunks() - 1);
  auto found = Search(model, episode, labels, false, kNothing).run();
  OfflinePlan plan{.qualities = std::move(found.qualities),
                   .qoe = found.best / n,
                   .bound = std::numeric_limits<double>::infinity()};
  if (model.config().noise > 0) return plan;
  const auto relaxed = Search(model, episode, labels, true, found.best).run();
  plan.bound = std::max(relaxed.best, relaxed.dropped) / n;
  return plan;
}

namespace {

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
  const Link& link = model_.link(start.link);
  const AbrConfig& c = model_.config();
  // Twice the video: a later end is bounded by the largest rate.
  const double enough_s = 2 * c.chunk_s * static_cast<double>(model_.chunks()) + c.buffer_s;
  time_s_ = {0};
  bytes_ = {0};
  for (std::size_t i = 1; i <= link.intervals(); ++i)
    most_bytes_per_s_ = std::max(most_bytes_per_s_, link.mbps(i) * kBytesPerMegabit * c.payload);
  LinkPosition at = start.position;
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
  const AbrConfig& c = model_.config();
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

namespace {

AbrModel model_of(const Spec& spec) {
  if (spec.text.empty())
    throw Error(Errc::unavailable, "offline_optimum needs the text of its environment, and '" +
                                       spec.name + "' was not made from one");
  return AbrModel(parse_config<AbrConfig>(parse_text(spec.text)));
}

}  // namespace

PolicyInfo OfflineOptimum::info() {
  return {.name = "offline_optimum",
          .summary =
              "an oracle: the best plan for the bandwidth that is going to be, on average within "
              "0.001 of the largest QoE there is",
          .reference =
              "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, "
              "SIGCOMM 2017, section 5.2 (offline optimal)",
          .environments = {"abr"}};
}

OfflineOptimum::OfflineOptimum(const Config& c, const Spec& spec)
    : model_(model_of(spec)),
      labels_(static_cast<std::size_t>(c.labels)),
      layout_(bind_layout<PlayerLayout>(spec)) {
  if (model_.rates() != layout_.rate_mbps.width)
    throw Error(Errc::invalid_space, "spec " + spec.name + ": observation leaf 'rate.mbps' is of " +
                                         std::to_string(layout_.rate_mbps.width) +
                                         " encodings, its text has " +
                                         std::to_string(model_.rates()));
}

void OfflineOptimum::start(std::uint32_t slot, const Episode& e, Rng) {
  if (slot >= plans_.size()) plans_.resize(slot + 1);
  plans_[slot] = offline_plan(model_, e, labels_).qualities;
}

void OfflineOptimum::choose(const Ask& ask, ConstRow row, Row action) {
  const std::vector<std::int32_t>& plan = plans_[ask.slot];
  const auto left = static_cast<std::size_t>(row.scalar(layout_.left));
  if (left < 1 || left > plan.size())
    throw Error(Errc::invalid_space, "chunk.left: " + std::to_string(left) + ", the plan has " +
                                         std::to_string(plan.size()) + " chunks");
  action.scalar(layout_.quality) = plan[plan.size() - left];
}

}  // namespace park::abr
