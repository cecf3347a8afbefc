// The configuration of dl_inference: the applications of a device, their arrivals, deadlines and the
// length of an episode. The registry parses it; Application and ArrivalProcess are made of it, and the
// bounds below are those of the observation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::dl_inference {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMaxApps = 64;
inline constexpr std::int32_t kMaxBatch = 256;
inline constexpr double kMinLatencyS = 1e-6;  ///< of a batch of one
inline constexpr double kMaxLatencyS = 1e6;   ///< of any batch
inline constexpr double kMostRequests = 1e8;  ///< expected in an episode

/// An application whose batch of k requests occupies the device for a_s + b_s k seconds.
struct AppConfig {
  static constexpr std::string_view kName = "app";
  double a_s = 0.005, b_s = 0.0005;
  std::int32_t max_batch = 32;

  bool operator==(const AppConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("a_s", c.a_s,
          FieldDoc{.doc = "time of a batch that does not depend on its size",
                   .unit = "s",
                   .min = 0,
                   .max = 1000});
    visit("b_s", c.b_s,
          FieldDoc{.doc = "time of a batch per request; a_s + b_s is at least 1e-6",
                   .unit = "s",
                   .min = 0,
                   .max = 1000});
    visit("max_batch", c.max_batch,
          FieldDoc{.doc = "most requests of a batch", .min = 1, .max = kMaxBatch});
  }
  static void check(const AppConfig&, Violations&);
};

/// Batched inference of several applications on one device. The default is a mild spread of four
/// applications under Poisson arrivals at the load 0.8.
struct DlInferenceConfig {
  std::string apps = "mild";
  std::vector<AppConfig> custom{};
  std::string table{};
  std::vector<double> weights{};
  std::vector<double> shares{};
  std::string rates = "equal";
  double load = 0.8;
  std::string arrivals = "poisson";
  double burst_share = 0.2, burst_factor = 3.5, burst_cycle_s = 2;
  std::string burst_times = "exponential";
  bool burst_together = false;
  std::string trace{};
  std::string trace_start = "random";
  double duration_s = 15;
  double wait_max_s = 0.001;
  double dispatch_s = 0, network_s = 0;
  double deadline = 10;
  std::string late = "keep";
  double drop_cost = 10;
  double horizon_s = kInf;

