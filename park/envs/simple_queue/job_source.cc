#include "park/envs/simple_queue/job_source.h"

namespace park::simple_queue {

namespace {

sim::Distribution gaps_of(const SimpleQueueConfig& c) {
  if (c.arrivals == "slotted") return sim::Constant{1};
  return sim::Exponential{1};
}

sim::Distribution services_of(const SimpleQueueConfig& c) {
  const double mean = c.service_mean_s / c.interval_s;
  if (c.service == "geometric") return sim::Geometric(c.free_probability);
  if (c.service == "exponential") return sim::Exponential{mean};
  return sim::Constant{mean};
}

}  // namespace

JobSource::JobSource(const SimpleQueueConfig& c)
    : gaps_(gaps_of(c)), services_(services_of(c)), classes_(c.priorities.size()) {}

void JobSource::reset(std::uint64_t inputs, std::uint64_t dynamics) {
  gap_draws_ = Rng(inputs).split("gaps");
  class_draws_ = Rng(inputs).split("classes");
  service_draws_ = Rng(dynamics).split("services");
}

QueueJob JobSource::next() {
  return {.gap = sim::draw(gaps_, gap_draws_),
          .service = sim::draw(services_, service_draws_),
          .class_index = static_cast<std::size_t>(class_draws_.below(classes_))};
}

}  // namespace park::simple_queue
