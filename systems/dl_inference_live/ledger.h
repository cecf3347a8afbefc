#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "park/envs/dl_inference/application.h"
#include "systems/dl_inference_live/live_layout.h"
#include "systems/dl_inference_live/message.h"

namespace park::inference {

/// What a client knows of the requests of an episode: when each was to arrive, when its reply came,
/// and what that said. Latencies count from the scheduled arrival, so a client that is late hides
/// no waiting. Costs are those of dl_inference: weight / latency of one, per second and request in
/// the system. Times are seconds of the episode. Thread-safe.
class Ledger {
 public:
  Ledger(std::vector<dl_inference::Application> apps, double drop_cost);

  /// A request was to arrive at that time and is sent now. Returns its id: 0, 1, 2 ...
  std::uint64_t arrived(std::size_t app, double scheduled_s, double sent_s);
  /// The reply to a request came. A second one to the same request, and one to no request, only
  /// count as stray.
  void answered(const Reply&, double now_s);

  /// Requests without an answer.
  [[nodiscard]] std::uint64_t open() const;
  [[nodiscard]] std::uint64_t strays() const;
  /// The cost since the last call.
  [[nodiscard]] double take_cost(double now_s);
  /// The metrics of an episode that ends now.
  void metrics(const LiveLayout&, double now_s, std::span<double> out) const;

 private:
  struct Entry {
    std::size_t app = 0;
    double scheduled_s = 0, left_s = 0;
    bool answered = false;
  };
  struct Sums {
    double rate = 0;                      // of cost, of one request
    double present = 0, scheduled_s = 0;  // of the requests in the system, and the sum of arrivals
    double slowdowns = 0, left = 0, device_s = 0;
  };

  [[nodiscard]] double cost(double now_s) const;
  void serve(const Reply&, Sums&, const Entry&);

  mutable std::mutex mutex_;
  std::vector<dl_inference::Application> apps_;
  double drop_cost_;
  std::vector<Entry> entries_;  // by id
  std::vector<Sums> sums_;      // by application
  std::vector<double> slowdowns_;
  std::uint64_t open_ = 0, strays_ = 0, done_ = 0, rejected_ = 0, in_time_ = 0;
  double closed_cost_ = 0, taken_cost_ = 0;
  double wait_s_ = 0, lag_s_ = 0, batches_ = 0, own_rule_ = 0, dispatch_s_ = 0, network_s_ = 0;
};

}  // namespace park::inference
