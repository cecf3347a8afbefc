#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "park/core/id_vector.h"

namespace park::load_balance {

/// n servers of different speed that each serve their jobs in the order of arrival, one at a time
/// and without interruption. So a job's completion is known when it arrives, and what a server
/// holds follows from the time at which it will be free. Times are seconds of the episode and never
/// go back. Memory only grows.
class Servers {
 public:
  /// Work per second of each.
  explicit Servers(std::span<const double> rates);

  /// No job is left, time begins again.
  void clear() noexcept;

  struct Service {
    double start_s, done_s;
  };
  /// A job of that size joins the queue of a server now.
  Service add(std::size_t server, double now_s, double size);

  /// Lets time pass and completes what is done by then. Returns the integral of the number of jobs
  /// present over that time.
  double advance(double now_s, double until_s) noexcept;

  /// Jobs at all servers, and jobs completed.
  [[nodiscard]] std::uint64_t present() const noexcept { return present_; }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_; }
  /// When the last job will be done; 0 if there was none.
  [[nodiscard]] double drained_s() const noexcept;
  /// Work left at all servers.
  [[nodiscard]] double work_left(double now_s) const noexcept;

  /// Per server: its rate, the jobs and the work at it, and the time to do that work. [servers]
  void write(double now_s, std::span<float> rate, std::span<float> jobs, std::span<float> work,
             std::span<float> drain_s) const noexcept;

 private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// The completion times of the jobs at one server, earliest first: a ring of 2^k places.
  struct Ring {
    IdVector<double> done_s = IdVector<double>(8);
    std::size_t head = 0;

    [[nodiscard]] double at(std::size_t i) const noexcept {
      return done_s[(head + i) & (done_s.size() - 1)];
    }
  };

  void push(std::size_t server, double done_s);
  void pop(std::size_t server) noexcept;

  // State of each server, one array per quantity since every decision reads all of them.
  IdVector<double> rates_;
  IdVector<double> free_at_s_;    // when it will have no work left
  IdVector<double> next_done_s_;  // its next completion, or kNever
  IdVector<std::uint32_t> jobs_;
  IdVector<Ring> rings_;
  std::uint64_t present_ = 0, completed_ = 0;
  std::vector<std::uint32_t> leaving_;  // scratch: servers with completions
};

}  // namespace park::load_balance
