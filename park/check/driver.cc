// Plays episodes and keeps what happened. A Trajectory has one hash for each column and group of a
// row, in the order of the rows, so that `difference` names the first leaf that departs. Called by
// every property that plays.
#include "park/check/driver.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>

#include "park/core/rng.h"

namespace park::check {
namespace {

/// Eight bytes at a time: rows are long.
std::uint64_t hash_bytes(std::span<const std::byte> bytes) {
  std::uint64_t h = 0x9e3779b97f4a7c15ull ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<std::size_t>(8, bytes.size() - i));
    h = std::rotl((h ^ word) * 0xbf58476d1ce4e5b9ull, 29);
  }
  return h;
}

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool same(const Outcome& a, const Outcome& b) {
  return same_bits(a.reward, b.reward) && same_bits(a.elapsed_s, b.elapsed_s) && a.end == b.end &&
         a.applied == b.applied && a.skipped == b.skipped;
}

std::string part_name(const Record& record, std::size_t part) {
  const std::size_t groups = record.groups.size();
  return part < groups ? "the count of " + record.groups[part].name
                       : record.leaves[part - groups].name;
}

}  // namespace

Chooser::Chooser(const Spec& spec, Mode mode, std::uint64_t key)
    : space_(spec), mode_(mode), key_(key) {
  const Batch actions(spec.action);
  for (const Leaf& l : spec.action.leaves)
    if (l.dtype == DType::f32)
      reals_.push_back(actions.field<float>(l.name));
    else
      integers_.push_back(actions.field<std::int32_t>(l.name));
}

void Chooser::fill_extreme(Row action) const {
  const bool low = mode_ == Mode::lowest;
  using Limits = std::numeric_limits<std::int32_t>;
  for (const auto& f : integers_)
    for (std::int32_t& v : action[f]) v = low ? Limits::min() : Limits::max();
  for (const auto& f : reals_)
    for (float& v : action[f]) v = low ? -1e9f : 1e9f;
}

void Chooser::choose(ConstRow observation, Row action, const Episode& e,
                     std::uint64_t sequence) const {
  if (mode_ == Mode::random) {
    Rng draw = Rng(key_).split(e.inputs).split(e.dynamics).split(sequence);
    space_.sample(observation, action, draw);
  } else {
    fill_extreme(action);
    space_.project(observation, action);
  }
}

void Chooser::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i)
    choose(d.observation.row(i), actions.row(i), d.asked[i].episode, d.asked[i].sequence);
}

Player::Player(const Subject& s, std::unique_ptr<Env> env, Mode mode, std::uint64_t key)
    : env_(std::move(env)),
      chooser_(s.spec, mode, key),
      observation_(s.spec.observation),
      action_(s.spec.action),
      metrics_(s.spec.metrics.size()) {
  action_.resize(1);
}

void Player::choose(const Episode& e, std::uint64_t sequence) {
  chooser_.choose(observed(), action_.row(0), e, sequence);
}

std::vector<double> Player::metrics(double before) const {
  std::vector<double> m(metrics_, before);
  env_->metrics(m);
  return m;
}

void Player::fail_endless() {
  throw std::runtime_error("an episode has no end within " + std::to_string(kMostDecisions) +
                           " decisions");
}

void Trajectory::add(ConstRow row, const Outcome& since_last) {
  const Batch& batch = row.batch();
  for (std::size_t g = 0; g < batch.record().groups.size(); ++g)
    parts.push_back(row.count(GroupId{static_cast<std::int32_t>(g)}));
  for (std::size_t c = 0; c < batch.columns(); ++c)
    parts.push_back(hash_bytes(batch.bytes(c, row.index(), 1)));
  outcomes.push_back(since_last);
}

std::string difference(const Spec& spec, const Trajectory& a, const Trajectory& b,
                       std::size_t rows) {
  const std::size_t width = spec.observation.groups.size() + spec.observation.leaves.size();
  for (std::size_t r = 0; r < rows; ++r) {
    const std::string where = "row " + std::to_string(r) + ": ";
    if (r == a.outcomes.size() && r == b.outcomes.size()) break;
    if (r >= a.outcomes.size() || r >= b.outcomes.size()) return where + "one episode has ended";
    for (std::size_t p = r * width; p < (r + 1) * width; ++p)
      if (a.parts[p] != b.parts[p]) return where + part_name(spec.observation, p - r * width);
    if (!same(a.outcomes[r], b.outcomes[r])) return where + "the outcome";
  }
  if (rows != SIZE_MAX) return "";
  for (std::size_t m = 0; m < spec.metrics.size(); ++m)
    if (!same_bits(a.metrics[m], b.metrics[m])) return "metric " + spec.metrics[m].name;
  return "";
}

Trajectory trajectory(Player& player, const Episode& e) {
  Trajectory t;
  player.play(e, [&](ConstRow row, const Outcome& o, std::uint64_t) { t.add(row, o); });
  t.metrics = player.metrics();
  return t;
}

std::map<std::uint64_t, Trajectory> trajectories(Stream& stream, Policy& policy) {
  std::map<std::uint64_t, Trajectory> all;
  const std::size_t metrics = stream.spec().metrics.size();
  play(stream, policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      Trajectory& t = all[d.ended[i].episode.id];
      t.add(d.final_observation.row(i), d.ended[i].last);
      const auto m = std::span(d.metrics).subspan(i * metrics, metrics);
      t.metrics.assign(m.begin(), m.end());
      if (d.ended[i].decisions != t.decisions())
        throw std::runtime_error("decisions are miscounted");
    }
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      Trajectory& t = all[d.asked[i].episode.id];
      if (d.asked[i].sequence != t.outcomes.size()) throw std::runtime_error("a row was left out");
      t.add(d.observation.row(i), d.asked[i].since_last);
      if (t.outcomes.size() > kMostDecisions) throw std::runtime_error("an episode has no end");
    }
  });
  return all;
}

std::vector<Episode> whole_episodes(const Subject& subject, std::size_t n) {
  std::vector<Episode> all(std::max(n, subject.fewest_episodes));
  for (std::size_t k = 0; k < all.size(); ++k) {
    all[k].id = k;
    all[k].inputs = Rng(subject.seed).split("inputs").split(k).bits();
    all[k].dynamics = Rng(subject.seed).split("dynamics").split(k).bits();
  }
  return all;
}

std::vector<Episode> test_episodes(const Subject& subject, std::size_t n) {
  std::vector<Episode> all = whole_episodes(subject, n);
  Player player(subject);
  for (std::size_t k = 1; k < all.size(); k += 2) {
    double length_s = 0;
    player.play(all[k],
                [&](ConstRow, const Outcome& o, std::uint64_t) { length_s += o.elapsed_s; });
    all[k].horizon_s = length_s * Rng(subject.seed).split("horizon").split(k).uniform(0.2, 0.9);
  }
  return all;
}

}  // namespace park::check
