// Asker plays slots of a policy; ChangeSearch tries all places of a row at one size of change, then at
// twice the size. Values are read and written as f64, in the type of their leaf.
#include "park/trees/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "park/core/error.h"
#include "park/core/with_type.h"

namespace park::trees {
namespace {

// Rows that are asked at a time.
constexpr std::size_t kRows = 64;
// Decisions by which is found whether a policy answers from rows alone.
constexpr std::size_t kProbes = 16;
constexpr double kSmallest = 1.0 / 64, kLargest = 16;  // standard deviations
constexpr int kHalvings = 10;
// A leaf with more entries is a picture and not a list of figures.
constexpr std::size_t kMostChanged = 64;

double read_number(DType type, const std::byte* at) {
  double out = 0;
  with_type(type, [&]<class T>(T value) {
    std::memcpy(&value, at, sizeof value);
    out = static_cast<double>(value);
  });
  return out;
}

void write_number(DType type, std::byte* at, double value) {
  with_type(type, [&]<class T>(T) {
    const T narrow = static_cast<T>(value);
    std::memcpy(at, &narrow, sizeof narrow);
  });
}

/// One number of a row.
struct Place {
  const Leaf* leaf = nullptr;
  std::size_t column = 0, at = 0;  // at: in the row's values of the column
  double from = 0, deviation = 0;
  bool whole = false;  // it counts something

  [[nodiscard]] std::size_t bytes() const { return at * size_of(leaf->dtype); }
  /// The value at a signed distance in deviations, no further than that.
  [[nodiscard]] double moved(double by) const {
    const double step = by * deviation;
    const double to = std::clamp(from + (whole ? std::trunc(step) : step), leaf->low, leaf->high);
    return leaf->dtype == DType::f32 ? static_cast<double>(static_cast<float>(to)) : to;
  }
};

class ChangeSearch {
 public:
  ChangeSearch(const Spec& spec, const PlayedEpisode& episode, std::size_t decision, Asker& asker,
               const Differs& differs)
      : episode_(episode),
        decision_(decision),
        asker_(asker),
        differs_(differs),
        rows_(spec.observation),
        actions_(spec.action) {}

  /// Adds the numbers of a column at these elements; elements of a leaf of the row: {0}.
  void add(const Leaf& leaf, std::size_t column, const std::vector<std::size_t>& elements) {
    const std::vector<Spread> spreads = spreads_of(leaf, column);
    const std::span row = episode_.observations.bytes(column, decision_, 1);
    for (const std::size_t element : elements)
      for (std::size_t e = 0; e < leaf.width(); ++e) {
        Place place{&leaf, column, element * leaf.width() + e};
        place.from = read_number(leaf.dtype, row.data() + place.bytes());
        place.deviation = spreads[e].deviation;
        place.whole = spreads[e].whole;
        if (place.deviation > 0) tries_.push_back({place, true, place.from});
        if (place.deviation > 0) tries_.push_back({place, false, place.from});
      }
  }

  std::optional<LeafChange> run() {
    for (double size = kSmallest; size <= kLargest; size *= 2) {
      std::vector<Try*> moved;
      for (Try& t : tries_) {
        t.next = t.place.moved(t.up ? size : -size);
        if (t.next != t.same) moved.push_back(&t);
      }
      std::vector<Try*> found = ask(moved);
      for (int k = 0; k < kHalvings && !found.empty(); ++k) halve(found);
      std::ranges::sort(found, {}, [](const Try* t) { return t->distance(); });
      for (const Try* t : found)
        if (auto change = verified(*t)) return change;
    }
    return {};
  }

 private:
  struct Try {
    Place place;
    bool up = true;
    double same = 0;   ///< the furthest value at which the answer stays
    double next = 0;   ///< that is asked
    double other = 0;  ///< the nearest value at which it differs
    std::size_t choice = 0;

    [[nodiscard]] double distance() const { return std::abs(other - place.from) / place.deviation; }
  };

  struct Spread {
    double deviation = 0;
    bool whole = true;
  };

