// Arrivals of an episode: one Source per application, or the lines of a trace. reset draws the first
// arrival of each source; take replaces the one that was delivered and looks for the earliest. A
// source with bursts spends an exponential amount of expected arrivals, at the rate of the state that
// it is in, so that its draws are those of a Poisson process on another clock. Environment::step
// calls take.
#include "park/envs/dl_inference/arrival_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "park/core/error.h"

namespace park::dl_inference {

ArrivalProcess::ArrivalProcess(const DlInferenceConfig& c, std::vector<Application>& apps)
    : bursts_(c.arrivals == "bursts"),
      fixed_times_(c.burst_times == "fixed"),
      together_(c.burst_together),
      random_start_(c.trace_start == "random"),
      burst_share_(c.burst_share),
      burst_factor_(c.burst_factor),
      cycle_s_(c.burst_cycle_s),
      duration_s_(c.duration_s),
      sources_(apps.size()) {
  std::vector<double> full_s;
  for (const Application& app : apps) full_s.push_back(app.full_s());
  const std::vector<double> rates = arrival_rates(c, full_s);
  for (std::size_t i = 0; i < apps.size(); ++i) sources_[i].rate = apps[i].rate = rates[i];
  if (c.arrivals == "trace") read_trace(c, apps);
  check_expected(c);
}

/// Rates follow from the file's applications, or from the shares where it names none.
void ArrivalProcess::read_trace(const DlInferenceConfig& c, std::vector<Application>& apps) {
  trace_ = ArrivalTrace::open(c.trace);
  trace_->check_apps(apps.size());
  const auto requests = static_cast<double>(trace_->times_s().size());
  if (!trace_->apps().empty()) {
    for (Application& app : apps) app.rate = 0;
    for (const std::uint8_t app : trace_->apps()) apps[app].rate += 1;
    double load = 0;
    for (const Application& app : apps) load += app.rate * app.full_s();
    for (Application& app : apps) app.rate *= c.load / load;
  }
  double sum = 0;
  for (std::size_t i = 0; i < apps.size(); ++i) {
    sources_[i].rate = apps[i].rate;
    cumulative_.push_back(sum += apps[i].rate);
  }
  stretch_ = requests / sum / trace_->period_s();
}

/// For files, whose applications the configuration does not know.
void ArrivalProcess::check_expected(const DlInferenceConfig& c) const {
  double rate = 0;
  for (const Source& s : sources_) rate += s.rate;
  const double expected = rate * std::min(c.duration_s, c.horizon_s);
  if (expected > kMostRequests)
    throw Error(Errc::invalid_config, "duration_s = " + number_text(c.duration_s) + " makes " +
                                          number_text(std::floor(expected)) +
                                          " requests; allowed are 1e8");
}

void ArrivalProcess::reset(std::uint64_t inputs) {
  const Rng input(inputs);
  start_s_ = lap_s_ = 0;
  if (trace_) {
    app_draws_ = input.split("apps");
    entry_ = random_start_ ? input.split("start").below(trace_->times_s().size()) : 0;
    start_s_ = trace_->times_s()[entry_] * stretch_;
    return set_next(of_trace());
  }
  const Rng gaps = input.split("gaps"), states = input.split("bursts");
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    sources_[i].gaps = gaps.split(i);
    sources_[i].states = states.split(together_ ? 0 : i);
    begin(sources_[i]);
  }
  start_s_ = of_sources().time_s;
  set_next(of_sources());
}

void ArrivalProcess::draw_future(std::uint64_t inputs, double now_s) {
  if (next_.time_s == kInf) return;
  const Rng input(inputs);
  if (trace_) return draw_trace_future(input, now_s);
  const Rng gaps = input.split("gaps"), states = input.split("bursts");
  const Source first = sources_[next_.app];
  const double clock_s = start_s_ + now_s;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& s = sources_[i];
    s.gaps = gaps.split(i);
    s.states = states.split(together_ ? 0 : i);
    s.time_s = clock_s;
    if (together_) s.burst = first.burst, s.state_end_s = first.state_end_s;
    if (bursts_ && !fixed_times_) s.state_end_s = clock_s + state_length_s(s);
    draw_next(s);
  }
  set_next(of_sources());
}

/// The gap after the drawn entry is the one from now to the next arrival.
void ArrivalProcess::draw_trace_future(const Rng& input, double now_s) {
  app_draws_ = input.split("apps");
  if (random_start_) {
    entry_ = input.split("start").below(trace_->times_s().size());
    lap_s_ = 0;
    start_s_ = trace_->times_s()[entry_] * stretch_ - now_s;
    static_cast<void>(of_trace());
    return set_next(of_trace());
  }
  if (trace_->apps().empty()) next_.app = drawn_app();
}

void ArrivalProcess::take() {
  if (trace_) return set_next(of_trace());
  draw_next(sources_[next_.app]);
  set_next(of_sources());
}

/// The state at the begin is drawn as it is at any time.
void ArrivalProcess::begin(Source& s) const {
  s.time_s = 0;
  s.state_end_s = kInf;
  if (bursts_) {
    s.burst = s.states.uniform() < burst_share_;
    s.state_end_s = state_length_s(s) * (fixed_times_ ? s.states.uniform() : 1);
  }
  draw_next(s);
}

double ArrivalProcess::state_length_s(Source& s) const {
  const double mean_s = cycle_s_ * (s.burst ? burst_share_ : 1 - burst_share_);
  return fixed_times_ ? mean_s : s.states.exponential(mean_s);
}

void ArrivalProcess::draw_next(Source& s) const {
  double left = -std::log(1.0 - s.gaps.uniform());  // expected arrivals until the next one
  if (!bursts_) {
    s.time_s += left / s.rate;
    return;
  }
  const double low = (1 - burst_share_ * burst_factor_) / (1 - burst_share_);
  for (;;) {
    const double rate = s.rate * (s.burst ? burst_factor_ : std::max(0.0, low));
    const double in_state = rate * (s.state_end_s - s.time_s);
    if (left < in_state) break;
    left -= in_state;
    s.time_s = s.state_end_s;
    s.burst = !s.burst;
    s.state_end_s += state_length_s(s);
  }
  s.time_s += left / (s.rate * (s.burst ? burst_factor_ : low));
}

/// The earliest one, the lower number among equals.
Arrival ArrivalProcess::of_sources() const noexcept {
  std::size_t first = 0;
  for (std::size_t i = 1; i < sources_.size(); ++i)
    if (sources_[i].time_s < sources_[first].time_s) first = i;
  return {sources_[first].time_s - start_s_, first};
}

/// By the shares of the applications.
std::size_t ArrivalProcess::drawn_app() {
  const double at = app_draws_.uniform() * cumulative_.back();
  const auto app = std::ranges::upper_bound(cumulative_, at) - cumulative_.begin();
  return std::min(static_cast<std::size_t>(app), cumulative_.size() - 1);
}

/// The entry, and goes to the next one.
Arrival ArrivalProcess::of_trace() {
  Arrival a{(trace_->times_s()[entry_] + lap_s_) * stretch_ - start_s_, 0};
  a.app = trace_->apps().empty() ? drawn_app() : trace_->apps()[entry_];
  if (++entry_ == trace_->times_s().size()) {
    entry_ = 0;
    lap_s_ += trace_->period_s();
  }
  return a;
}

/// The first arrival of an episode is at time 0, so there is always one.
void ArrivalProcess::set_next(Arrival a) { next_ = a.time_s <= duration_s_ ? a : Arrival{}; }

}  // namespace park::dl_inference
