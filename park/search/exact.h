#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/candidates.h"
#include "park/core/env.h"

namespace park::search {

/// The largest sum of rewards of an episode over all sequences of decisions, with everything known
/// that randomness will bring. Depth first over copies of the environment. What is best from a state on
/// is kept in a table by 128 bits of the state's bytes (Futures::append_state). Two states of a
/// case share these bits with a probability below 1e-20.
class ExactSearch {
 public:
  /// Throws Error{invalid_config} where a head is continuous.
  ExactSearch(const Spec&, std::uint64_t most_states);

  /// REQUIRES an environment at the row, which is asked for. Throws Error{invalid_config} where it
  /// cannot be copied or does not tell its state. Returns nothing where there are more states than
  /// allowed, or sequences of so many decisions that their copies would fill the memory.
  [[nodiscard]] std::optional<double> best(const Env&, ConstRow observation);
  /// States that the last call has looked at.
  [[nodiscard]] std::uint64_t states() const noexcept { return table_.size(); }

 private:
  struct Key {
    std::uint64_t high, low;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& k) const noexcept { return static_cast<std::size_t>(k.low); }
  };

  /// A state whose actions are being tried.
  struct Open {
    std::unique_ptr<Env> env;
    Key key;
    Batch actions;  // all that are legal
    std::size_t tried = 0;
    double reward = 0;    // of the action that was tried last
    double best = -kInf;  // of those that were tried
  };

  [[nodiscard]] static Key key_of(const std::string& bytes) noexcept;
  [[nodiscard]] std::unique_ptr<Env> copy_of(const Env&) const;
  [[nodiscard]] std::optional<double> open(std::unique_ptr<Env>, ConstRow observation);
  [[nodiscard]] std::optional<double> try_next(Open&);
  [[nodiscard]] double close();

  Spec spec_;
  ActionSpace space_;
  Heads heads_;
  std::uint64_t most_states_;
  std::string bytes_;
  std::vector<Open> open_;  // from the first state of the case to the one that is looked at
  std::unordered_map<Key, double, Hash> table_;
};

/// Calls visit(ConstRow action) for every legal action of a row; it may return false to stop.
/// REQUIRES that no head is continuous.
template <class Visit>
void for_each_action(const Spec& spec, const ActionSpace& space, const Heads& heads,
                     ConstRow observation, Visit&& visit) {
  Batch action(spec.action);
  action.resize(1);
  const auto from = [&](const auto& self, std::size_t head) -> bool {
    if (head == heads.size()) return visit(std::as_const(action).row(0));
    const ActionSpace::Choice c = space.choice(head, observation, std::as_const(action).row(0));
    for (std::int64_t v = c.low; v <= c.high; ++v) {
      if (!c.contains(v)) continue;
      heads.set(action.row(0), head, static_cast<std::int32_t>(v));
      if (!self(self, head + 1)) return false;
    }
    return true;
  };
  from(from, 0);
}

}  // namespace park::search
