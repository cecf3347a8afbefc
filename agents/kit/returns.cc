#include "agents/kit/returns.h"

#include <cmath>

namespace park::agents {
namespace {

/// A step's reward as it counts when it is taken, and how much of what follows does.
struct Counted {
  double reward, after;
};

Counted count(const Step& step, const ReturnOptions& options) {
  const double reward = step.reward - options.reward_rate * step.elapsed_s;
  const double decay = options.discount_rate * step.elapsed_s;
  if (decay <= 0) return {reward, 1};
  return {reward * -std::expm1(-decay) / decay, std::exp(-decay)};
}

}  // namespace

std::vector<double> returns_of(const Trajectory& t, const ReturnOptions& options, double end) {
  std::vector<double> values(t.steps.size() + 1);
  values.back() = end;
  return advantages_of(t, values, 1, options);
}

std::vector<double> advantages_of(const Trajectory& t, const std::vector<double>& values,
                                  double lambda, const ReturnOptions& options) {
  std::vector<double> all(t.steps.size());
  double after = 0;
  for (std::size_t i = t.steps.size(); i-- > 0;) {
    const Counted c = count(t.steps[i], options);
    after = c.reward + c.after * values[i + 1] - values[i] + c.after * lambda * after;
    all[i] = after;
  }
  return all;
}

}  // namespace park::agents
