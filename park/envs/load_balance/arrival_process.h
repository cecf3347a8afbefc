#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "park/core/rng.h"
#include "park/envs/load_balance/config.h"
#include "park/envs/load_balance/recording.h"

namespace park::envs {

/// A job as it arrives.
struct Job {
  double gap_s;  ///< since the arrival before it
  double size;   ///< work
};

/// The exogenous input of load_balance: the jobs of an episode, one after the other. Job k takes
/// draw k of the stream "gaps" and draw k of the stream "sizes" of the episode's inputs, so it is
/// the same job whatever happens to the others. A copy continues on its own.
class ArrivalProcess {
 public:
  /// Throws what Recording::open throws, and Error{bad_file} where arrivals=recorded and the file
  /// has no gaps.
  explicit ArrivalProcess(const LoadBalanceConfig&);

  void reset(std::uint64_t inputs);
  [[nodiscard]] Job next() { return {gap(), size()}; }

 private:
  enum class Sizes { pareto, exponential, uniform, bimodal, recorded };

  double gap() noexcept;
  double size() noexcept;

  Sizes sizes_;
  bool poisson_, random_start_;
  double interval_s_;
  double first_, second_, share_ = 0;  // the parameters of the distribution
  std::shared_ptr<const Recording> recording_;
  std::size_t entry_ = 0;  // of the recording, of the next job
  Rng gap_draws_, size_draws_;
};

}  // namespace park::envs
