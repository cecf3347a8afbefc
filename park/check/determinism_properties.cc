// Properties of determinism: trajectories of the same episodes are compared byte by byte. `direct`
// is the reference: a new environment for each episode. Then the same is played by used
// environments, streams, systems, records and clones, with and without a sink. Called through
// properties.cc.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "park/check/arrivals.h"
#include "park/check/driver.h"
#include "park/check/foretold.h"
#include "park/check/future_copies.h"
#include "park/check/owed.h"
#include "park/core/as_system.h"
#include "park/core/golden.h"
#include "park/core/live.h"

namespace park::check {
namespace {

using Trajectories = std::map<std::uint64_t, Trajectory>;

Trajectories direct(const Subject& s, const std::vector<Episode>& episodes) {
  Trajectories all;
  for (const Episode& e : episodes) {
    Player fresh(s);
    all[e.id] = trajectory(fresh, e);
  }
  return all;
}

void compare(const Subject& s, const Trajectories& expected, const Trajectories& found,
             const std::string& where, Violations& bad) {
  if (found.size() != expected.size())
    bad.add(where + ": " + std::to_string(found.size()) + " episodes instead of " +
            std::to_string(expected.size()));
  for (const auto& [id, t] : found)
    if (const std::string d = difference(s.spec, t, expected.at(id)); !d.empty())
      bad.add(std::string(where).append(": episode ").append(std::to_string(id)) + ", " + d);
}

std::vector<ArrivalLog::Arrival> arrivals(const Subject& s, const Episode& e, Mode mode,
                                          std::uint64_t key) {
  Player player(s, mode, key);
  ArrivalLog log;
  player.env().events(&log);
  player.play(e, [](ConstRow, const Outcome&, std::uint64_t) {});
  return log.all();
}

/// The rest of an episode that a player has begun.
Trajectory rest(Player& player, const Episode& e, const Outcome& o, std::uint64_t sequence) {
  Trajectory t;
  player.play_on(e, o, sequence,
                 [&](ConstRow row, const Outcome& now, std::uint64_t) { t.add(row, now); });
  t.metrics = player.metrics();
  return t;
}

/// The rows from `first` on.
Trajectory tail(const Spec& spec, const Trajectory& t, std::size_t first) {
  const std::size_t width = spec.observation.groups.size() + spec.observation.leaves.size();
  Trajectory cut;
  cut.parts.assign(t.parts.begin() + static_cast<std::ptrdiff_t>(first * width), t.parts.end());
  cut.outcomes.assign(t.outcomes.begin() + static_cast<std::ptrdiff_t>(first), t.outcomes.end());
  cut.metrics = t.metrics;
  return cut;
}

/// Counts what is reported.
class CountingSink final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override { ++count_; }
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override { ++count_; }
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {
    ++count_;
  }
  void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {
    ++count_;
  }
  void value(std::string_view, std::string_view, double, double) override { ++count_; }
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  std::uint64_t count_ = 0;
};

/// Begins another episode and gives it up after some decisions.
void begin_another(Player& player, Episode e, std::uint64_t decisions = 3) {
  e.inputs ^= 0x2b5d;
  e.dynamics ^= 0x77;
  player.env().reset(e, player.next_row());
  Outcome o;
  for (std::uint64_t sequence = 0; sequence < decisions && o.end == End::none; ++sequence) {
    player.choose(e, sequence);
    o = player.env().step(player.action(), player.next_row());
  }
}

/// Clones at row `at` and plays original and clones in turns; the first clone goes on to
/// other episodes.
void check_clone(const Subject& s, const Episode& e, const Trajectory& whole, std::uint64_t at,
                 Violations& bad) {
  auto original = std::make_unique<Player>(s);
  CountingSink reported;
  original->env().events(&reported);
  original->env().reset(e, original->next_row());
  Outcome o;
  for (std::uint64_t sequence = 0; sequence < at; ++sequence) {
    original->choose(e, sequence);
    o = original->env().step(original->action(), original->next_row());
  }
  const auto clone = [&](Mode mode) -> std::unique_ptr<Player> {
    auto env = std::as_const(original->env()).clone();
    if (!env) return nullptr;
    auto player = std::make_unique<Player>(s, std::move(env), mode);
    player->see(original->observed());
    return player;
  };
  const auto other = clone(Mode::lowest), same = clone(Mode::random);
  if (!other || !same) {
    bad.add("cloneable, and yet there is no clone");
    return;
  }
  const std::uint64_t before = reported.count();
  static_cast<void>(rest(*other, e, o, at));
  if (reported.count() != before) bad.add("a clone reports to the sink of its original");
  begin_another(*other, e);
  const Trajectory expected = tail(s.spec, whole, at);
  if (const std::string d = difference(s.spec, rest(*original, e, o, at), expected); !d.empty())
    bad.add("a clone disturbs its original: " + d);
  original.reset();
  begin_another(*other, e);
  if (const std::string d = difference(s.spec, rest(*same, e, o, at), expected); !d.empty())
    bad.add("a clone goes on differently: " + d);
}

/// Events are counted from the reset on.
void check_event_count(const Subject& s, const Episode& e, Violations& bad) {
  Player used(s);
  const auto ignore = [](ConstRow, const Outcome&, std::uint64_t) {};
  used.play(e, ignore);
  const std::uint64_t first = used.env().event_count();
  used.play(e, ignore);
  if (const std::uint64_t second = used.env().event_count(); second != first)
    bad.add("the same episode has " + std::to_string(first) + " events and then " +
            std::to_string(second));
}

/// An episode is its inputs and dynamics: its number in a run changes nothing. Where the inputs come
/// from a file, the number may choose among them, and then the seed does not.
void check_number(const Subject& s, const Episode& e, Violations& bad) {
  Episode moved = e, other = e;
  moved.id += 17;
  other.inputs ^= 0x2b5d;
  Player player(s, Mode::lowest);
  const Trajectory expected = trajectory(player, e);
  const std::string d = difference(s.spec, trajectory(player, moved), expected);
  if (!d.empty() && !difference(s.spec, trajectory(player, other), expected).empty())
    bad.add("the number of an episode changes it: " + d);
}

/// Whether the seed of the inputs counts at all; a file may have them instead.
bool seeds_matter(const Subject& s, const std::vector<Episode>& episodes) {
  Player player(s, Mode::lowest);
  return std::any_of(episodes.begin(), episodes.end(), [&](Episode e) {
    const Trajectory expected = trajectory(player, e);
    e.inputs ^= 1;
    return !difference(s.spec, trajectory(player, e), expected).empty();
  });
}

/// Looks at everything that is reported.
class EventChecker final : public EventSink {
 public:
  explicit EventChecker(Violations& bad) : bad_(bad) {}
  void begin(const Episode&) override {
    gone_ = false;
    stages_.clear();
    last_s_.clear();
  }
  /// From now on nothing may be reported.
  void go() noexcept { gone_ = true; }
  void lane(std::string_view name) override {
    if (name.empty()) say("a lane has no name");
  }
  void job(std::uint64_t number, std::string_view name,
           std::span<const EventStage> stages) override {
    if (name.empty() || stages.empty()) say("a job has no name or no stages");
    if (!stages_.emplace(number, stages.size()).second)
      say("job " + std::to_string(number) + " is described twice");
    for (const EventStage& stage : stages) {
      check(name, name, 0, stage.args);
      for (const std::uint16_t parent : stage.parents)
        if (parent >= stages.size()) say("a stage of " + std::string(name) + " has no such parent");
    }
  }
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg> args) override {
    check(lane, what, start_s, args);
    if (!(end_s >= start_s) || std::isinf(end_s))
      say("the span '" + std::string(what) + "' ends before it starts");
    follow("lane " + std::string(lane), start_s, end_s);
  }
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    check(lane, what, time_s, args);
  }
  void value(std::string_view lane, std::string_view series, double time_s, double value) override {
    check(series, series, time_s, {});
    if (!std::isfinite(value)) say("the series '" + std::string(series) + "' is not finite");
    follow("series " + std::string(series) + " of " + std::string(lane), time_s, time_s);
  }

 private:
  void check(std::string_view lane, std::string_view what, double time_s,
             std::span<const EventArg> args) {
    if (gone_) say("'" + std::string(what) + "' is reported to a sink that is gone");
    if (lane.empty() || what.empty()) say("an event has no lane or no name");
    if (!std::isfinite(time_s) || time_s < 0) say("'" + std::string(what) + "' has no time");
    for (const EventArg& a : args)
      if (a.name.empty() || !std::isfinite(a.value))
        say("'" + std::string(what) + "' has an argument without name or value");
    check_job(what, args);
  }
  /// A job is a number, and a stage is one of its job.
  void check_job(std::string_view what, std::span<const EventArg> args) {
    const auto job = std::ranges::find(args, "job", &EventArg::name);
    const auto stage = std::ranges::find(args, "stage", &EventArg::name);
    if (job != args.end() && (job->value < 0 || job->value != std::floor(job->value)))
      say("'" + std::string(what) + "' has a job that is no number");
    if (stage == args.end()) return;
    const auto known =
        job == args.end() ? stages_.end() : stages_.find(static_cast<std::uint64_t>(job->value));
    if (known == stages_.end() || !(stage->value >= 0) ||
        stage->value >= static_cast<double>(known->second))
      say("'" + std::string(what) + "' has a stage that its job has not");
  }
  void follow(const std::string& thread, double start_s, double end_s) {
    double& last_s = last_s_[thread];
    if (start_s < last_s) say(thread + ": events overlap or go back");
    last_s = end_s;
  }
  void say(std::string what) {
    if (bad_.size() < 5) bad_.add(std::move(what));
  }

  Violations& bad_;
  bool gone_ = false;
  std::map<std::uint64_t, std::size_t> stages_;  // of each job that was described
  std::map<std::string, double> last_s_;
};

}  // namespace

