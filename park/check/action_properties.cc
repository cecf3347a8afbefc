// Properties of actions: what is legal can be taken, what is not is refused. Each walks rows that
// an episode of legal decisions comes to. PrefixWalk tries partial choices on a row, Attacked sends
// illegal actions before each legal one. Called through properties.cc.
#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "park/check/driver.h"
#include "park/check/owed.h"
#include "park/check/row_checker.h"
#include "park/core/rng.h"

namespace park::check {
namespace {

/// Heads of an action by their number.
class Heads {
 public:
  explicit Heads(const Spec& spec) : spec_(spec), shape_(spec.action) {}

  [[nodiscard]] std::size_t size() const noexcept { return spec_.action.leaves.size(); }
  [[nodiscard]] const Leaf& leaf(std::size_t h) const { return spec_.action.leaves[h]; }
  void set(Row action, std::size_t h, double v) const {
    if (leaf(h).dtype == DType::f32)
      std::ranges::fill(action[shape_.field<float>(leaf(h).name)], static_cast<float>(v));
    else
      std::ranges::fill(action[shape_.field<std::int32_t>(leaf(h).name)],
                        static_cast<std::int32_t>(v));
  }

 private:
  const Spec& spec_;
  Batch shape_;
};

/// Walks through the legal prefixes of a row: every first choice up to a limit, then the first, the
/// last and one more of every later head.
class PrefixWalk {
 public:
  PrefixWalk(const Spec& spec, const ActionSpace& space) : heads_(spec), space_(space) {}

  /// The head that has no legal value after some legal choices, or "".
  [[nodiscard]] std::string dead_end(ConstRow row, Row action, std::size_t head = 0) {
    if (head == heads_.size())
      return space_.legal(row, action) ? "" : "the complete action is not legal";
    if (space_.continuous(head)) {
      heads_.set(action, head, heads_.leaf(head).high);
      return dead_end(row, action, head + 1);
    }
    const ActionSpace::Choice choice = space_.choice(head, row, action);
    if (choice.empty()) return heads_.leaf(head).name + " has no legal value";
    for (const std::int64_t v : values(choice, head == 0 ? 128 : 3)) {
      heads_.set(action, head, static_cast<double>(v));
      if (std::string end = dead_end(row, action, head + 1); !end.empty()) return end;
    }
    return "";
  }

 private:
  /// At most n legal values, the first and the last among them.
  [[nodiscard]] std::vector<std::int64_t> values(const ActionSpace::Choice& c, std::size_t n) {
    std::vector<std::int64_t> all;
    const std::int64_t most = 4096;  // of a range; a mask is never longer than its row
    const std::int64_t high = c.mask.empty() ? std::min(c.high, c.low + most) : c.high;
    for (std::int64_t v = c.low; v <= high; ++v)
      if (c.contains(v)) all.push_back(v);
    if (high < c.high) all.push_back(c.high);
    while (all.size() > n)
      all.erase(all.begin() + 1 + static_cast<std::ptrdiff_t>(rng_.below(all.size() - 2)));
    return all;
  }

  Heads heads_;
  const ActionSpace& space_;
  Rng rng_{5};
};

/// Sends illegal actions before every legal one.
class Attacked final : public Stream {
 public:
  Attacked(Stream& stream, Violations& bad)
      : stream_(stream),
        heads_(stream.spec()),
        space_(stream.spec()),
        tried_(stream.spec().action),
        bad_(bad) {}

  [[nodiscard]] const Spec& spec() const noexcept override { return stream_.spec(); }
  using Stream::recv;
  [[nodiscard]] const Decisions& recv(Deadline until) override {
    return *(decisions_ = &stream_.recv(until));
  }
  void send(const Batch& actions) override {
    if (!actions.rows() || decisions_->asked[0].sequence > 40) return stream_.send(actions);
    for (std::size_t h = 0; h < heads_.size(); ++h)
      for (const double v : illegal_values(h, actions.row(0))) attack(actions, h, v);
    stream_.send(actions);
  }

 private:
  [[nodiscard]] std::vector<double> illegal_values(std::size_t h, ConstRow action) const {
    if (space_.continuous(h))
      return {std::numeric_limits<double>::quiet_NaN(), heads_.leaf(h).high + 1,
              heads_.leaf(h).low - 1};
    const ActionSpace::Choice c = space_.choice(h, decisions_->observation.row(0), action);
    std::vector<double> all = {static_cast<double>(c.low - 1), static_cast<double>(c.high + 1),
                               std::numeric_limits<std::int32_t>::min(),
                               std::numeric_limits<std::int32_t>::max()};
    for (std::int64_t v = c.low; v <= c.high && !c.mask.empty(); ++v)
      if (!c.contains(v)) {
        all.push_back(static_cast<double>(v));
        break;
      }
    return all;
  }

