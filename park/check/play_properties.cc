// Properties of rows and times: episodes are played and each row is looked at as it comes.
// RowChecker (row_checker.h) compares a row with the spec, ClockChecker adds up the times,
// Neighbourhood has memory around the row that an environment writes. Called through properties.cc.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "park/check/arrivals.h"
#include "park/check/driver.h"
#include "park/check/memory.h"
#include "park/check/owed.h"
#include "park/check/row_checker.h"

namespace park::check {
namespace {

constexpr double kRounding = 1e-9;  // of a sum of times, relative

bool close(double a, double b) {
  return std::abs(a - b) <= kRounding * (1 + std::max(std::abs(a), std::abs(b)));
}

/// The leaf that shows the clock, if there is one: "time_s" or "cluster.time_s".
std::optional<Field<double>> clock_leaf(const Spec& spec) {
  for (const Leaf& l : spec.observation.leaves)
    if ((l.name == "time_s" || l.name.ends_with(".time_s")) && l.dtype == DType::f64 &&
        l.group.empty() && l.width() == 1)
      return Batch(spec.observation).field<double>(l.name);
  return {};
}

/// Follows one episode and checks its times.
class ClockChecker {
 public:
  ClockChecker(const Subject& s, ArrivalLog& arrivals, Violations& bad)
      : leaf_(clock_leaf(s.spec)), arrivals_(arrivals), bad_(bad) {}

  void visit(ConstRow row, const Outcome& o, std::uint64_t sequence) {
    const double before_s = now_s_;
    if (sequence == 0) now_s_ = leaf_ ? row.scalar(*leaf_) : 0;
    if (!(o.elapsed_s >= 0) || std::isinf(o.elapsed_s)) say(sequence, "elapsed_s is no duration");
    now_s_ += o.elapsed_s;
    if (leaf_ && !close(row.scalar(*leaf_), now_s_))
      say(sequence, "the clock shows " + std::to_string(row.scalar(*leaf_)) + " and not " +
                        std::to_string(now_s_));
    for (; seen_ < arrivals_.all().size(); ++seen_) {
      const double t = arrivals_.all()[seen_].time_s;
      const bool late = t > now_s_ && !close(t, now_s_);
      const bool early = sequence > 0 && t < before_s && !close(t, before_s);
      if (late || early) say(sequence, "an arrival is outside the step it came in");
    }
  }

 private:
  void say(std::uint64_t sequence, const std::string& what) {
    if (bad_.size() < 5) bad_.add("row " + std::to_string(sequence) + ": " + what);
  }

  std::optional<Field<double>> leaf_;
  ArrivalLog& arrivals_;
  Violations& bad_;
  double now_s_ = 0;
  std::size_t seen_ = 0;
};

/// Three rows of a batch, of which an environment writes the one in the middle. In columns without
/// a group the memory of the third row is there before the row is, so that it shows too.
class Neighbourhood {
 public:
  explicit Neighbourhood(const Spec& spec) : spec_(&spec), rows_(spec.observation) {
    rows_.reserve(3);
  }

  /// The row to write; `first` is copied to the row before it.
  Row next_row(ConstRow first) {
    rows_.clear();
    for (std::size_t c = 0; c < rows_.columns(); ++c)
      if (rows_.group_of(c).id < 0) std::ranges::fill(rows_.bytes(c, 0, 3), kUntouched);
    rows_.append(first.batch(), first.index());
    before_ = {};
    before_.add(std::as_const(rows_).row(0), {});
    return rows_.append();
  }
  [[nodiscard]] ConstRow middle() const noexcept { return rows_.row(1); }
  /// What was written outside the row in the middle.
  [[nodiscard]] std::string changed() const {
    Trajectory now;
    now.add(rows_.row(0), {});
    const std::string left = difference(*spec_, before_, now, 1);
    if (!left.empty()) return "the row before it, " + left;
    for (std::size_t c = 0; c < rows_.columns(); ++c) {
      if (rows_.group_of(c).id >= 0) continue;
      if (std::ranges::any_of(rows_.bytes(c, 2, 1), [](std::byte b) { return b != kUntouched; }))
        return "the row after it: " + spec_->observation.leaves[c].name;
    }
    return "";
  }

 private:
  static constexpr std::byte kUntouched{0x7e};