void repeats_itself(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 6);
  const Trajectories expected = direct(s, episodes);
  Player used(s);
  for (const std::size_t k : {3u, 0u, 5u, 0u, 1u, 2u, 4u}) {
    Trajectories again;
    again[k] = trajectory(used, episodes[k]);
    if (const std::string d = difference(s.spec, again[k], expected.at(k)); !d.empty())
      bad.add("after other episodes: episode " + std::to_string(k) + ", " + d);
    // an episode that is given up leaves nothing behind, sooner or later
    begin_another(used, episodes[5 - k], k * k);
  }
  check_event_count(s, episodes[0], bad);
  check_number(s, episodes[1], bad);
  compare(s, expected, direct(s, episodes), "a second time", bad);
  const FixedEpisodes source(episodes);
  const auto stream = s.open(source);
  Chooser chooser(s.spec);
  compare(s, expected, trajectories(*stream, chooser), "one after the other", bad);
}

void inputs_matter(const Subject& s, Violations& bad) {
  std::vector<Episode> episodes = whole_episodes(s, 6);
  for (Episode& e : episodes) e.dynamics = 9;
  Player player(s, Mode::lowest);  // the random choices depend on the inputs
  const Trajectory first = trajectory(player, episodes[0]);
  const bool all_same = std::all_of(episodes.begin() + 1, episodes.end(), [&](const Episode& e) {
    return difference(s.spec, trajectory(player, e), first).empty();
  });
  const bool high_bits = std::any_of(episodes.begin(), episodes.end(), [&](Episode e) {
    const Trajectory low = trajectory(player, e);
    e.inputs ^= std::uint64_t{1} << 40U;
    return !difference(s.spec, trajectory(player, e), low).empty();
  });
  if (!all_same && !high_bits && !s.fixed_inputs && seeds_matter(s, episodes))
    bad.add("only the lower half of the seed of the inputs counts");
  if (all_same && !s.fixed_inputs)
    bad.add(std::to_string(episodes.size()) + " different inputs make the same episode");
  if (!all_same && s.fixed_inputs) bad.add("the inputs are fixed, and yet episodes differ");
}