  void attack(const Batch& actions, std::size_t h, double v) {
    tried_.clear();
    tried_.append(actions);
    heads_.set(tried_.row(0), h, v);
    const std::string what = heads_.leaf(h).name + " = " + std::to_string(v);
    const ConstRow row = decisions_->observation.row(0);
    if (space_.legal(row, std::as_const(tried_).row(0))) {
      bad_.add(what + " counts as legal");
      return;
    }
    try {
      stream_.send(tried_);
      bad_.add(what + " is accepted");
    } catch (const Error& e) {
      if (e.code() != Errc::illegal_action) bad_.add(what + ": " + e.what());
    }
    space_.project(row, tried_.row(0));
    if (!space_.legal(row, std::as_const(tried_).row(0))) bad_.add(what + " is projected wrongly");
  }

  Stream& stream_;
  Heads heads_;
  ActionSpace space_;
  Batch tried_;
  Violations& bad_;
  const Decisions* decisions_ = nullptr;
};

/// Values far beyond the largest.
class Wild final : public Policy {
 public:
  explicit Wild(const Spec& spec) : heads_(spec) {}
  void act(const Decisions&, Batch& actions) override {
    for (std::size_t i = 0; i < actions.rows(); ++i)
      for (std::size_t h = 0; h < heads_.size(); ++h)
        heads_.set(actions.row(i), h, std::numeric_limits<std::int32_t>::max());
  }

 private:
  Heads heads_;
};

void check_projection(const Subject& s, const std::vector<Episode>& episodes, Violations& bad) {
  const FixedEpisodes source(episodes);
  StreamOptions options;
  options.illegal = Illegal::project;
  const auto stream = s.open(source, options);
  Wild wild(s.spec);
  const auto projected = trajectories(*stream, wild);
  Player highest(s, Mode::highest);
  for (std::size_t k = 0; k < episodes.size(); ++k) {
    Trajectory expected = trajectory(highest, episodes[k]);
    for (std::size_t i = 1; i < expected.outcomes.size(); ++i)
      expected.outcomes[i].applied = Applied::projected;
    if (const std::string d = difference(s.spec, projected.at(k), expected); !d.empty())
      bad.add("projected actions are not the nearest legal ones: " + d);
  }
}

/// Looks at each row: policies come to rows that no random decision comes to.
class Watched final : public Stream {
 public:
  explicit Watched(Stream& stream) : stream_(stream), checker_(stream.spec()) {}
  [[nodiscard]] const Spec& spec() const noexcept override { return stream_.spec(); }
  using Stream::recv;
  [[nodiscard]] const Decisions& recv(Deadline until) override {
    const Decisions& d = stream_.recv(until);
    look(d.observation);
    look(d.final_observation);
    return d;
  }
  void send(const Batch& actions) override { stream_.send(actions); }
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

 private:
  void look(const Batch& rows) {
    for (std::size_t i = 0; i < rows.rows() && problem_.empty(); ++i)
      problem_ = checker_.problem(rows.row(i));
  }

