#include "park/envs/simple_queue/job_source.h"

#include <cmath>

namespace park::simple_queue {

JobSource::JobSource(const SimpleQueueConfig& c)
    : slotted_(c.arrivals == "slotted"),
      service_(c.service == "geometric"     ? Service::geometric
               : c.service == "exponential" ? Service::exponential
                                            : Service::deterministic),
      classes_(c.priorities.size()),
      log_busy_(std::log1p(-c.free_probability)),
      mean_(c.service_mean_s / c.interval_s) {}

void JobSource::reset(std::uint64_t inputs, std::uint64_t dynamics) {
  gap_draws_ = Rng(inputs).split("gaps");
  class_draws_ = Rng(inputs).split("classes");
  service_draws_ = Rng(dynamics).split("services");
}

QueueJob JobSource::next() {
  return {.gap = slotted_ ? 1.0 : gap_draws_.exponential(1),
          .service = draw_service(),
          .class_index = static_cast<std::size_t>(class_draws_.below(classes_))};
}

double JobSource::draw_service() {
  switch (service_) {
    case Service::geometric:  // by inversion; log_busy_ is -inf where every server is freed at once
      return 1 + std::floor(std::log1p(-service_draws_.uniform()) / log_busy_);
    case Service::exponential:
      return service_draws_.exponential(mean_);
    case Service::deterministic:
      return mean_;
  }
  return mean_;
}

}  // namespace park::simple_queue
