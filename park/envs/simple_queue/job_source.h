#pragma once

#include <cstddef>
#include <cstdint>

#include "park/core/rng.h"
#include "park/envs/simple_queue/config.h"
#include "park/sim/distributions.h"

namespace park::simple_queue {

/// A job that asks to be admitted. Times are in units of interval_s, so that slotted time counts in
/// whole numbers.
struct QueueJob {
  double gap = 0;               ///< since the arrival before it
  double service = 0;           ///< how long a server will be busy with it
  std::size_t class_index = 0;  ///< index of its priority
};

/// The jobs of an episode, one after the other. Gap and class of job k are draw k of streams of the
/// episode's inputs, since they belong to the customer. Its service time is draw k of a stream of
/// its dynamics, since it belongs to the system. A job therefore does not depend on other jobs.
/// Copies continue independently.
class JobSource {
 public:
  explicit JobSource(const SimpleQueueConfig&);

  void reset(std::uint64_t inputs, std::uint64_t dynamics);
  [[nodiscard]] QueueJob next();
  /// A service time of its distribution.
  [[nodiscard]] double service(Rng draws) const { return sim::draw(services_, draws); }

 private:
  sim::Distribution gaps_, services_;  // in intervals
  std::uint64_t classes_;
  Rng gap_draws_, class_draws_, service_draws_;
};

}  // namespace park::simple_queue
