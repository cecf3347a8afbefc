#include "agents/kit/returns.h"

#include <cmath>

namespace park::agents {

std::vector<double> returns_of(const Trajectory& t, const ReturnOptions& options) {
  std::vector<double> all(t.steps.size());
  double after = 0;
  for (std::size_t i = t.steps.size(); i-- > 0;) {
    const Step& step = t.steps[i];
    double reward = step.reward - options.reward_rate * step.elapsed_s;
    const double decay = options.discount_rate * step.elapsed_s;
    if (decay > 0) {
      reward *= -std::expm1(-decay) / decay;
      after *= std::exp(-decay);
    }
    after += reward;
    all[i] = after;
  }
  return all;
}

double reward_rate(const std::vector<Trajectory>& all) {
  double reward = 0, elapsed_s = 0;
  for (const Trajectory& t : all)
    for (const Step& step : t.steps) {
      reward += step.reward;
      elapsed_s += step.elapsed_s;
    }
  return elapsed_s > 0 ? reward / elapsed_s : 0;
}

}  // namespace park::agents
