#include "park/search/exact.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "park/core/error.h"
#include "park/core/futures.h"
#include "park/core/rng.h"

namespace park::search {

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
  double value = 0;
  if (!search(env, observation, value)) return {};
  return value;
}

/// False where there are too many states.
bool ExactSearch::search(const Env& env, ConstRow observation, double& best) {
  bytes_.clear();
  if (!append_state(env, bytes_))
    throw Error(Errc::invalid_config, "'" + spec_.name + "' does not tell its state");
  const Key key = key_of(bytes_);
  if (const auto known = table_.find(key); known != table_.end()) {
    best = known->second;
    return true;
  }
  best = -kInf;
  bool whole = true;
  Batch row(spec_.observation);
  for_each_action(spec_, space_, heads_, observation, [&](ConstRow action) {
    const std::unique_ptr<Env> copy = env.clone();
    if (!copy) throw Error(Errc::invalid_config, "'" + spec_.name + "' cannot be copied");
    row.clear();
    const Outcome o = copy->step(action, row.append());
    double rest = 0;
    whole = o.end != End::none || search(*copy, std::as_const(row).row(0), rest);
    best = std::max(best, o.reward + rest);
    return whole;
  });
  if (!whole || table_.size() == most_states_) return false;
  table_.emplace(key, best);
  return true;
}

}  // namespace park::search