void inputs_ignore_actions(const Subject& s, Violations& bad) {
  Foretold foretold(s);
  for (const Episode& e : whole_episodes(s, 4)) {
    const auto expected = arrivals(s, e, Mode::random, 1);
    if (expected.empty()) bad.add("no arrival is reported to the sink of events");
    Episode other = e;  // all chance but the inputs
    other.dynamics ^= 0x5555;
    const std::vector<std::vector<ArrivalLog::Arrival>> all = {
        arrivals(s, e, Mode::random, 2), arrivals(s, e, Mode::lowest, 1),
        arrivals(s, e, Mode::highest, 1), arrivals(s, other, Mode::random, 1)};
    for (const auto& found : all) {
      const std::size_t n = std::min(found.size(), expected.size());
      if (n == 0) bad.add("no arrival is reported to the sink of events");
      const auto [at, unused] = std::mismatch(
          found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), expected.begin());
      if (const auto i = static_cast<std::size_t>(at - found.begin()); i < n)
        bad.add("arrival " + std::to_string(i) + " depends on the actions or the dynamics");
    }
    foretold.play(e);
  }
  if (const std::string leaf = foretold.leaf(); !leaf.empty())
    bad.add(leaf + " shows what the next arrival brings, before it comes");
}

void watching_changes_nothing(const Subject& s, Violations& bad) {
  EventChecker checker(bad);
  for (const Episode& e : test_episodes(s, 4)) {
    Player watched(s), other(s);
    checker.begin(e);
    watched.env().events(&checker);
    const Trajectory seen = trajectory(watched, e);
    if (const std::string d = difference(s.spec, seen, trajectory(other, e)); !d.empty())
      bad.add("a sink of events changes " + d);
    watched.env().events(nullptr);
    checker.go();
    if (const std::string d = difference(s.spec, trajectory(watched, e), seen); !d.empty())
      bad.add("a sink that is gone changes " + d);
  }
}

