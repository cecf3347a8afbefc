#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithm.h"
#include "agents/algorithm/training.h"

namespace park::agents {

/// An algorithm that plays by its policy, estimates advantages and learns from what it has played.
/// The first iterations imitate a teacher where there is one.
class OnPolicy : public Algorithm {
 public:
  OnPolicy(Task task, const TrainingConfig& config, Estimator estimator)
      : training_(std::move(task), config), estimator_(estimator) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) final {
    if (training_.imitates(iteration)) return training_.imitate(iteration, part, estimator_);
    runs::IterationReport report;
    training_.collect(iteration, part, report);
    learn(iteration, training_.estimate(estimator_, report), report);
    training_.average();
    return report;
  }

  State policy() override { return training_.policy(); }
  State training() override { return training_.training(); }
  State failed_batch() override { return training_.batch(); }

 protected:
  /// Takes steps along the gradients of the algorithm's loss.
  virtual void learn(std::int64_t iteration, std::vector<Sample>, runs::IterationReport&) = 0;

  Training training_;

 private:
  Estimator estimator_;
};

}  // namespace park::agents
