#include "agents/algorithm/a2c.h"

namespace park::agents {
namespace {

class A2c final : public Algorithm {
 public:
  A2c(Task task, const A2cConfig& config)
      : training_(std::move(task), config), lambda_(config.lambda) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) override {
    runs::IterationReport report;
    training_.collect(iteration, part, report);
    training_.ascend(training_.estimate({.lambda = lambda_, .bootstrap = true}, report), report);
    training_.average();
    return report;
  }

  State policy() override { return training_.policy(); }
  State training() override { return training_.training(); }
  State failed_batch() override { return training_.batch(); }

 private:
  Training training_;
  double lambda_;
};

}  // namespace

std::unique_ptr<Algorithm> make_a2c(Task task, const A2cConfig& config) {
  return std::make_unique<A2c>(std::move(task), config);
}

}  // namespace park::agents
