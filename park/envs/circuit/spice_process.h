#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "park/envs/circuit/spice_message.h"

namespace park::circuit {

/// Why a simulation gave nothing.
enum class Failure : std::uint8_t {
  none,
  refused,     ///< the simulator reported an error
  incomplete,  ///< a value is missing or is not finite
  quit,        ///< the simulator ended its process
  crashed,     ///< the process ended
  deadline,    ///< no answer in time
};
inline constexpr int kFailures = 6;

/// What a simulation gave.
struct SpiceReply {
  Failure failure = Failure::none;
  std::vector<double> values{};  ///< as in ReplyHead
  std::string text{};            ///< what is wrong
};

/// A simulator process and the socket to it. It is started when the first request comes, and again
/// after it has ended or has answered `most_runs` requests. The number of requests has a limit
/// because ngspice loses memory with every circuit. One thread at a time. The process ends with
/// this object, and with this program, however that ends.
class SpiceProcess {
 public:
  static constexpr std::uint32_t kMostRuns = 50'000;

  explicit SpiceProcess(std::uint32_t most_runs = kMostRuns) : most_runs_(most_runs) {}
  ~SpiceProcess();
  SpiceProcess(const SpiceProcess&) = delete;
  SpiceProcess& operator=(const SpiceProcess&) = delete;

  /// Starts it if it does not run. Throws Error{unavailable} if it cannot be started, or ngspice
  /// cannot be loaded.
  void start();
  /// Runs a request. After quit, crashed and deadline the process is gone.
  void run(const std::string& request, std::chrono::duration<double> deadline, SpiceReply& reply);
  /// For tests; -1: it does not run.
  [[nodiscard]] pid_t pid() const noexcept { return pid_; }

 private:
  using Time = std::chrono::steady_clock::time_point;
  [[nodiscard]] Failure receive(Time until, SpiceReply&);
  [[nodiscard]] Failure receive(void* to, std::size_t bytes, Time until) const;
  [[nodiscard]] Failure send(const void* from, std::size_t bytes, Time until) const;
  [[nodiscard]] bool wait_for(short events, Time until) const;
  void stop() noexcept;

  std::uint32_t most_runs_, runs_ = 0;
  pid_t pid_ = -1, owner_ = -1;
  int socket_ = -1;
};

}  // namespace park::circuit
