#include "park/envs/load_balance/timeline.h"

#include <algorithm>
#include <array>

namespace park::load_balance {

QueueTimeline::QueueTimeline(std::size_t servers) : at_server_(servers) {
  for (std::size_t i = 0; i < servers; ++i) lanes_.push_back("server " + std::to_string(i));
}

void QueueTimeline::begin(double horizon_s) {
  horizon_s_ = horizon_s;
  pending_ = {};
  std::ranges::fill(at_server_, 0u);
  in_system_ = completed_ = 0;
  response_sum_s_ = 0;
  for (const std::string& lane : lanes_) sink().lane(lane);
}

void QueueTimeline::arrival(double time_s, std::uint64_t job, double size) const {
  const std::array<EventArg, 2> args{{{"job", static_cast<double>(job)}, {"size", size}}};
  sink().point("arrivals", time_s, "arrival", args);
}

void QueueTimeline::service(std::size_t server, const Service& s) {
  const std::array<EventArg, 3> args{
      {{"job", static_cast<double>(s.job)}, {"size", s.size}, {"wait_s", s.start_s - s.arrived_s}}};
  if (s.start_s < horizon_s_)
    sink().span(lanes_[server], s.start_s, std::min(s.done_s, horizon_s_),
                "job " + std::to_string(s.job), args);
  pending_.push({s.done_s, s.arrived_s, s.job, server});
  ++at_server_[server];
  ++in_system_;
  queues(server, s.arrived_s);
}

void QueueTimeline::advance(double until_s) {
  for (; !pending_.empty() && pending_.top().done_s <= until_s; pending_.pop())
    completed(pending_.top());
}

void QueueTimeline::completed(const Pending& job) {
  const double response_s = job.done_s - job.arrived_s;
  const std::array<EventArg, 2> args{
      {{"job", static_cast<double>(job.job)}, {"response_s", response_s}}};
  sink().point("arrivals", job.done_s, "completion", args);
  --at_server_[job.server];
  --in_system_;
  queues(job.server, job.done_s);
  response_sum_s_ += response_s;
  ++completed_;
  sink().value("", "running mean of response time (s)", job.done_s,
               response_sum_s_ / static_cast<double>(completed_));
}

void QueueTimeline::queues(std::size_t server, double time_s) const {
  sink().value("", "jobs in system", time_s, static_cast<double>(in_system_));
  sink().value(lanes_[server], "jobs at server", time_s, static_cast<double>(at_server_[server]));
}

}  // namespace park::load_balance
