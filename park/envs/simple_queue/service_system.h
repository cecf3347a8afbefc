#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "park/sim/event_queue.h"

namespace park::simple_queue {

/// A job that was admitted. Times are in any one unit.
struct Customer {
  std::uint64_t number = 0;  ///< number of the job in its episode
  std::size_t class_index = 0;
  double arrived = 0, service = 0;
};

/// c equal servers and a waiting room. A server that becomes free takes the job with the highest
/// priority among those that wait, the first among equals; services are not interrupted. Memory
/// only grows.
class ServiceSystem {
 public:
  /// The priority of each class; equal ones wait in one line. `room` places to wait.
  ServiceSystem(std::size_t servers, std::span<const double> priorities, double room);

  /// Nobody is there.
  void clear() noexcept;

  /// The job is served at once, waits, or is lost (false) where all servers are busy and the
  /// waiting room is full.
  [[nodiscard]] bool admit(const Customer&, double now);

  struct Served {
    Customer job;
    std::size_t server = 0;
    double start = 0, done = 0;
  };
  /// When the next service ends; infinite if no server is busy.
  [[nodiscard]] double next_done() const noexcept {
    return ends_.empty() ? std::numeric_limits<double>::infinity() : ends_.time();
  }
  /// Ends that service; its server takes who waits. REQUIRES busy() > 0.
  Served complete();

  /// Calls change(Customer&) for every job that waits. REQUIRES that class and number stay.
  template <class Change>
  void change_waiting(Change change) {
    for (Line& line : lines_)
      for (std::size_t i = 0; i < line.count; ++i)
        change(line.ring[(line.head + i) & (line.ring.size() - 1)]);
  }

  [[nodiscard]] std::size_t busy() const noexcept { return served_.size() - free_.size(); }
  [[nodiscard]] std::size_t free() const noexcept { return free_.size(); }
  [[nodiscard]] std::size_t waiting() const noexcept { return waiting_; }
  /// Places left in the waiting room.
  [[nodiscard]] double places() const noexcept { return room_ - static_cast<double>(waiting_); }

 private:
  /// First in, first out: a ring of 2^k places.
  struct Line {
    std::vector<Customer> ring = std::vector<Customer>(8);
    std::size_t head = 0, count = 0;

    void push(const Customer&);
    Customer pop() noexcept;
  };

  void start(const Customer&, std::size_t server, double now);

  double room_;
  std::vector<std::size_t> line_of_class_;
  std::vector<Line> lines_;  // the highest priority first
  sim::EventQueue<double, sim::Ties::source> ends_;
  std::vector<Served> served_;     // by server; what it serves now or served last
  std::vector<std::size_t> free_;  // a stack
  std::size_t waiting_ = 0;
};

}  // namespace park::simple_queue
