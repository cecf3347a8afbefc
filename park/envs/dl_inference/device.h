#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/id_vector.h"
#include "park/envs/dl_inference/application.h"
#include "park/envs/dl_inference/device_log.h"
#include "park/envs/dl_inference/ring.h"
#include "park/sim/percentiles.h"

namespace park::dl_inference {

/// What the requests of an episode have met so far.
struct Totals {
  std::uint64_t arrived = 0, done = 0, dropped = 0, in_time = 0;
  double wait_s = 0;     ///< sum over completed requests: arrival to start of the batch
  double request_s = 0;  ///< integral of the requests in the system
  double device_s = 0;   ///< time in use
  double batched = 0;    ///< requests of all batches
};

/// One device that serves batches of one application at a time and is not interrupted. Requests
/// wait in the order of arrival, in a queue per application; a batch takes the oldest ones. The
/// slowdown of a request is its response over the latency of a batch of one. The response is the
/// time from its arrival to the end of its batch, and on top the ways to the device and back. Costs
/// are weight x slowdown, accrued as time passes. Times are seconds of the episode and never go back.
/// Memory only grows.
class Device {
 public:
  /// `network_s`: both ways of a request together.
  explicit Device(std::vector<Application> apps, double network_s = 0);

  /// Nothing waits, time begins again.
  void reset() noexcept;
  /// A request of the application arrives now.
  void arrive(std::size_t app);
  /// Lets time pass. REQUIRES until_s >= now_s().
  void pass(double until_s) noexcept;
  /// The k oldest requests of the application become the running batch; returns when it ends.
  /// REQUIRES a free device and 1 <= k <= largest_batch(app).
  double start(std::size_t app, std::size_t k) { return start(app, k, apps_[app].latency_s[k]); }
  /// The same on a real device, where the batch takes so long.
  double start(std::size_t app, std::size_t k, double latency_s);
  /// The running batch ends now.
  void finish();
  /// The running batch is given up now; its requests count neither as completed nor as dropped.
  void cut() noexcept;
  /// Waiting requests leave that cannot meet their deadline even alone, in a batch that begins in
  /// `dispatch_s`. Each costs `cost` on top of its slowdown so far.
  void drop_late(double cost, double dispatch_s);

  [[nodiscard]] double now_s() const noexcept { return now_s_; }
  [[nodiscard]] const std::vector<Application>& apps() const noexcept { return apps_; }
  /// Waiting requests, in all and of one application.
  [[nodiscard]] std::uint64_t waiting() const noexcept { return waiting_; }
  [[nodiscard]] std::uint64_t waiting(std::size_t app) const noexcept {
    return queues_[app].arrivals.end() - queues_[app].first;
  }
  [[nodiscard]] std::size_t largest_batch(std::size_t app) const noexcept;
  /// The cost accrued since the last call.
  [[nodiscard]] double take_cost() noexcept;

  /// What is seen of an application with waiting requests, in requests and seconds.
  struct Seen {
    double oldest_s, wait_sum_s, arrivals_tenth, arrivals_second;
    std::array<double, 4> batch_wait_s;  ///< quarters of the largest batch
  };
  /// Forgets what is before the windows; before `seen` and `log`.
  void look() noexcept;
  [[nodiscard]] Seen seen(std::size_t app) const noexcept;
  [[nodiscard]] const DeviceLog& log() const noexcept { return log_; }

  [[nodiscard]] const Totals& totals() const noexcept { return totals_; }
  /// Mean slowdown of an application's completed and dropped requests; NaN if there is none.
  [[nodiscard]] double mean_slowdown(std::size_t app) const noexcept;
  /// Slowdowns of all completed and dropped requests, in the order in which they left.
  [[nodiscard]] std::span<const double> slowdowns() const noexcept { return slowdowns_; }
  /// Empties that list, which otherwise grows for as long as the device serves.
  void forget_slowdowns() noexcept { slowdowns_.clear(); }
  /// Arrival times of the running batch.
  [[nodiscard]] std::span<const double> running() const noexcept { return running_; }

 private:
  /// The requests of an application. Arrivals stay until the windows have passed them too.
  struct Queue {
    Ring<double> arrivals;
    std::uint64_t first = 0;              // number of the oldest one that waits
    std::uint64_t tenth = 0, second = 0;  // of the first ones within 0.1 s and 1 s
    double arrival_sum_s = 0;             // over those that wait
    double present = 0;                   // waiting and running
    double slowdowns = 0, left = 0;       // sum over those that left, and how many
  };

  double take_oldest(Queue&) noexcept;
  [[nodiscard]] double response_s(double arrival_s) const noexcept {
    return now_s_ - arrival_s + network_s_;
  }
  void leave(std::size_t app, double slowdown);
  void remove(std::size_t app, double requests) noexcept;
  [[nodiscard]] double quarter_sum_s(const Queue&, double from, double to) const noexcept;

  std::vector<Application> apps_;
  double network_s_;
  IdVector<double> cost_rates_;  // of one request of each application, per second

  IdVector<Queue> queues_;
  std::uint64_t waiting_ = 0;
  std::size_t running_app_ = 0;
  double running_start_s_ = 0;
  std::vector<double> running_;
  double now_s_ = 0;
  double cost_rate_ = 0, present_ = 0;  // of all requests in the system, and how many
  double cost_ = 0;

  DeviceLog log_;
  Totals totals_;
  std::vector<double> slowdowns_;
};

}  // namespace park::dl_inference
