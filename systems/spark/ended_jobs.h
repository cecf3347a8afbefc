#pragma once

#include <cstdint>
#include <functional>
#include <set>

#include "systems/spark/spark_wire.h"

namespace park::spark {

/// The jobs of an application that have ended, each counted once. Its driver repeats them in every
/// message until one is answered in time, and never after; so the last message's are remembered.
class EndedJobs {
 public:
  struct Sums {
    std::uint64_t jobs = 0, failed = 0;  ///< those that failed are no part of the others
  };

  /// Calls `use` with each job that no message told of before.
  void take(wire::Progress::Reader, const std::function<void(wire::EndedJob::Reader)>& use);
  [[nodiscard]] const Sums& sums() const noexcept { return sums_; }

 private:
  std::set<std::uint32_t> last_;
  Sums sums_;
};

}  // namespace park::spark
