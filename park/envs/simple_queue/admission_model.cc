#include "park/envs/simple_queue/admission_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace park::simple_queue {
namespace {

constexpr double kMostPlaces = 2000;
constexpr double kMostWork = 1e9;
constexpr double kTolerance = 1e-9;

/// Jobs in the system at the most. A job that pays less than it costs to let it wait is never
/// admitted, so a cost of waiting bounds the queue.
double most_jobs(const AdmissionModel& m) {
  double room = std::min(m.room, kMostPlaces);
  if (m.waiting_cost > 0)
    room = std::min(
        room,
        std::ceil(std::ranges::max(m.rewards) * m.servers / (m.waiting_cost * m.service)) + 1);
  return m.servers + room;
}

}  // namespace

AdmissionSolution::AdmissionSolution(const AdmissionModel& model)
    : model_(model),
      states_(static_cast<std::size_t>(most_jobs(model)) + 1),
      asked_(states_, 0.0),
      decided_(states_, 0.0) {
  double work = static_cast<double>(states_ * (model.rewards.size() + 1));
  if (model.slotted) {
    const double p = std::min(1.0, 1.0 / model.service);
    for (std::size_t busy = 0; busy <= static_cast<std::size_t>(model.servers); ++busy)
      freed_.push_back(freed_of(busy, p));
    work += static_cast<double>(states_ * freed_.back().probability.size());
  }
  // Numbers that are none, of rows with times of 0, end it too.
  for (double left = kMostWork; left > 0; left -= work)
    if (!(improve() > kTolerance * (1 + std::abs(gain_)))) break;
}

/// Binomial, from the mode outwards to what matters.
AdmissionSolution::Freed AdmissionSolution::freed_of(std::size_t busy, double p) {
  if (p >= 1) return {busy, {1.0}};
  const auto n = static_cast<double>(busy);
  const auto log_probability = [&](std::size_t k) {
    const auto x = static_cast<double>(k);
    return std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) + x * std::log(p) +
           (n - x) * std::log1p(-p);
  };
  constexpr double kLeast = -34.5;  // 1e-15
  auto first = static_cast<std::size_t>(std::min(n, std::floor((n + 1) * p)));
  std::size_t last = first;
  while (first > 0 && log_probability(first - 1) > kLeast) --first;
  while (last < busy && log_probability(last + 1) > kLeast) ++last;
  Freed freed{first, {}};
  double sum = 0;
  for (std::size_t k = first; k <= last; ++k)
    sum += freed.probability.emplace_back(std::exp(log_probability(k)));
  for (double& probability : freed.probability) probability /= sum;
  return freed;
}

/// Between two steps the servers that are freed take who waits at the end of the step.
void AdmissionSolution::wait_slotted() {
  const auto servers = static_cast<std::size_t>(model_.servers);
  for (std::size_t n = 0; n < states_; ++n) {
    const std::size_t busy = std::min(n, servers);
    const Freed& freed = freed_[busy];
    double value = -model_.waiting_cost * static_cast<double>(n - busy);
    for (std::size_t k = 0; k < freed.probability.size(); ++k)
      value += freed.probability[k] * asked_[n - freed.first - k];
    decided_[n] = value;
  }
}

/// The next event is an arrival, or a departure that leaves one job less to wait with.
void AdmissionSolution::wait_poisson() {
  for (std::size_t n = 0; n < states_; ++n) {
    const double busy = std::min(static_cast<double>(n), model_.servers);
    const double departures = busy / model_.service, events = 1 + departures;
    double value = asked_[n] - model_.waiting_cost * (static_cast<double>(n) - busy);
    if (n > 0) value += departures * decided_[n - 1];
    decided_[n] = value / events;
  }
}

double AdmissionSolution::improve() {
  model_.slotted ? wait_slotted() : wait_poisson();
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t n = 0; n < states_; ++n) {
    double value = 0;
    for (const double reward : model_.rewards)
      value += n + 1 < states_ ? std::max(decided_[n], reward + decided_[n + 1]) : decided_[n];
    value /= static_cast<double>(model_.rewards.size());
    low = std::min(low, value - asked_[n]);
    high = std::max(high, value - asked_[n]);
    asked_[n] = value;
  }
  gain_ = (low + high) / 2;
  const double origin = asked_[0];
  for (double& value : asked_) value -= origin;
  return high - low;
}

bool AdmissionSolution::admits(double jobs, double reward) const {
  if (jobs + 1 > model_.servers + model_.room) return false;
  const bool bounded = model_.waiting_cost > 0;
  const auto last = static_cast<double>(states_ - 2);
  if (bounded && jobs > last) return false;
  const auto n = static_cast<std::size_t>(std::min(jobs, last));
  const double gain = reward + decided_[n + 1] - decided_[n];
  return gain >= -kTolerance * (1 + reward);
}

}  // namespace park::simple_queue
