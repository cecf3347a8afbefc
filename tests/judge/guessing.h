// A made-up game with answers that a candidate must not see. A door of three hides the prize, clues
// say where it is with some noise, and info.prize shows it to people.
#pragma once

#include <memory>
#include <string>

#include "park/core/layout.h"
#include "park/core/registry.h"
#include "park/judge/judge.h"

namespace park::test {

struct GuessingLayout : Layout {
  using Layout::Layout;
  LeafOf<float> clue{
      observation, "clue", {.shape = {3}, .low = -9, .high = 9, .doc = "larger at the prize"}};
  LeafOf<std::int32_t> prize{observation, "info.prize", {.high = 2, .doc = "where it is"}};
  LeafOf<std::int32_t> door{action, "door", {.high = 2, .doc = "which is opened"}};
  MetricOf found{metrics, "found", {.lower_is_better = false, .doc = "share of prizes found"}};
};

class Guessing final : public Env {
 public:
  struct Config {
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self&, Visit&&) {}
  };
  static constexpr int kGuesses = 20;

  explicit Guessing(const Config&) {}
  static Spec spec(const Config&) {
    return GuessingLayout().spec({.name = "guessing",
                                  .summary = "open the door with the prize",
                                  .reference = "none",
                                  .traits = {.cloneable = false}});
  }
  void reset(const Episode& e, Row row) override {
    rng_ = Rng(e.inputs);
    guesses_ = found_ = 0;
    show(row);
  }
  Outcome step(ConstRow action, Row row) override {
    const bool right = action.scalar(layout_.door) == prize_;
    found_ += right ? 1 : 0;
    ++guesses_;
    show(row);
    return {.reward = right ? 1.0 : 0.0,
            .elapsed_s = 1,
            .end = guesses_ == kGuesses ? End::terminated : End::none};
  }
  void metrics(std::span<double> out) const override {
    out[layout_.found] = static_cast<double>(found_) / guesses_;
  }

 private:
  void show(Row row) {
    Rng draw = rng_.split(static_cast<std::uint64_t>(guesses_));
    prize_ = static_cast<std::int32_t>(draw.below(3));
    for (std::size_t d = 0; d < 3; ++d)
      row[layout_.clue][d] = static_cast<float>(std::clamp(
          draw.normal() + (static_cast<std::int32_t>(d) == prize_ ? 1.0 : 0.0), -9.0, 9.0));
    row.scalar(layout_.prize) = prize_;
  }

  GuessingLayout layout_;
  Rng rng_;
  int guesses_ = 0, found_ = 0;
  std::int32_t prize_ = 0;
};

/// Opens the door with the smallest clue, or with the largest.
template <bool kLargest>
class ByClue final : public RowPolicy {
 public:
  explicit ByClue(const Spec& spec) : layout_(bind_layout<GuessingLayout>(spec)) {}

 private:
  void choose(const Ask&, ConstRow row, Row action) override {
    const auto clue = row[layout_.clue];
    const auto at = kLargest ? std::ranges::max_element(clue) : std::ranges::min_element(clue);
    action.scalar(layout_.door) = static_cast<std::int32_t>(at - clue.begin());
  }
  GuessingLayout layout_;
};

inline Registry guessing_registry() {
  Registry registry;
  registry.add_env<Guessing>();
  const auto info = [](const char* name) {
    return PolicyInfo{.name = name, .summary = "x", .reference = "x", .environments = {"guessing"}};
  };
  registry.add_policy({.name = "random", .summary = "x", .reference = "x"},
                      [](const Spec& s) { return std::make_unique<RandomPolicy>(s); });
  registry.add_policy(info("largest"),
                      [](const Spec& s) { return std::make_unique<ByClue<true>>(s); });
  registry.add_policy(info("smallest"),
                      [](const Spec& s) { return std::make_unique<ByClue<false>>(s); });
  return registry;
}

/// A judgement of a source of the guessing game on validation inputs.
inline judge::JudgePlan guessing_plan(judge::Kind kind, const std::string& source) {
  judge::JudgePlan plan{.env = "guessing"};
  plan.candidate = {.path = "candidate", .text = source, .sha256 = "x", .kind = kind};
  plan.set = judge::Set::validation;
  plan.inputs = 6;
  plan.limits = {.memory_bytes = std::uint64_t{512} << 20, .time_s = 20, .answer_s = 10};
  using Role = judge::Rival::Role;
  plan.rivals = {{.policy = "random", .role = Role::random}, {.policy = "largest"}};
  return plan;
}

}  // namespace park::test