void threads_change_nothing(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 7);
  const Trajectories expected = direct(s, episodes);
  const FixedEpisodes source(episodes);
  struct Setting {
    std::uint32_t slots, workers, batch;
  };
  for (const Setting c :
       {Setting{1, 0, 0}, Setting{3, 0, 0}, Setting{3, 1, 0}, Setting{3, 2, 0}, Setting{3, 3, 0},
        Setting{5, 0, 2}, Setting{5, 1, 1}, Setting{5, 2, 3}, Setting{5, 3, 2}, Setting{9, 2, 0}}) {
    StreamOptions options;
    options.slots = c.slots;
    options.workers = c.workers;
    options.batch = c.batch;
    const auto stream = s.open(source, options);
    Chooser chooser(s.spec);
    compare(s, expected, trajectories(*stream, chooser),
            std::to_string(c.slots) + " slots, " + std::to_string(c.workers) + " workers, batch " +
                std::to_string(c.batch),
            bad);
  }
}

void push_equals_pull(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 5);
  const Trajectories expected = direct(s, episodes);
  const FixedEpisodes source(episodes);
  for (const std::uint32_t batch : {1u, 64u}) {
    std::vector<std::unique_ptr<SystemEnv>> systems;
    for (int i = 0; i < 2; ++i) systems.push_back(std::make_unique<AsSystem>(s.spec, s.make()));
    LiveOptions options;
    options.batch = batch;
    options.illegal = Illegal::error;
    Live live(s.spec, std::move(systems), source, options);
    Chooser chooser(s.spec);
    compare(s, expected, trajectories(live, chooser), "rows of " + std::to_string(batch), bad);
  }
}

void records_replay(const Subject& s, Violations& bad) {
  for (const Episode& e : test_episodes(s, 2)) {
    std::stringstream text;
    Chooser chooser(s.spec);
    const auto env = s.make();
    record(text, s.registry->canonical_env(s.text), *env, s.spec, chooser, e, 60);
    const ReplayReport report = replay(text, *s.registry);
    if (report.decisions == 0) bad.add("nothing is replayed");
    for (const Difference& d : report.differences)
      bad.add(d.field + ": recorded " + d.expected + ", now " + d.found);
  }
}

void clones_agree_and_part(const Subject& s, Violations& bad) {
  Player player(s);
  if (!s.spec.traits.cloneable) {
    if (player.env().clone()) bad.add("not cloneable, and yet there is a clone");
    return;
  }
  for (const Episode& e : test_episodes(s, 2)) {
    const Trajectory whole = trajectory(player, e);
    for (const std::size_t at : {std::size_t{0}, whole.decisions() / 3, whole.decisions() - 1})
      check_clone(s, e, whole, at, bad);
  }
  check_futures(s, bad);
}

}  // namespace park::check
