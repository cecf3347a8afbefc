#include "park/envs/simple_queue/timeline.h"

#include <array>

namespace park::simple_queue {

AdmissionTimeline::AdmissionTimeline(std::size_t servers, double interval_s)
    : interval_s_(interval_s) {
  for (std::size_t i = 0; i < servers; ++i) lanes_.push_back("server " + std::to_string(i));
}

void AdmissionTimeline::begin() const {
  for (const std::string& lane : lanes_) sink().lane(lane);
}

void AdmissionTimeline::arrival(double time, std::uint64_t job, double reward) const {
  const std::array<EventArg, 2> args{{{"job", static_cast<double>(job)}, {"reward", reward}}};
  sink().point("arrivals", time * interval_s_, "arrival", args);
}

void AdmissionTimeline::turned_away(double time, std::uint64_t job, const char* what) const {
  const std::array<EventArg, 1> args{{{"job", static_cast<double>(job)}}};
  sink().point("arrivals", time * interval_s_, what, args);
}

void AdmissionTimeline::service(const ServiceSystem::Served& s, double reward, bool cut) const {
  const auto job = static_cast<double>(s.job.number);
  const std::array<EventArg, 3> args{
      {{"job", job}, {"reward", reward}, {"wait_s", (s.start - s.job.arrived) * interval_s_}}};
  sink().span(lanes_[s.server], s.start * interval_s_, s.done * interval_s_,
              "job " + std::to_string(s.job.number), args);
  if (cut) return;
  const std::array<EventArg, 2> done{
      {{"job", job}, {"response_s", (s.done - s.job.arrived) * interval_s_}}};
  sink().point("arrivals", s.done * interval_s_, "completion", done);
}

void AdmissionTimeline::counts(double time, const ServiceSystem& system) const {
  sink().value("", "busy servers", time * interval_s_, static_cast<double>(system.busy()));
  sink().value("", "jobs waiting", time * interval_s_, static_cast<double>(system.waiting()));
}

}  // namespace park::simple_queue
