#include "agents/algorithm/reinforce.h"

namespace park::agents {
namespace {

class Reinforce final : public Algorithm {
 public:
  Reinforce(Task task, const ReinforceConfig& config) : training_(std::move(task), config) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) override {
    runs::IterationReport report;
    training_.collect(iteration, part, report);
    training_.ascend(training_.estimate({.lambda = 1, .bootstrap = false}, report), report);
    training_.average();
    return report;
  }

  State policy() override { return training_.policy(); }
  State training() override { return training_.training(); }
  State failed_batch() override { return training_.batch(); }

 private:
  Training training_;
};

}  // namespace

std::unique_ptr<Algorithm> make_reinforce(Task task, const ReinforceConfig& config) {
  return std::make_unique<Reinforce>(std::move(task), config);
}

}  // namespace park::agents