  /// Of each entry, over all elements of all rows.
  [[nodiscard]] std::vector<Spread> spreads_of(const Leaf& leaf, std::size_t column) const {
    const Batch& all = episode_.observations;
    const std::span bytes = all.bytes(column, 0, all.rows());
    const std::size_t width = leaf.width(), n = bytes.size() / leaf.bytes();
    std::vector<Spread> out(width);
    for (std::size_t e = 0; e < width; ++e) {
      double mean = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const double v =
            read_number(leaf.dtype, bytes.data() + (i * width + e) * size_of(leaf.dtype));
        const double gap = v - mean;  // Welford, Technometrics 4, 1962
        mean += gap / static_cast<double>(i + 1);
        squares += gap * (v - mean);
        out[e].whole = out[e].whole && std::trunc(v) == v;
      }
      if (n > 1) out[e].deviation = std::sqrt(squares / static_cast<double>(n));
    }
    return out;
  }

  /// Asks about `next` of each; returns those to which the answer differs.
  std::vector<Try*> ask(const std::vector<Try*>& tries) {
    std::vector<Try*> found;
    for (std::size_t first = 0; first < tries.size(); first += kRows) {
      const std::size_t n = std::min(kRows, tries.size() - first);
      rows_.clear();
      for (std::size_t i = 0; i < n; ++i) append(tries[first + i]->place, tries[first + i]->next);
      asker_.ask(rows_, actions_, answered_);
      for (std::size_t i = 0; i < n; ++i) {
        Try& t = *tries[first + i];
        const auto choice = answered_[i] ? differs_(std::as_const(actions_).row(i)) : std::nullopt;
        if (!choice) {
          t.same = t.next;
          continue;
        }
        t.other = t.next;
        t.choice = *choice;
        found.push_back(&t);
      }
    }
    return found;
  }

  void append(const Place& place, double value) {
    rows_.append(episode_.observations, decision_);
    write_number(place.leaf->dtype,
                 rows_.bytes(place.column, rows_.rows() - 1, 1).data() + place.bytes(), value);
  }

  void halve(const std::vector<Try*>& found) {
    std::vector<Try*> between;
    for (Try* t : found) {
      const double middle = t->same + (t->other - t->same) / 2;
      t->next = t->place.whole ? t->same + std::trunc((t->other - t->same) / 2) : middle;
      if (t->place.leaf->dtype == DType::f32)
        t->next = static_cast<double>(static_cast<float>(t->next));
      if (t->next != t->same && t->next != t->other) between.push_back(t);
    }
    static_cast<void>(ask(between));
  }

  std::optional<LeafChange> verified(const Try& t) {
    rows_.clear();
    append(t.place, t.other);
    asker_.ask_anew(rows_, actions_);
    const auto choice = differs_(std::as_const(actions_).row(0));
    if (!choice) return {};
    const Leaf& leaf = *t.place.leaf;
    LeafChange change{.leaf = leaf.name, .group = leaf.group};
    change.entry = t.place.at % leaf.width();
    change.entries = leaf.width();
    if (!leaf.group.empty()) change.element = t.place.at / leaf.width();
    change.from = t.place.from;
    change.to = t.other;
    change.deviations = t.distance();
    change.choice = *choice;
    return change;
  }

  const PlayedEpisode& episode_;
  std::size_t decision_;
  Asker& asker_;
  const Differs& differs_;
  std::vector<Try> tries_;
  Batch rows_, actions_;
  std::vector<bool> answered_;
};

bool may_change(const Spec& spec, const FeatureHints& hints, const Leaf& leaf) {
  const bool of_head = std::ranges::any_of(spec.action.leaves, [&](const Leaf& head) {
    return leaf.name == head.name + ".min" || leaf.name == head.name + ".max";
  });
  return !of_head && !leaf.name.starts_with("mask.") && !leaf.informative() &&
         leaf.index_of.empty() && leaf.width() <= kMostChanged &&
         std::ranges::find(hints.without, leaf.name) == hints.without.end();
}

}  // namespace

void PlayedEpisode::add(const Ask& ask, ConstRow observation, ConstRow action) {
  asks.push_back(ask);
  observations.append().assign(observation);
  actions.append().assign(action);
}

Asker::Asker(PolicyMaker make, const Spec& spec, const PlayedEpisode& episode, std::size_t decision,
             Rng run)
    : make_(std::move(make)),
      spec_(spec),
      episode_(episode),
      decision_(decision),
      run_(run),
      policy_(make_()) {
  from_rows_ = answers_from_rows();
}

