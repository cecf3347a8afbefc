#include "agents/baseline/rollout_mean.h"

#include <algorithm>
#include <cstddef>

namespace park::agents {
namespace {

/// The return of a trajectory from a time on. Of several decisions at one time, which differ by
/// nothing but themselves, the first.
double return_from(const Trajectory& t, const std::vector<double>& returns, double time_s) {
  const auto at = std::ranges::lower_bound(t.steps, time_s, {}, &Step::time_s);
  const auto next = static_cast<std::size_t>(at - t.steps.begin());
  if (next < t.steps.size() && t.steps[next].time_s == time_s) return returns[next];
  if (next == 0) return returns.empty() ? 0 : returns[0];
  const double before_s = t.steps[next - 1].time_s;
  const bool last = next == t.steps.size();
  const double after_s = last ? t.end_s() : t.steps[next].time_s;
  if (time_s >= after_s) return 0;
  const double after = last ? 0 : returns[next];
  const double part = (time_s - before_s) / (after_s - before_s);
  return returns[next - 1] + part * (after - returns[next - 1]);
}

double mean_at(const std::vector<Trajectory>& all, const PerStep& returns,
               const std::vector<std::size_t>& group, double time_s, bool but_one,
               std::size_t self) {
  double sum = 0;
  std::size_t n = 0;
  for (const std::size_t other : group) {
    if (but_one && other == self) continue;
    sum += return_from(all[other], returns[other], time_s);
    ++n;
  }
  return n == 0 ? 0 : sum / static_cast<double>(n);
}

}  // namespace

PerStep rollout_mean(const Trajectories& trajectories, const PerStep& numbers, bool leave_one_out) {
  const auto& all = trajectories.all();
  PerStep values(all.size());
  for (const std::vector<std::size_t>& group : by_sequence(all))
    for (const std::size_t i : group)
      for (const Step& step : all[i].steps)
        values[i].push_back(mean_at(all, numbers, group, step.time_s, leave_one_out, i));
  return values;
}

}  // namespace park::agents
