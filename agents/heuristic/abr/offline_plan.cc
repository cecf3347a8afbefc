#include "agents/heuristic/abr/offline_plan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "agents/heuristic/abr/offline_bound.h"

namespace park::heuristics {
namespace {

using envs::AbrFetch;
using envs::AbrModel;
using envs::AbrSession;
using envs::Link;

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

}  // namespace park::heuristics
