#include "park/envs/dl_inference/timeline.h"

#include <algorithm>
#include <array>

namespace park::dl_inference {
namespace {

constexpr const char* kWaiting = "waiting requests";

}  // namespace

InferenceTimeline::InferenceTimeline(const std::vector<Application>& apps) {
  for (const Application& app : apps) {
    lanes_.push_back(app.name);
    single_s_.push_back(app.single_s());
  }
}

void InferenceTimeline::begin(double horizon_s) {
  horizon_s_ = horizon_s;
  slowdowns_ = 0;
  arrived_ = completed_ = batches_ = 0;
  for (const std::string& lane : lanes_) sink().lane(lane);
}

void InferenceTimeline::arrival(double time_s, std::size_t app, std::uint64_t waiting) {
  const std::array<EventArg, 1> args{{{"request", static_cast<double>(arrived_++)}}};
  sink().point(lanes_[app], time_s, "arrival", args);
  sink().value(lanes_[app], kWaiting, time_s, static_cast<double>(waiting));
}

void InferenceTimeline::batch(std::size_t app, double start_s, double end_s, std::size_t requests,
                              std::uint64_t waiting, double used_s) {
  const std::array<EventArg, 2> args{
      {{"batch", static_cast<double>(batches_++)}, {"requests", static_cast<double>(requests)}}};
  sink().span(lanes_[app], start_s, std::min(end_s, horizon_s_), lanes_[app], args);
  sink().value(lanes_[app], kWaiting, start_s, static_cast<double>(waiting));
  sink().value(lanes_[app], "device time (s)", start_s, used_s);
}

void InferenceTimeline::done(std::size_t app, double time_s, std::span<const double> arrivals_s) {
  for (const double arrival_s : arrivals_s) {
    const double response_s = time_s - arrival_s;
    const std::array<EventArg, 2> args{
        {{"response_s", response_s}, {"slowdown", response_s / single_s_[app]}}};
    sink().point(lanes_[app], time_s, "completion", args);
    slowdowns_ += response_s / single_s_[app];
    ++completed_;
  }
  sink().value("", "running mean of slowdown", time_s,
               slowdowns_ / static_cast<double>(completed_));
}

void InferenceTimeline::dropped(std::size_t app, double time_s, std::uint64_t requests,
                                std::uint64_t waiting) {
  for (std::uint64_t i = 0; i < requests; ++i) sink().point(lanes_[app], time_s, "dropped", {});
  sink().value(lanes_[app], kWaiting, time_s, static_cast<double>(waiting));
}

}  // namespace park::dl_inference
