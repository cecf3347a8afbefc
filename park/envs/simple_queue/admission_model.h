#pragma once

#include <cstddef>
#include <vector>

namespace park::simple_queue {

/// The cost of admitting a job to a queue with c equal servers, several equally likely classes and
/// memoryless services. The model is a Markov decision process over the jobs in the system.
struct AdmissionModel {
  double servers = 1, room = 0;  ///< `room`: places to wait
  std::vector<double> rewards{};
  double service = 1;       ///< mean service time, in mean times between arrivals
  double waiting_cost = 0;  ///< cost of one job per mean time between arrivals
  bool slotted = true;      ///< arrivals at every step; else Poisson

  bool operator==(const AdmissionModel&) const = default;
};

/// The solution by relative value iteration for the average reward. With slotted arrivals a busy
/// server is freed with the probability 1 / service (at most 1) per step; with Poisson arrivals
/// service times are exponential. At most 2000 places of the waiting room are considered. The
/// iteration ends after about 10^9 operations even if it has not converged to 10^-9.
class AdmissionSolution {
 public:
  explicit AdmissionSolution(const AdmissionModel&);

  /// Whether a job with that reward is to be admitted when `jobs` are in the system.
  [[nodiscard]] bool admits(double jobs, double reward) const;
  /// The best average reward per job that asks.
  [[nodiscard]] double gain() const noexcept { return gain_; }

 private:
  /// The probabilities that `first`, first + 1 .. of n busy servers are freed within a step.
  struct Freed {
    std::size_t first = 0;
    std::vector<double> probability{};
  };
  [[nodiscard]] static Freed freed_of(std::size_t busy, double p);

  void wait_slotted();
  void wait_poisson();
  /// One iteration; returns by how much the changes of the values differ.
  double improve();

  AdmissionModel model_;
  std::size_t states_;
  std::vector<Freed> freed_;     // by busy servers
  std::vector<double> asked_;    // value where a job asks, by the jobs in the system
  std::vector<double> decided_;  // value right after the decision
  double gain_ = 0;
};

}  // namespace park::simple_queue
