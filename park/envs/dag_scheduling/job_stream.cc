#include "park/envs/dag_scheduling/job_stream.h"

#include <cmath>

namespace park::dag_scheduling {

void JobStream::reset(std::uint64_t inputs) {
  const Rng stream(inputs);
  kinds_ = stream.split("jobs");
  gaps_ = stream.split("gaps");
  next_ = 0;
  next_time_ = plan_.kind == JobStreamPlan::Kind::file ? plan_.list.front().time : 0;
}

void JobStream::draw_future(const Rng& future, Ticks now) {
  kinds_ = future.split("jobs");
  gaps_ = future.split("gaps");
  const bool draws = plan_.kind == JobStreamPlan::Kind::poisson && next_ > 0;
  if (draws && next_time_ != kNever) next_time_ = now + gap_before(next_);
}

JobStream::Arrival JobStream::take() {
  const std::uint32_t n = next_++;
  const bool listed = plan_.kind == JobStreamPlan::Kind::file;
  const std::uint32_t job =
      listed ? plan_.list[n].job : static_cast<std::uint32_t>(kinds_.split(n).below(plan_.choices));
  if (next_ == plan_.jobs)
    next_time_ = kNever;
  else if (listed)
    next_time_ = plan_.list[next_].time;
  else
    next_time_ += gap_before(next_);
  return {n, job};
}

Ticks JobStream::gap_before(std::uint32_t number) const {
  if (plan_.kind == JobStreamPlan::Kind::batch) return 0;
  const double gap_s = gaps_.split(number).exponential(plan_.interval_s);
  if (!plan_.whole_milliseconds) return to_ticks(gap_s);
  return static_cast<Ticks>(std::floor(gap_s * 1000)) * kTicksPerMs;
}

}  // namespace park::dag_scheduling