  Stream& stream_;
  RowChecker checker_;
  std::string problem_;
};

std::map<std::uint64_t, Trajectory> played(const Subject& s, Policy& policy,
                                           const std::vector<Episode>& episodes,
                                           std::uint32_t slots) {
  const FixedEpisodes source(episodes);
  StreamOptions options;
  options.slots = slots;
  const auto stream = s.open(source, options);
  if (slots > 1) return trajectories(*stream, policy);
  Watched watched(*stream);
  auto all = trajectories(watched, policy);
  if (!watched.problem().empty())
    throw std::runtime_error("the environment shows it a row where " + watched.problem());
  return all;
}

/// Whether any decision of an episode had more than one legal value, by the lowest and the highest.
bool has_choice(const Subject& s, const Episode& e) {
  Player lowest(s, Mode::lowest);
  const Chooser highest(s.spec, Mode::highest);
  Batch low(s.spec.action), high(s.spec.action);
  low.resize(1);
  high.resize(1);
  bool found = false;
  lowest.play(e, [&](ConstRow row, const Outcome& o, std::uint64_t sequence) {
    if (found || o.end != End::none) return;
    lowest.chooser().choose(row, low.row(0), e, sequence);
    highest.choose(row, high.row(0), e, sequence);
    for (std::size_t c = 0; c < low.columns(); ++c)
      found = found || !std::ranges::equal(low.bytes(c, 0, 1), high.bytes(c, 0, 1));
  });
  return found;
}

/// Decisions that differ must somewhere lead to something else.
void check_effect(const Subject& s, Violations& bad) {
  bool choice = false;
  for (const Episode& e : whole_episodes(s, 2)) {
    Player lowest(s, Mode::lowest), highest(s, Mode::highest), random(s);
    const Trajectory expected = trajectory(lowest, e);
    if (!difference(s.spec, trajectory(highest, e), expected).empty()) return;
    if (!difference(s.spec, trajectory(random, e), expected).empty()) return;
    choice = choice || has_choice(s, e);
  }
  if (choice) bad.add("all decisions lead to the same episode");
}

/// Takes legal actions from copies of a state: every first choice up to a limit.
void try_choices(const Subject& s, Player& player, const Episode& e, Violations& bad) {
  constexpr std::uint64_t kChoices = 16;
  Batch action(s.spec.action), row(s.spec.observation);
  action.resize(1);
  for (std::uint64_t key = 0; key < kChoices; ++key) {
    const auto copy = std::as_const(player.env()).clone();
    if (!copy) return;  // clones_agree_and_part says so
    Rng draw = Rng(key).split(e.inputs);
    player.chooser().space().sample(player.observed(), action.row(0), draw);
    row.clear();
    try {
      static_cast<void>(copy->step(std::as_const(action).row(0), row.append()));
    } catch (const std::exception& x) {
      bad.add(std::string("a legal action is refused: ") + x.what());
      return;
    }
  }
}

/// Goes through an episode and tries other actions now and then.
void check_from_copies(const Subject& s, const Episode& e, Violations& bad) {
  constexpr std::uint64_t kRows = 24;
  Player player(s);
  player.env().reset(e, player.next_row());
  Outcome o;
  for (std::uint64_t sequence = 0; o.end == End::none && sequence < kRows; ++sequence) {
    try_choices(s, player, e, bad);
    if (!bad.empty()) return;
    player.choose(e, sequence);
    o = player.env().step(player.action(), player.next_row());
  }
}

/// Null if the configuration lacks what the policy needs, by its own word.
std::unique_ptr<Policy> available(const Subject& s, const std::string& policy) {
  try {
    return s.registry->policy(policy, s.spec);
  } catch (const Error& e) {
    if (e.code() != Errc::unavailable) throw;
  }
  return nullptr;
}

}  // namespace

void every_prefix_completes(const Subject& s, Violations& bad) {
  Player player(s);
  PrefixWalk walk(s.spec, player.chooser().space());
  Batch action(s.spec.action);
  action.resize(1);
  for (const Episode& e : whole_episodes(s, 2)) {
    std::string dead_end;
    player.env().reset(e, player.next_row());
    Outcome o;
    for (std::uint64_t sequence = 0; o.end == End::none && sequence < 1000; ++sequence) {
      dead_end = walk.dead_end(player.observed(), action.row(0));
      if (!dead_end.empty()) {
        bad.add("decision " + std::to_string(sequence) + ": " + dead_end);
        return;
      }
      player.choose(e, sequence);
      o = player.env().step(player.action(), player.next_row());
    }
  }
}

void legal_actions_are_accepted(const Subject& s, Violations& bad) {
  const std::pair<Mode, const char*> modes[] = {
      {Mode::random, "random"}, {Mode::lowest, "lowest"}, {Mode::highest, "highest"}};
  for (const auto& [mode, name] : modes)
    for (const std::uint64_t key : {1ULL, 2ULL, 3ULL}) {
      if (mode != Mode::random && key > 1) continue;
      Player player(s, mode, key);
      for (const Episode& e : test_episodes(s, 2)) try {
          player.play(e, [](ConstRow, const Outcome&, std::uint64_t) {});
        } catch (const std::exception& x) {
          bad.add(std::string(name) + " legal actions: " + x.what());
        }
    }
  if (!bad.empty()) return;
  if (s.spec.traits.cloneable && !s.elsewhere) check_from_copies(s, test_episodes(s, 1)[0], bad);
  if (s.spec.traits.replayable) check_effect(s, bad);
}

void illegal_actions_are_refused(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 2);
  const FixedEpisodes source(episodes);
  const auto stream = s.open(source);
  Attacked attacked(*stream, bad);
  Chooser chooser(s.spec);
  const auto attacks = trajectories(attacked, chooser);
  Player player(s);
  for (std::size_t k = 0; k < episodes.size(); ++k)
    if (const std::string d = difference(s.spec, attacks.at(k), trajectory(player, episodes[k]));
        !d.empty())
      bad.add("refused actions change " + d);
  check_projection(s, episodes, bad);
}

void policies_play(const Subject& s, Violations& bad) {
  const std::vector<Episode> episodes = test_episodes(s, 4);
  for (const std::string& policy : s.policies) try {
      const auto player = available(s, policy);
      if (!player) continue;
      // The same one again: what it remembers of other episodes must not show either.
      const auto one = played(s, *player, episodes, 1), three = played(s, *player, episodes, 3);
      for (std::size_t k = 0; k < episodes.size(); ++k)
        if (const std::string d = difference(s.spec, one.at(k), three.at(k)); !d.empty())
          bad.add(std::string(policy)
                      .append(" depends on the slot, or on episodes before: ")
                      .append(d));
    } catch (const std::exception& e) {
      bad.add(policy + ": " + e.what());
    }
}

}  // namespace park::check
