#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "park/check/subject.h"
#include "park/core/action_space.h"
#include "park/core/policy.h"
#include "park/core/stream.h"

namespace park::check {

/// An episode that has not ended after so many decisions has no end.
constexpr std::uint64_t kMostDecisions = 100'000;

enum class Mode { random, lowest, highest };

/// Takes legal decisions. The random ones are keyed by the episode's inputs and dynamics, so that
/// an episode gets the same ones under another number.
class Chooser final : public Policy {
 public:
  explicit Chooser(const Spec&, Mode = Mode::random, std::uint64_t key = 1);
  void choose(ConstRow observation, Row action, const Episode&, std::uint64_t sequence) const;
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] const ActionSpace& space() const noexcept { return space_; }

 private:
  void fill_extreme(Row action) const;

  ActionSpace space_;
  Mode mode_;
  std::uint64_t key_;
  std::vector<Field<std::int32_t>> integers_;
  std::vector<Field<float>> reals_;
};

/// One environment, played directly.
class Player {
 public:
  explicit Player(const Subject& s, Mode mode = Mode::random, std::uint64_t key = 1)
      : Player(s, s.make(), mode, key) {}
  Player(const Subject&, std::unique_ptr<Env>, Mode = Mode::random, std::uint64_t key = 1);

  /// visit(ConstRow observation, const Outcome& since_last, std::uint64_t sequence), the final one
  /// included; returns the number of decisions. Throws where the episode has no end.
  template <class Visit>
  std::uint64_t play(const Episode& e, Visit&& visit) {
    env_->reset(e, next_row());
    return play_on(e, {}, 0, visit);
  }
  /// Goes on from the row observed.
  template <class Visit>
  std::uint64_t play_on(const Episode& e, Outcome o, std::uint64_t sequence, Visit&& visit) {
    for (;; ++sequence) {
      visit(observed(), std::as_const(o), sequence);
      if (o.end != End::none) return sequence;
      if (sequence == kMostDecisions) fail_endless();
      choose(e, sequence);
      o = env_->step(std::as_const(action_).row(0), next_row());
    }
  }

  [[nodiscard]] Env& env() noexcept { return *env_; }
  [[nodiscard]] const Chooser& chooser() const noexcept { return chooser_; }
  [[nodiscard]] ConstRow observed() const noexcept {
    return observation_.row(observation_.rows() - 1);
  }
  /// Makes another row the one observed.
  void see(ConstRow row) { next_row().assign(row); }
  /// An empty row for the environment to write.
  Row next_row() {
    observation_.clear();
    return observation_.append();
  }
  void set_poison(std::uint8_t pattern) noexcept { observation_.set_poison(pattern); }
  [[nodiscard]] std::vector<double> metrics(double before = 0) const;
  /// The decision on the row observed, in action().
  void choose(const Episode&, std::uint64_t sequence);
  [[nodiscard]] Row action() noexcept { return action_.row(0); }

 private:
  [[noreturn]] static void fail_endless();

  std::unique_ptr<Env> env_;
  Chooser chooser_;
  Batch observation_, action_;
  std::size_t metrics_;
};

/// An episode, byte by byte: hashes of every column and count of every row, outcomes, metrics.
struct Trajectory {
  std::vector<std::uint64_t> parts;  ///< [rows, groups + leaves]
  std::vector<Outcome> outcomes;     ///< [rows], the first one empty
  std::vector<double> metrics;

  void add(ConstRow, const Outcome&);
  [[nodiscard]] std::size_t decisions() const noexcept { return outcomes.size() - 1; }
};

/// Where the first one departs from the second: "row 4: stage.tasks"; "" where they are equal. With
/// `rows`, only so many rows count and nothing after them.
[[nodiscard]] std::string difference(const Spec&, const Trajectory&, const Trajectory&,
                                     std::size_t rows = SIZE_MAX);

[[nodiscard]] Trajectory trajectory(Player&, const Episode&);
/// The trajectory of every episode of a stream, by the episode's number.
[[nodiscard]] std::map<std::uint64_t, Trajectory> trajectories(Stream&, Policy&);

/// n episodes with different inputs, of the subject's seed; more where the subject asks for more.
/// Every other one ends at a horizon within its natural length.
[[nodiscard]] std::vector<Episode> test_episodes(const Subject&, std::size_t n);
/// Likewise without horizons.
[[nodiscard]] std::vector<Episode> whole_episodes(const Subject&, std::size_t n);

}  // namespace park::check
