#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/candidates.h"
#include "park/core/rng.h"
#include "park/core/stream.h"

namespace park {

/// Takes decisions: a heuristic, a network or a remote program. State is kept per slot.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Called before the row with sequence 0 of that slot. The generator is keyed by run and episode.
  virtual void start(std::uint32_t slot, const Episode&, Rng) { static_cast<void>(slot); }
  /// Answers all questions. `actions` has one zero row for each question.
  virtual void act(const Decisions&, Batch& actions) = 0;
  /// What it thinks of every legal value of one head, in every row of an observation [B]. `actions`
  /// [B] hold the choices of the earlier heads, which must be legal. `candidates` become the legal
  /// values. `scores` [C] become the logarithms of their probabilities, but for a constant per row.
  /// A score of -inf marks a value that the policy never takes. The result follows from the rows
  /// alone and changes no state. False: it has none for this head, and the results are unspecified.
  [[nodiscard]] virtual bool scores(const Batch& observation, std::size_t head,
                                    const Batch& actions, Candidates& candidates,
                                    std::vector<float>& scores) {
    static_cast<void>(observation), static_cast<void>(head), static_cast<void>(actions);
    static_cast<void>(candidates), static_cast<void>(scores);
    return false;
  }
  /// Episodes that may be in progress at once. A policy that carries state from one episode to the
  /// next returns 1, so that episodes come in their order.
  [[nodiscard]] virtual std::uint32_t most_slots() const noexcept {
    return std::numeric_limits<std::uint32_t>::max();
  }
  /// Whether `act` may wait for more than the processor: for a lock, for another process.
  [[nodiscard]] virtual bool may_wait() const noexcept { return false; }
};

/// Plays a stream to its end. `visit(const Decisions&, const Batch& actions)` sees every recv and
/// may return false to stop.
template <class Visit>
void play(Stream& stream, Policy& policy, const Rng& run, Visit&& visit) {
  Batch actions(stream.spec().action);
  for (;;) {
    const Decisions& d = stream.recv();
    actions.clear();
    actions.resize(d.asked.size());
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy.start(a.slot, a.episode, run.split(a.episode.id));
    if (!d.asked.empty()) policy.act(d, actions);
    if constexpr (std::is_same_v<decltype(visit(d, std::as_const(actions))), bool>) {
      if (!visit(d, std::as_const(actions))) return;
    } else {
      visit(d, std::as_const(actions));
    }
    if (d.done) return;
    stream.send(actions);
  }
}

/// A policy that answers each question by itself.
class RowPolicy : public Policy {
 public:
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t i = 0; i < d.asked.size(); ++i)
      choose(d.asked[i], d.observation.row(i), actions.row(i));
  }

 protected:
  /// Writes the answer into `action`, which is zero.
  virtual void choose(const Ask&, ConstRow observation, Row action) = 0;
};

/// Draws uniformly from the legal actions of any environment, keyed by (run, episode, sequence).
class RandomPolicy final : public RowPolicy {
 public:
  explicit RandomPolicy(const Spec& spec) : space_(spec) {}
  void start(std::uint32_t slot, const Episode&, Rng rng) override {
    if (slot >= rng_.size()) rng_.resize(slot + 1);
    rng_[slot] = rng;
  }

 private:
  void choose(const Ask& ask, ConstRow observation, Row action) override {
    Rng draw = rng_[ask.slot].split(ask.sequence);
    space_.sample(observation, action, draw);
  }

  ActionSpace space_;
  std::vector<Rng> rng_;
};

}  // namespace park
