// Lists of actions, each made by a rule of its own, and a merge that takes from them in turn. The
// lists are batches of actions; a row that is in `out` already, or not legal, is left out there.
// Lookahead and the expert's training call propose for every decision that they look at.
#include "park/search/alternatives.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace park::search {
namespace {

/// A copy of an action as row `out.rows() - 1`.
Row push(ConstRow action, Batch& out) {
  out.append(action.batch(), action.index());
  return out.row(out.rows() - 1);
}

/// Draws by the probabilities of scores.
std::size_t pick(std::span<const float> scores, double uniform) {
  const float top = *std::ranges::max_element(scores);
  double sum = 0;
  for (const float s : scores) sum += std::exp(static_cast<double>(s - top));
  double left = uniform * sum;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    left -= std::exp(static_cast<double>(scores[i] - top));
    if (left < 0) return i;
  }
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

}  // namespace

bool same_row(ConstRow a, ConstRow b) {
  const Batch &x = a.batch(), &y = b.batch();
  for (std::size_t g = 0; g < x.record().groups.size(); ++g) {
    const GroupId id{static_cast<std::int32_t>(g)};
    if (a.count(id) != b.count(id)) return false;
  }
  for (std::size_t c = 0; c < x.columns(); ++c) {
    const auto p = x.bytes(c, a.index(), 1), q = y.bytes(c, b.index(), 1);
    if (p.size() != q.size() || (!p.empty() && std::memcmp(p.data(), q.data(), p.size()) != 0))
      return false;
  }
  return true;
}

Alternatives::Alternatives(const Spec& spec, Policy& policy)
    : policy_(policy),
      space_(spec),
      heads_(spec),
      asked_(spec),
      changed_(spec.observation),
      one_(spec.action),
      amounts_(spec.action),
      draws_(spec.action),
      choices_(spec.action) {
  asked_.asked.resize(1);
  one_.resize(1);
  const Heads::Head& first = heads_[0];
  const std::string mask = "mask." + first.name;
  if (first.kind != HeadKind::continuous && spec.observation.find(mask) != nullptr)
    first_mask_ = changed_.field<std::uint8_t>(mask);
  first_low_ = first.kind == HeadKind::index ? 0 : first.low;
}

void Alternatives::add(ConstRow action, Batch& out) {
  if (out.rows() >= most_) return;
  for (std::size_t r = 0; r < out.rows(); ++r)
    if (same_row(std::as_const(out).row(r), action)) return;
  push(action, out);
}

void Alternatives::propose(const Ask& ask, ConstRow observation, ConstRow action,
                           std::uint32_t most, Rng rng, Batch& out) {
  most_ = most;
  out.clear();
  for (Batch* list : {&amounts_, &draws_, &choices_}) list->clear();
  push(action, out);
  asked_.asked[0] = ask;
  asked_.asked[0].slot = 0;
  policy_.start(0, ask.episode, rng.split("policy"));
  list_amounts(observation, action, amounts_);
  list_draws(observation, most, rng.split("draws"), draws_);
  if (first_mask_)
    list_next_choices(observation, action, most, choices_);
  else
    list_first_values(observation, action, most, choices_);
  const std::size_t longest = std::max({amounts_.rows(), draws_.rows(), choices_.rows()});
  for (std::size_t i = 0; i < longest; ++i)
    for (const Batch* list : {&choices_, &amounts_, &draws_})
      if (i < list->rows()) add(list->row(i), out);
  Rng uniform = rng.split("uniform");
  for (std::uint32_t tries = 0; out.rows() < most && tries < most; ++tries) {
    space_.sample(observation, one_.row(0), uniform);
    add(std::as_const(one_).row(0), out);
  }
}

/// Other values of a range, one head at a time; later heads stay where that is legal.
void Alternatives::list_amounts(ConstRow observation, ConstRow action, Batch& out) {
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    if (heads_[h].kind == HeadKind::continuous || (h == 0 && heads_.size() > 1)) continue;
    const ActionSpace::Choice c = space_.choice(h, observation, action);
    const auto take = [&](std::int64_t value) {
      if (!c.contains(value) || value == heads_.get(action, h)) return;
      const Row changed = push(action, out);
      heads_.set(changed, h, static_cast<std::int32_t>(value));
      space_.project(observation, changed);
    };
    take(c.high);
    take(c.low);
    for (std::int64_t more = 1; c.low + more < c.high; more = 2 * more + 1) take(c.low + more);
  }
}

bool Alternatives::draw(ConstRow observation, Rng rng, Row action) {
  changed_.clear();
  changed_.append(observation.batch(), observation.index());
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    if (!policy_.scores(changed_, h, one_, candidates_, scores_)) return false;
    const std::size_t at = pick(scores_, rng.split(h).uniform());
    heads_.set(action, h, candidates_.value[at]);
  }
  return true;
}

void Alternatives::list_draws(ConstRow observation, std::uint32_t most, Rng rng, Batch& out) {
  for (std::uint32_t i = 0; i < most; ++i) {
    one_.clear();
    one_.resize(1);
    if (!draw(observation, rng.split(i), one_.row(0))) return;
    push(std::as_const(one_).row(0), out);
  }
}

/// The mask of the first head loses one choice after the other.
void Alternatives::list_next_choices(ConstRow observation, ConstRow action, std::uint32_t most,
                                     Batch& out) {
  asked_.observation.clear();
  asked_.observation.append(observation.batch(), observation.index());
  const Row row = asked_.observation.row(0);
  std::int32_t chosen = heads_.get(action, 0);
  for (std::uint32_t i = 1; i < most; ++i) {
    const auto mask = row[*first_mask_];
    mask[static_cast<std::size_t>(chosen - static_cast<std::int32_t>(first_low_))] = 0;
    if (std::ranges::find_if(mask, [](std::uint8_t m) { return m != 0; }) == mask.end()) return;
    if (space_.stuck_head(row)) return;
    one_.clear();
    one_.resize(1);
    policy_.act(asked_, one_);
    if (!space_.legal(row, std::as_const(one_).row(0))) return;
    push(std::as_const(one_).row(0), out);
    chosen = heads_.get(std::as_const(one_).row(0), 0);
    for (std::size_t h = 1; h < heads_.size(); ++h) {
      if (heads_[h].kind != HeadKind::interval) continue;
      const ActionSpace::Choice c = space_.choice(h, row, std::as_const(one_).row(0));
      for (const std::int64_t value : {c.high, c.low}) {
        const Row changed = push(std::as_const(one_).row(0), out);
        heads_.set(changed, h, static_cast<std::int32_t>(value));
        space_.project(observation, changed);
      }
    }
  }
}

void Alternatives::list_first_values(ConstRow observation, ConstRow action, std::uint32_t most,
                                     Batch& out) {
  if (heads_[0].kind == HeadKind::continuous) return;
  const ActionSpace::Choice c = space_.choice(0, observation, action);
  for (std::int64_t value = c.low; value <= c.high && value - c.low < most; ++value) {
    const Row changed = push(action, out);
    heads_.set(changed, 0, static_cast<std::int32_t>(value));
    space_.project(observation, changed);
  }
}

}  // namespace park::search
