// Copies of an environment whose future is drawn anew. An episode is played to some row; three
// copies with the seeds 1, 1 and 2 and the original go on from there by the same rule of decisions.
// Their trajectories are compared. clones_agree_and_part calls check_futures.
#include "park/check/future_copies.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "park/check/arrivals.h"
#include "park/check/driver.h"
#include "park/core/futures.h"

namespace park::check {
namespace {

/// Counts what is reported.
class Reports final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override { ++count; }
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override { ++count; }
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {
    ++count;
  }
  void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {
    ++count;
  }
  void value(std::string_view, std::string_view, double, double) override { ++count; }

  std::uint64_t count = 0;
};

/// An environment in the middle of an episode.
struct Halt {
  Player player;
  Outcome last;
  std::uint64_t sequence;
};

Trajectory go_on(Halt& halt, const Episode& e) {
  Trajectory t;
  halt.player.play_on(e, halt.last, halt.sequence,
                      [&](ConstRow row, const Outcome& o, std::uint64_t) { t.add(row, o); });
  t.metrics = halt.player.metrics();
  return t;
}

std::unique_ptr<Halt> copy_of(const Subject& s, Halt& from, std::uint64_t seed, Violations& bad) {
  auto env = clone_with_future(from.player.env(), seed);
  if (!env) {
    bad.add("there is no copy with another future");
    return nullptr;
  }
  if (env->event_count() != from.player.env().event_count())
    bad.add("a copy with another future has another number of events behind it");
  auto copy = std::make_unique<Halt>(Halt{Player(s, std::move(env)), from.last, from.sequence});
  copy->player.see(from.player.observed());
  return copy;
}

/// Rows from the first on that come without time passing in both.
std::size_t rows_of_the_instant(const Trajectory& a, const Trajectory& b) {
  const std::size_t most = std::min(a.outcomes.size(), b.outcomes.size());
  std::size_t rows = 1;
  while (rows < most && a.outcomes[rows].elapsed_s == 0 && b.outcomes[rows].elapsed_s == 0 &&
         a.outcomes[rows].end == End::none && b.outcomes[rows].end == End::none)
    ++rows;
  return rows;
}

/// The futures of one row; true where two of them differ.
bool futures_part(const Subject& s, const Episode& e, std::uint64_t at, Violations& bad) {
  Halt original{Player(s), {}, at};
  Reports reports;
  Player& player = original.player;
  player.env().events(&reports);
  player.env().reset(e, player.next_row());
  for (std::uint64_t sequence = 0; sequence < at; ++sequence) {
    player.choose(e, sequence);
    original.last = player.env().step(player.action(), player.next_row());
  }
  const auto one = copy_of(s, original, 1, bad), same = copy_of(s, original, 1, bad),
             other = copy_of(s, original, 2, bad);
  if (!one || !same || !other) return true;
  const std::uint64_t before = reports.count;
  const Trajectory first = go_on(*one, e), again = go_on(*same, e), second = go_on(*other, e);
  if (reports.count != before)
    bad.add("a copy with another future reports to the sink of its original");
  if (const std::string d = difference(s.spec, again, first); !d.empty())
    bad.add("one seed gives two futures: " + d);
  const Trajectory rest = go_on(original, e);
  const std::size_t rows = rows_of_the_instant(first, rest);
  if (const std::string d = difference(s.spec, first, rest, rows); !d.empty())
    bad.add("another future changes what is there already: " + d);
  Player fresh(s);
  const Trajectory whole = trajectory(fresh, e);
  if (whole.decisions() != rest.decisions() + at || whole.metrics != rest.metrics)
    bad.add("a copy with another future disturbs its original");
  return !difference(s.spec, first, second).empty();
}

/// Whether something of an episode is left to chance after its first row: a job that arrives later,
/// of inputs that are drawn, or what the seed of the dynamics decides, but for that row.
bool chance_is_left(const Subject& s, Episode e) {
  Player player(s, Mode::lowest);  // random decisions depend on the seeds
  ArrivalLog log;
  player.env().events(&log);
  const Trajectory first = trajectory(player, e);
  const auto later = [](const ArrivalLog::Arrival& a) { return a.time_s > 0; };
  if (!s.fixed_inputs && std::ranges::any_of(log.all(), later)) return true;
  e.dynamics ^= 1;
  Player other(s, Mode::lowest);
  const Trajectory second = trajectory(other, e);
  return difference(s.spec, second, first, 1).empty() && !difference(s.spec, second, first).empty();
}

}  // namespace

void check_futures(const Subject& s, Violations& bad) {
  Player player(s);
  if (dynamic_cast<const Futures*>(&player.env()) == nullptr) return;
  bool part = false, chance = false;
  for (const Episode& e : whole_episodes(s, 2)) {
    const std::uint64_t length = trajectory(player, e).decisions();
    chance = chance || chance_is_left(s, e);
    for (const std::uint64_t at : {std::uint64_t{0}, length / 2})
      if (at < length) part = futures_part(s, e, at, bad) || part;
  }
  if (!part && chance) bad.add("two seeds give the same future");
}

}  // namespace park::check
