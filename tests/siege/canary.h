#pragma once

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/siege/target.h"

namespace park::siege {

/// A well-behaved session that plays the same episodes over and over. Its trajectory must stay as
/// it is, and its steps quick.
class Canary {
 public:
  /// What some rounds of it were like.
  struct Pulse {
    std::vector<std::string> wrong;  ///< a line for each round that failed or differed
    std::uint64_t rounds = 0;
    double worst_ms = 0;  ///< the longest step: from its request to its reply
  };

  /// Plays undisturbed for a second or longer: the trajectory that is expected, and the longest
  /// step without an attack. After each round it rests. Throws Trouble.
  Canary(const Target&, milliseconds rest);
  ~Canary();
  Canary(const Canary&) = delete;
  Canary& operator=(const Canary&) = delete;

  [[nodiscard]] const Pulse& undisturbed() const noexcept { return undisturbed_; }
  /// Plays round after round in a thread of its own, until `stop`.
  void start();
  /// Ends after a whole round; soon, if the server is gone.
  [[nodiscard]] Pulse stop(bool gone);

 private:
  /// Plays one round; its trajectory's hash. Throws what a client throws.
  [[nodiscard]] std::string round();
  void play_until(const std::stop_token&, Pulse&);

  Target target_;
  milliseconds rest_;
  std::string expected_;
  std::atomic<std::int64_t> worst_us_ = 0;
  Pulse undisturbed_, pulse_;
  std::jthread thread_;
};

}  // namespace park::siege
