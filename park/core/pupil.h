#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>

#include "park/core/policy.h"

namespace park {

/// Asks a teacher about every row that comes, whoever drives: imitation along the teacher's or the
/// learner's own trajectories (DAgger; Ross, Gordon, Bagnell, AISTATS 2011). What is done is the
/// driver's answer, or the teacher's where there is no driver.
class Pupil final : public Policy {
 public:
  /// Gets the teacher's answers to the rows before they are acted on.
  using Learn = std::function<void(const Decisions&, const Batch& answers)>;
  /// All of them outlive it.
  Pupil(const Spec& spec, Policy& teacher, Policy* driver, Learn learn)
      : teacher_(teacher), driver_(driver), learn_(std::move(learn)), answers_(spec.action) {}

  void start(std::uint32_t slot, const Episode& episode, Rng rng) override {
    teacher_.start(slot, episode, rng);
    if (driver_ != nullptr) driver_->start(slot, episode, rng);
  }
  void act(const Decisions& d, Batch& actions) override {
    answers_.clear();
    answers_.resize(d.asked.size());
    teacher_.act(d, answers_);
    learn_(d, answers_);
    if (driver_ != nullptr) return driver_->act(d, actions);
    for (std::size_t r = 0; r < d.asked.size(); ++r) actions.row(r).assign(answers_.row(r));
  }
  [[nodiscard]] std::uint32_t most_slots() const noexcept override {
    const std::uint32_t of_teacher = teacher_.most_slots();
    return driver_ == nullptr ? of_teacher : std::min(of_teacher, driver_->most_slots());
  }
  [[nodiscard]] bool may_wait() const noexcept override {
    return teacher_.may_wait() || (driver_ != nullptr && driver_->may_wait());
  }

 private:
  Policy& teacher_;
  Policy* driver_;
  Learn learn_;
  Batch answers_;
};

}  // namespace park