Ask Asker::place(std::size_t decision, std::size_t slot) const {
  Ask ask = episode_.asks[decision];
  ask.slot = static_cast<std::uint32_t>(slot);
  ask.context = slot;
  return ask;
}

void Asker::start(Policy& policy, std::size_t slots) const {
  const Episode& episode = episode_.asks[0].episode;
  for (std::size_t s = 0; s < slots; ++s)
    policy.start(static_cast<std::uint32_t>(s), episode, run_.split(episode.id));
}

/// Whether the policy repeats its answers to some rows without having seen those before.
bool Asker::answers_from_rows() {
  for (std::size_t k = 0; k < kProbes; ++k) {
    const std::size_t d = decision_ * k / (kProbes - 1);
    Decisions one(spec_);
    one.asked = {place(d, 0)};
    one.observation.append(episode_.observations, d);
    Batch action(spec_.action);
    action.resize(1);
    start(*policy_, 1);
    policy_->act(one, action);
    for (std::size_t c = 0; c < action.columns(); ++c)
      if (!std::ranges::equal(action.bytes(c, 0, 1), episode_.actions.bytes(c, d, 1))) return false;
  }
  return true;
}

/// Rows first .. first + n - 1 in as many slots, after the episode if the policy needs to see it.
void Asker::answer(Policy& policy, const Batch& rows, std::size_t first, std::size_t n,
                   Batch& actions) {
  const bool anew = &policy != policy_.get();
  Decisions d(spec_);
  Batch answers(spec_.action);
  const auto act = [&](std::size_t decision, const Batch& from, std::size_t at, std::size_t step) {
    d.clear();
    for (std::size_t s = 0; s < n; ++s) {
      d.asked.push_back(place(decision, s));
      d.observation.append(from, at + s * step);
    }
    answers.clear();
    answers.resize(n);
    policy.act(d, answers);
  };
  start(policy, n);
  for (std::size_t before = 0; before < decision_ && (anew || !from_rows_); ++before)
    act(before, episode_.observations, before, 0);
  act(decision_, rows, first, 1);
  actions.append(answers);
  asked_ += n;
}

void Asker::ask(const Batch& rows, Batch& actions, std::vector<bool>& answered) {
  actions.clear();
  answered.assign(rows.rows(), true);
  const std::size_t most = std::min<std::size_t>(policy_->most_slots(), kRows);
  for (std::size_t first = 0; first < rows.rows(); first += most) {
    const std::size_t n = std::min(most, rows.rows() - first);
    try {
      answer(*policy_, rows, first, n, actions);
    } catch (const Error&) {
      ask_each(rows, first, n, actions, answered);
    }
  }
}

/// One of the rows is refused. What is wrong beyond that shows at the row as it was.
void Asker::ask_each(const Batch& rows, std::size_t first, std::size_t n, Batch& actions,
                     std::vector<bool>& answered) {
  Batch as_it_was(spec_.observation), unused(spec_.action);
  as_it_was.append(episode_.observations, decision_);
  policy_ = make_();
  answer(*policy_, as_it_was, 0, 1, unused);
  for (std::size_t r = first; r < first + n; ++r) {
    try {
      answer(*policy_, rows, r, 1, actions);
    } catch (const Error&) {
      actions.append(episode_.actions, decision_);
      answered[r] = false;
      ++refused_;
    }
  }
}

void Asker::ask_anew(const Batch& row, Batch& action) {
  action.clear();
  const std::unique_ptr<Policy> policy = make_();
  answer(*policy, row, 0, 1, action);
}

std::optional<LeafChange> smallest_change(const Spec& spec, const FeatureHints& hints,
                                          const PlayedEpisode& episode, std::size_t decision,
                                          const std::vector<std::vector<std::size_t>>& elements,
                                          Asker& asker, const Differs& differs) {
  ChangeSearch search(spec, episode, decision, asker, differs);
  for (std::size_t c = 0; c < spec.observation.leaves.size(); ++c) {
    const Leaf& leaf = spec.observation.leaves[c];
    if (!may_change(spec, hints, leaf)) continue;
    const std::int32_t group = episode.observations.group_of(c).id;
    if (group < 0)
      search.add(leaf, c, {0});
    else
      search.add(leaf, c, elements[static_cast<std::size_t>(group)]);
  }
  return search.run();
}

}  // namespace park::trees