  bool operator==(const DlInferenceConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("apps", c.apps,
          FieldDoc{.doc = "the applications. equal: four of 5 + 0.5 k ms. mild: 2 + 0.2 k, "
                          "4 + 0.5 k, 6 + 0.8 k, 10 + k ms. hetero: 1 + 0.05 k, 4 + 0.5 k, "
                          "8 + 2 k, 20 + 4 k ms; batches up to 32. cpu: 0.53 + 0.074 k, "
                          "0.4 + 0.56 k, 0.72 + 0.33 k, 0.6 + 1.25 k ms up to 64, 16, 64, 16. "
                          "custom and table: those of the next two fields",
                   .choices = "equal|mild|hetero|cpu|custom|table"});
    visit("custom", c.custom, FieldDoc{.doc = "the applications of apps=custom, at most 64"});
    visit("table", c.table,
          FieldDoc{.doc = "file of measured latencies for apps=table: CSV with the header "
                          "'app,batch,latency_s'",
                   .names = Names::file});
    visit("weights", c.weights,
          FieldDoc{.doc = "weight of each application's slowdowns in the reward; empty: 1",
                   .min = 1e-6,
                   .max = 1e6});
    visit("shares", c.shares,
          FieldDoc{.doc = "what the equal rates, or loads, of the applications are multiplied by, "
                          "up to a common factor; empty: 1",
                   .min = 1e-6,
                   .max = 1e6});
    visit("rates", c.rates,
          FieldDoc{.doc = "equal: all applications have one arrival rate; equal_load: all have "
                          "one load",
                   .choices = "equal|equal_load"});
    visit("load", c.load,
          FieldDoc{.doc = "sum over the applications of arrival rate x L(K) / K, where L(K) is the "
                          "latency of the largest batch: the load where every batch is full",
                   .min = 0,
                   .max = 20,
                   .open_min = true});
    visit("arrivals", c.arrivals,
          FieldDoc{.doc = "poisson; bursts: Poisson with a rate that changes between two states; "
                          "trace: the times of a file, stretched to the load",
                   .choices = "poisson|bursts|trace"});
    visit("burst_share", c.burst_share,
          FieldDoc{.doc = "bursts: share of the time with the high rate",
                   .min = 0,
                   .max = 1,
                   .open_min = true,
                   .open_max = true});
    visit("burst_factor", c.burst_factor,
          FieldDoc{.doc = "bursts: the high rate over the mean rate; burst_share x burst_factor is "
                          "at most 1",
                   .min = 1,
                   .max = 1e6});
    visit("burst_cycle_s", c.burst_cycle_s,
          FieldDoc{.doc = "bursts: mean time from the begin of one burst to that of the next",
                   .unit = "s",
                   .min = 1e-6,
                   .max = 1e9});
    visit(
        "burst_times", c.burst_times,
        FieldDoc{.doc = "bursts: the times in a state are exponential, or fixed with a start that "
                        "is drawn",
                 .choices = "exponential|fixed"});
    visit("burst_together", c.burst_together,
          FieldDoc{.doc = "bursts: all applications have their bursts at the same times"});
    visit("trace", c.trace,
          FieldDoc{.doc = "file of arrivals for arrivals=trace: CSV with the header 'time_s' or "
                          "'time_s,app'",
                   .names = Names::file});
    visit("trace_start", c.trace_start,
          FieldDoc{.doc = "the trace's arrival that an episode begins with: drawn from its inputs, "
                          "or the first; after the last one comes the first",
                   .choices = "random|first"});
    visit("duration_s", c.duration_s,
          FieldDoc{.doc = "time during which requests arrive, from the first one on; inf: the "
                          "episode ends at its horizon",
                   .unit = "s",
                   .min = 1e-6});
    visit("wait_max_s", c.wait_max_s,
          FieldDoc{.doc = "longest wait of one decision", .unit = "s", .min = 1e-6, .max = 1e6});
    visit("dispatch_s", c.dispatch_s,
          FieldDoc{.doc = "what a decision takes; the device stands still, and requests arrive",
                   .unit = "s",
                   .min = 0,
                   .max = 1000});
    visit("network_s", c.network_s,
          FieldDoc{.doc = "the way of a request to the server and of its reply, which adds to each "
                          "response and takes no time of the device",
                   .unit = "s",
                   .min = 0,
                   .max = 1000});
    visit(
        "deadline", c.deadline,
        FieldDoc{.doc = "deadline of a request: so many times the latency of a batch of one after "
                        "its arrival",
                 .min = 1,
                 .max = 1e9});
    visit(
        "late", c.late,
        FieldDoc{.doc = "keep: deadlines only count. drop: a waiting request that cannot meet its "
                        "deadline even alone leaves when the device is free",
                 .choices = "keep|drop"});
    visit("drop_cost", c.drop_cost,
          FieldDoc{.doc = "added to the slowdown of a dropped request", .min = 0, .max = 1e9});
    visit("horizon_s", c.horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon of training; with duration_s=inf also "
                          "the length of an episode that brings no horizon of its own",
                   .unit = "s",
                   .min = 1e-6});
  }

  /// The rules between fields.
  static void check(const DlInferenceConfig&, Violations&);

  /// The applications of `apps`; none where they are those of a file.
  [[nodiscard]] std::vector<AppConfig> analytic_apps() const;
  /// The files that are named.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
};

/// Arrivals per second of applications whose requests take `full_s` seconds each in full batches.
/// Relative rates are `shares` (one each), multiplied so that the sum of rate x full_s is `load`.
[[nodiscard]] std::vector<double> arrival_rates(const DlInferenceConfig&,
                                                const std::vector<double>& full_s);

}  // namespace park::dl_inference
