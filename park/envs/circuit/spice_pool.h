#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "park/envs/circuit/spice_process.h"

namespace park::circuit {

/// The simulator processes of this program: as many as processors at most. Thread-safe.
class SpicePool {
 public:
  explicit SpicePool(std::size_t most);
  /// That of this program.
  [[nodiscard]] static SpicePool& shared();

  /// Runs a request on a process that is free, or waits for one. A process that ended or missed the
  /// deadline is replaced, and the request is run once more: only a second such failure counts.
  /// Throws Error{unavailable} where processes cannot be started.
  void run(const std::string& request, std::chrono::duration<double> deadline, SpiceReply& reply);
  /// Starts one process if none is there, so that it is known whether that works.
  void require();

 private:
  class Lease;
  [[nodiscard]] std::size_t take();
  void give_back(std::size_t) noexcept;

  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<SpiceProcess>> all_;
  std::vector<std::size_t> free_;
};

}  // namespace park::circuit
