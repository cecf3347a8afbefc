#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace park::test {

/// Two equal exponential servers with a queue each and Poisson arrivals, as a Markov decision
/// process that sees the numbers of jobs. At every arrival one queue is chosen. The cost is the
/// number of jobs in the system per unit of time. The process is uniformised; a queue holds at most
/// `limit` jobs, and an arrival to a full one goes to the other or is lost.
class TwoQueues {
 public:
  TwoQueues(double arrival_rate, double service_rate, std::size_t limit)
      : limit_(limit),
        arrival_(arrival_rate / (arrival_rate + 2 * service_rate)),
        service_(service_rate / (arrival_rate + 2 * service_rate)) {}

  /// Relative value iteration until the values move by less than `tolerance`.
  void solve(double tolerance) {
    values_.assign(states(), 0.0);
    std::vector<double> next(states());
    for (double change = 1; change > tolerance;) {
      double low = 1e300, high = -1e300;
      for (std::size_t i = 0; i <= limit_; ++i)
        for (std::size_t j = 0; j <= limit_; ++j) {
          const double v = static_cast<double>(i + j) + expected(i, j);
          low = std::min(low, v - values_[at(i, j)]);
          high = std::max(high, v - values_[at(i, j)]);
          next[at(i, j)] = v;
        }
      change = high - low;
      for (std::size_t s = 0; s < states(); ++s) values_[s] = next[s] - next[0];
    }
  }

  /// How much more it costs to send an arrival to the first queue than to the second.
  [[nodiscard]] double preference(std::size_t i, std::size_t j) const {
    return values_[at(i + 1, j)] - values_[at(i, j + 1)];
  }

  /// The mean number of jobs when every arrival joins the shorter queue, by power iteration of the
  /// distribution.
  [[nodiscard]] double mean_jobs_shortest(double tolerance) const {
    std::vector<double> p(states(), 0.0), next(states());
    p[0] = 1;
    for (double change = 1; change > tolerance;) {
      next.assign(states(), 0.0);
      for (std::size_t i = 0; i <= limit_; ++i)
        for (std::size_t j = 0; j <= limit_; ++j) spread(i, j, p[at(i, j)], next);
      change = 0;
      for (std::size_t s = 0; s < states(); ++s) change += std::abs(next[s] - p[s]);
      std::swap(p, next);
    }
    double mean = 0;
    for (std::size_t i = 0; i <= limit_; ++i)
      for (std::size_t j = 0; j <= limit_; ++j) mean += static_cast<double>(i + j) * p[at(i, j)];
    return mean;
  }

 private:
  [[nodiscard]] std::size_t states() const { return (limit_ + 1) * (limit_ + 1); }
  [[nodiscard]] std::size_t at(std::size_t i, std::size_t j) const { return i * (limit_ + 1) + j; }
  [[nodiscard]] static std::size_t less(std::size_t i) { return i == 0 ? 0 : i - 1; }

  [[nodiscard]] double expected(std::size_t i, std::size_t j) const {
    double join = values_[at(i, j)];
    if (i < limit_ && j < limit_)
      join = std::min(values_[at(i + 1, j)], values_[at(i, j + 1)]);
    else if (i < limit_)
      join = values_[at(i + 1, j)];
    else if (j < limit_)
      join = values_[at(i, j + 1)];
    return arrival_ * join + service_ * (values_[at(less(i), j)] + values_[at(i, less(j))]);
  }

  /// One transition of the probability of a state, with arrivals to the shorter queue.
  void spread(std::size_t i, std::size_t j, double p, std::vector<double>& next) const {
    if (i < j || (i == j && i < limit_)) {
      next[at(i + 1, j)] += p * arrival_;
    } else {
      next[at(i, j < limit_ ? j + 1 : j)] += p * arrival_;
    }
    next[at(less(i), j)] += p * service_;
    next[at(i, less(j))] += p * service_;
  }

  std::size_t limit_;
  double arrival_, service_;  // probabilities of the next event
  std::vector<double> values_;
};

}  // namespace park::test