  const Spec* spec_;
  Batch rows_;
  Trajectory before_;
};

struct Length {
  double seconds = 0;
  End end = End::none;
};
Length length(const Trajectory& t) {
  Length l;
  for (const Outcome& o : t.outcomes) {
    l.seconds += o.elapsed_s;
    l.end = o.end;
  }
  return l;
}

double start_s(const Subject& s, const Episode& e) {
  const auto leaf = clock_leaf(s.spec);
  if (!leaf) return 0;
  Player player(s);
  player.env().reset(e, player.next_row());
  return player.observed().scalar(*leaf);
}

}  // namespace

void observations_are_sound(const Subject& s, Violations& bad) {
  const RowChecker checker(s.spec);
  for (const Mode mode : {Mode::random, Mode::lowest, Mode::highest}) {
    Player player(s, mode);
    for (const Episode& e : test_episodes(s, 4)) {
      player.play(e, [&](ConstRow row, const Outcome& o, std::uint64_t sequence) {
        if (bad.size() >= 5) return;
        const std::string problem = checker.problem(row);
        if (!problem.empty()) bad.add("row " + std::to_string(sequence) + ": " + problem);
        if (!std::isfinite(o.reward)) bad.add("row " + std::to_string(sequence) + ": the reward");
        if (o.applied != Applied::policy || o.skipped != 0)
          bad.add("row " + std::to_string(sequence) + ": says that the policy did not decide");
      });
      if (bad.size() >= 5) return;
    }
  }
}

void metrics_are_told(const Subject& s, Violations& bad) {
  Player player(s);
  for (const Episode& e : test_episodes(s, 4)) {
    End end = End::none;
    player.play(e, [&](ConstRow, const Outcome& o, std::uint64_t) { end = o.end; });
    const std::vector<double> told = player.metrics(), again = player.metrics();
    for (std::size_t m = 0; m < told.size(); ++m) {
      if (number_text(told[m]) != number_text(again[m]))
        bad.add(s.spec.metrics[m].name + " is another number when it is asked for again");
      const bool undefined = std::isnan(told[m]) && end == End::truncated;
      if (!std::isfinite(told[m]) && !undefined)
        bad.add("episode " + std::to_string(e.id) + ": " + s.spec.metrics[m].name + " is " +
                number_text(told[m]));
    }
  }
}

void every_value_is_written(const Subject& s, Violations& bad) {
  const auto played = [&](std::uint8_t pattern, const Episode& e) {
    const MemoryFill fill(pattern);
    Player player(s);
    player.set_poison(pattern);
    Trajectory t = trajectory(player, e);
    t.metrics = player.metrics(pattern);
    return t;
  };
  for (const Episode& e : test_episodes(s, 2))
    if (const std::string d = difference(s.spec, played(0x3c, e), played(0x41, e)); !d.empty())
      bad.add(d + " depends on what was in the memory");
}

void rows_leave_their_neighbours_alone(const Subject& s, Violations& bad) {
  Player player(s);
  for (const Episode& e : test_episodes(s, 2)) {
    Neighbourhood rows(s.spec), next(s.spec);
    player.env().reset(e, player.next_row());
    player.env().reset(e, rows.next_row(player.observed()));
    Outcome o;
    for (std::uint64_t sequence = 0; o.end == End::none && sequence < 300; ++sequence) {
      player.chooser().choose(rows.middle(), player.action(), e, sequence);
      o = player.env().step(player.action(), next.next_row(rows.middle()));
      if (const std::string changed = next.changed(); !changed.empty()) {
        bad.add("decision " + std::to_string(sequence) + " changes " + changed);
        return;
      }
      std::swap(rows, next);
    }
  }
}

void episodes_end(const Subject& s, Violations& bad) {
  for (const Mode mode : {Mode::random, Mode::lowest, Mode::highest}) {
    Player player(s, mode);
    for (const Episode& e : whole_episodes(s, 3))
      if (player.play(e, [](ConstRow, const Outcome&, std::uint64_t) {}) == 0)
        bad.add("an episode has no decision");
  }
}

void time_adds_up(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 4);
  for (const Mode mode : {Mode::random, Mode::lowest, Mode::highest}) {
    Player player(s, mode);
    for (std::size_t k = 0; k < (mode == Mode::random ? episodes.size() : 1); ++k) {
      ArrivalLog arrivals;
      player.env().events(&arrivals);
      ClockChecker clock(s, arrivals, bad);
      player.play(episodes[k], [&](ConstRow row, const Outcome& o, std::uint64_t sequence) {
        clock.visit(row, o, sequence);
      });
      player.env().events(nullptr);
    }
  }
}

void horizon_only_cuts(const Subject& s, Violations& bad) {
  Player player(s);
  for (const Episode& e : whole_episodes(s, 3)) {
    const Trajectory whole = trajectory(player, e);
    const double begin_s = start_s(s, e), seconds = length(whole).seconds;
    for (const double share : {0.15, 0.5, 0.85}) {
      Episode cut = e;
      cut.horizon_s = begin_s + share * seconds;
      const Trajectory t = trajectory(player, cut);
      if (length(t).end != End::truncated) bad.add("an episode is not truncated at its horizon");
      if (!close(begin_s + length(t).seconds, cut.horizon_s))
        bad.add("an episode ends at " + std::to_string(begin_s + length(t).seconds) +
                " s and not at its horizon, " + std::to_string(cut.horizon_s) + " s");
      if (const std::string d = difference(s.spec, t, whole, t.decisions()); !d.empty())
        bad.add("the horizon shows before it comes: " + d);
    }
    if (length(whole).end != End::terminated) continue;
    Episode late = e;
    late.horizon_s = begin_s + 2 * seconds + 1;
    if (const std::string d = difference(s.spec, trajectory(player, late), whole); !d.empty())
      bad.add("a horizon after the end changes " + d);
  }
}

}  // namespace park::check
