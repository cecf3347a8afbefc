#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "park/core/id_vector.h"
#include "park/core/rng.h"
#include "park/core/space.h"
#include "park/envs/dl_inference/application.h"
#include "park/envs/dl_inference/config.h"
#include "park/envs/dl_inference/trace.h"

namespace park::dl_inference {

/// A request as it arrives. Time 0 is the first arrival of the episode.
struct Arrival {
  double time_s = kInf;  ///< infinite: none follows
  std::size_t app = 0;
};

/// The exogenous input: the requests of all applications in the order of time. Request k of
/// application i takes draw k of the stream "gaps" of i; the states of bursts have a stream of their
/// own. With a trace, request k takes draw k of the stream "apps" where the file names none. Nothing
/// depends on what is done to requests. Copies continue independently.
class ArrivalProcess {
 public:
  /// Sets the rates of the applications. Throws what ArrivalTrace::open and check_apps throw, and
  /// Error{invalid_config} where more than 1e8 requests are expected.
  ArrivalProcess(const DlInferenceConfig&, std::vector<Application>& apps);

  void reset(std::uint64_t inputs);
  /// The arrivals after `now_s` are drawn anew. A state of bursts continues from the next arrival
  /// as it is. A trace that begins at a random place continues at another one.
  void draw_future(std::uint64_t inputs, double now_s);
  /// The next arrival.
  [[nodiscard]] const Arrival& next() const noexcept { return next_; }
  /// Goes to the one after it. REQUIRES a next one.
  void take();
  /// Whether one may come after that time, as far as anyone can know.
  [[nodiscard]] bool open_after(double time_s) const noexcept { return time_s < duration_s_; }

 private:
  /// The arrivals of one application that follow no trace.
  struct Source {
    double rate = 0;  // mean
    Rng gaps{}, states{};
    double time_s = 0;  // of its next arrival
    bool burst = false;
    double state_end_s = kInf;
  };

  void begin(Source&) const;
  void draw_trace_future(const Rng& input, double now_s);
  void draw_next(Source&) const;
  [[nodiscard]] double state_length_s(Source&) const;
  void read_trace(const DlInferenceConfig&, std::vector<Application>&);
  void check_expected(const DlInferenceConfig&) const;
  [[nodiscard]] Arrival of_sources() const noexcept;
  [[nodiscard]] Arrival of_trace();
  [[nodiscard]] std::size_t drawn_app();
  void set_next(Arrival);

  bool bursts_, fixed_times_, together_, random_start_;
  double burst_share_, burst_factor_, cycle_s_, duration_s_;
  IdVector<Source> sources_;
  std::shared_ptr<const ArrivalTrace> trace_;  // in place of the sources, if there is one
  double stretch_ = 1;                         // time of the episode over that of the trace
  std::vector<double> cumulative_;             // shares of the applications

  Arrival next_;
  double start_s_ = 0;     // time 0, on the clock of the sources
  std::size_t entry_ = 0;  // of the trace, of the next arrival
  double lap_s_ = 0;       // of the trace, added to its times
  Rng app_draws_{};
};

}  // namespace park::dl_inference
