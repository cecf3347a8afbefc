#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "park/core/rng.h"
#include "park/envs/load_balance/config.h"
#include "park/envs/load_balance/recording.h"
#include "park/sim/distributions.h"

namespace park::load_balance {

/// A job as it arrives.
struct Job {
  double gap_s = 0;  ///< since the arrival before it
  double size = 0;   ///< work
};

/// The exogenous input of load_balance: the jobs of an episode, one after the other. Job k takes
/// draw k of the stream "gaps" and draw k of the stream "sizes" of the episode's inputs. It does
/// not depend on other jobs. Copies continue independently.
class ArrivalProcess {
 public:
  /// Throws what Recording::open throws, and Error{bad_file} if arrivals=recorded and the file
  /// has no gaps.
  explicit ArrivalProcess(const LoadBalanceConfig&);

  void reset(std::uint64_t inputs);
  /// The jobs to come are those of other inputs; a recording that begins at its first entry
  /// continues as it is.
  void draw_future(std::uint64_t inputs);
  [[nodiscard]] const Job& next() {
    if (used_ == block_.size()) [[unlikely]]
      refill();
    return block_[used_++];
  }

 private:
  void refill();
  void copy_recorded();

  bool poisson_, random_start_;
  sim::Distribution gaps_, sizes_;
  std::shared_ptr<const Recording> recording_;  // in place of sizes_, if there is one

  std::size_t entry_ = 0;  // of the recording, of the next job
  Rng gap_draws_, size_draws_;
  // Drawn ahead, since independent logarithms and powers overlap in the processor.
  std::array<Job, 16> block_;
  std::size_t used_ = 0;
};

}  // namespace park::load_balance
