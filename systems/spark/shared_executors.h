#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "systems/spark/application.h"

namespace park::spark {

/// What applications share.
struct SharedPool {
  std::uint32_t executors = 0;  ///< of one slot each; 0: they share none
  /// How long an executor takes from one application to another, as policies are told; seconds.
  double moving_delay_s = 0;
};

/// One pool of executors, of one slot each, for several applications. The policy sees the jobs of
/// all of them as jobs of one cluster. So it was in Mao et al., Learning Scheduling Algorithms for
/// Data Processing Clusters, SIGCOMM 2019, section 6.1.
///
/// The policy gives what is free in the pool to any stage, and so it does with the free slots of an
/// application that asks. A slot that a stage of another application gets moves: the one
/// application is to have an executor less, the other one more. An application with jobs keeps its
/// last executor, which holds what its stages have made. An episode lasts until no application is
/// left. It outlives its applications. Thread-safe.
class SharedExecutors {
 public:
  /// `known` may be null.
  SharedExecutors(Decider&, const Spec&, const ReportLimits&,
                  std::shared_ptr<const KnownDurations> known, const SharedPool& shared);
  ~SharedExecutors();
  SharedExecutors(const SharedExecutors&) = delete;
  SharedExecutors& operator=(const SharedExecutors&) = delete;

  /// An application, at first with the executors that its first report tells. One that is here in
  /// an older session, of which its driver heard no more, takes over what that one has. `next`
  /// gives the episode, and is called where none is open. What it throws passes through.
  [[nodiscard]] std::unique_ptr<Application> join(wire::Begin::Reader,
                                                  const std::function<Episode()>& next);
  [[nodiscard]] std::uint32_t size() const noexcept;

 private:
  class Pool;
  class Sharing;
  std::unique_ptr<Pool> pool_;
};

}  // namespace park::spark
