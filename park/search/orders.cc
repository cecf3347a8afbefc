#include "park/search/orders.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "park/core/error.h"

namespace park::search {
namespace {

/// The leaf with the numbers of a group's elements, or nullptr.
const Leaf* id_of(const Spec& spec, const std::string& group) {
  for (const Leaf& leaf : spec.observation.leaves)
    if (leaf.group == group && leaf.name.ends_with(".id") && leaf.dtype == DType::i32) return &leaf;
  return nullptr;
}

}  // namespace

JobOrders::JobOrders(const Spec& spec)
    : space_(spec), heads_(spec), row_(spec.observation), action_(spec.action) {
  action_.resize(1);
  std::string group = heads_[0].group;
  for (std::size_t h = 1; h < heads_.size(); ++h)
    if (heads_[h].given == 0 && id_of(spec, heads_[h].given_group) != nullptr) {
      group = heads_[h].given_group;
      follow_ = heads_[h].follow;
      break;
    }
  const Leaf* const id = group.empty() ? nullptr : id_of(spec, group);
  if (heads_[0].kind != HeadKind::index || id == nullptr)
    throw Error(Errc::invalid_config,
                "'" + spec.name + "' has no jobs with numbers to put in an order");
  id_ = row_.field<std::int32_t>(id->name);
  jobs_ = static_cast<std::size_t>(id->high) + 1;
  if (jobs_ > kMostOrdered)
    throw Error(Errc::invalid_config, "'" + spec.name + "' has " + std::to_string(jobs_) +
                                          " jobs, whose orders cannot all be tried; allowed are " +
                                          std::to_string(kMostOrdered));
}

std::size_t JobOrders::element_of(ConstRow observation, std::int32_t first) const {
  auto element = static_cast<std::size_t>(first);
  for (const Field<std::int32_t>& f : follow_)
    element = static_cast<std::size_t>(observation[f][element]);
  return element;
}

void JobOrders::choose(ConstRow observation, std::span<const std::int32_t> rank, Row action) const {
  const ActionSpace::Choice first = space_.choice(0, observation, action);
  std::int32_t least = static_cast<std::int32_t>(jobs_), chosen = 0;
  for (std::int64_t v = first.low; v <= first.high; ++v) {
    if (!first.contains(v)) continue;
    const auto value = static_cast<std::int32_t>(v);
    const std::int32_t number = observation[id_][element_of(observation, value)];
    if (rank[static_cast<std::size_t>(number)] >= least) continue;
    least = rank[static_cast<std::size_t>(number)];
    chosen = value;
  }
  heads_.set(action, 0, chosen);
  for (std::size_t h = 1; h < heads_.size(); ++h) {
    const ActionSpace::Choice c = space_.choice(h, observation, action);
    std::int64_t value = c.mask.empty() ? c.high : c.low;
    while (!c.contains(value)) ++value;
    heads_.set(action, h, static_cast<std::int32_t>(value));
  }
}

double JobOrders::play(Env& env, const Episode& episode, std::span<const std::int32_t> rank) {
  row_.clear();
  env.reset(episode, row_.append());
  double sum = 0;
  for (End end = End::none; end == End::none;) {
    choose(std::as_const(row_).row(0), rank, action_.row(0));
    row_.clear();
    const Outcome o = env.step(std::as_const(action_).row(0), row_.append());
    sum += o.reward;
    end = o.end;
  }
  return sum;
}

JobOrders::Best JobOrders::best(Env& env, const Episode& episode) {
  std::vector<std::int32_t> order(jobs_), rank(jobs_);
  std::iota(order.begin(), order.end(), 0);
  Best best;
  do {
    for (std::size_t i = 0; i < jobs_; ++i)
      rank[static_cast<std::size_t>(order[i])] = static_cast<std::int32_t>(i);
    const double reward = play(env, episode, rank);
    if (reward > best.reward) best = {reward, order};
  } while (std::ranges::next_permutation(order).found);
  return best;
}

}  // namespace park::search
