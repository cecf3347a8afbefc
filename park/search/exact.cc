#include "park/search/exact.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "park/core/error.h"
#include "park/core/futures.h"
#include "park/core/rng.h"

namespace park::search {
namespace {

// Of one sequence, which keeps a copy of the environment for each decision until that is solved.
constexpr std::size_t kMostDecisions = 1000;
constexpr std::size_t kMostBytes = 64 << 20;  // of their states; a copy takes several times as many

}  // namespace

ExactSearch::ExactSearch(const Spec& spec, std::uint64_t most_states)
    : spec_(spec), space_(spec), heads_(spec), most_states_(most_states) {
  for (std::size_t h = 0; h < heads_.size(); ++h)
    if (heads_[h].kind == HeadKind::continuous)
      throw Error(Errc::invalid_config, "'" + spec.name + "' has infinitely many actions: head '" +
                                            heads_[h].name + "' is continuous");
}

/// Two chains of the mixing step of Rng with different keys.
ExactSearch::Key ExactSearch::key_of(const std::string& bytes) noexcept {
  Rng high(1), low(2);
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
    high = high.split(word);
    low = low.split(word);
  }
  return {high.split(bytes.size()).state().key, low.split(bytes.size()).state().key};
}

std::optional<double> ExactSearch::best(const Env& env, ConstRow observation) {
  table_.clear();
  open_.clear();
  std::optional<double> solved = open(copy_of(env), observation);
  const std::size_t longest =
      std::min(kMostDecisions, kMostBytes / std::max<std::size_t>(1, bytes_.size()));
  while (!open_.empty()) {
    if (open_.size() > longest || table_.size() + open_.size() > most_states_) return {};
    Open& state = open_.back();
    if (solved) state.best = std::max(state.best, state.reward + *solved);
    solved = state.tried < state.actions.rows() ? try_next(state) : close();
  }
  return solved;
}

std::unique_ptr<Env> ExactSearch::copy_of(const Env& env) const {
  auto copy = env.clone();
  if (!copy) throw Error(Errc::invalid_config, "'" + spec_.name + "' cannot be copied");
  return copy;
}

/// What is best from the state on where that is known; else the state is the last open one.
std::optional<double> ExactSearch::open(std::unique_ptr<Env> env, ConstRow observation) {
  bytes_.clear();
  if (!append_state(*env, bytes_))
    throw Error(Errc::invalid_config, "'" + spec_.name + "' does not tell its state");
  const Key key = key_of(bytes_);
  if (const auto known = table_.find(key); known != table_.end()) return known->second;
  Open& state =
      open_.emplace_back(Open{.env = std::move(env), .key = key, .actions = Batch(spec_.action)});
  for_each_action(spec_, space_, heads_, observation, [&](ConstRow action) {
    state.actions.append().assign(action);
    return true;
  });
  return {};
}

/// Takes the next action of a state. Returns as `open` does for the state that it leads to.
std::optional<double> ExactSearch::try_next(Open& state) {
  std::unique_ptr<Env> next = copy_of(*state.env);
  Batch row(spec_.observation);
  const Outcome o = next->step(std::as_const(state.actions).row(state.tried++), row.append());
  state.reward = o.reward;
  if (o.end != End::none) return 0;
  return open(std::move(next), std::as_const(row).row(0));
}

/// All actions of the last open state have been tried: returns what is best from it on.
double ExactSearch::close() {
  const double best = open_.back().best;
  table_.emplace(open_.back().key, best);
  open_.pop_back();
  return best;
}

}  // namespace park::search
