#include "park/envs/simple_queue/config.h"

#include <cmath>
#include <string>

namespace park::simple_queue {
namespace {

void check_jobs(const SimpleQueueConfig& c, Violations& bad) {
  if (std::isinf(c.jobs)) {
    if (std::isinf(c.horizon_s)) bad.add("horizon_s = inf must be finite where jobs = inf");
  } else if (c.jobs != std::floor(c.jobs) || c.jobs > kMaxQueueJobs) {
    bad.add("jobs = " + number_text(c.jobs) + " is not a whole number in [1, 1e9], or inf");
  }
}

void check_room(const SimpleQueueConfig& c, Violations& bad) {
  const bool whole = c.waiting_room == std::floor(c.waiting_room);
  if (!std::isinf(c.waiting_room) && (!whole || c.waiting_room > kMaxQueueJobs))
    bad.add("waiting_room = " + number_text(c.waiting_room) +
            " is not a whole number in [0, 1e9], or inf");
}

}  // namespace

void SimpleQueueConfig::check(const SimpleQueueConfig& c, Violations& bad) {
  if (c.priorities.empty() || c.priorities.size() > 64)
    bad.add("priorities has " + std::to_string(c.priorities.size()) +
            " values; allowed are 1 to 64");
  check_jobs(c, bad);
  check_room(c, bad);
}

}  // namespace park::simple_queue
