#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/envs/device_placement/cluster.h"
#include "park/envs/device_placement/graph.h"

namespace park::device_placement {

/// Which of its ready operations a device runs next.
enum class Order : std::uint8_t {
  rank,  ///< the largest upward rank: mean time plus the longest way on, transfers included (HEFT)
  fifo   ///< the one that was ready first
};

/// Computes the time of one step of a placed graph. A device runs one operation at a time. What an
/// operation makes is sent once to each other device that needs it, as soon as it is made. A link
/// carries one tensor at a time, in the order in which they were made, for bytes / bandwidth. The
/// tensor is there a latency later.
///
/// load takes the graph and the cluster and ranks the operations; step_s may then be asked for any
/// number of placements. Nothing is allocated once a graph of that size was loaded.
class Simulator {
 public:
  /// The graph and the cluster must outlive the use of step_s.
  void load(const Graph&, const Cluster&, Order);

  /// After a copy: the same graph and cluster, at another place.
  void moved_to(const Graph& graph, const Cluster& cluster) noexcept {
    graph_ = &graph, cluster_ = &cluster;
  }

  /// Seconds until every operation is done. REQUIRES a device below the cluster's size for each
  /// operation.
  [[nodiscard]] double step_s(std::span<const std::int32_t> device);

  /// What the placement asked last gave: when each operation began, and bytes sent.
  [[nodiscard]] std::span<const double> begin_s() const noexcept { return begin_s_; }
  [[nodiscard]] double sent_bytes() const noexcept { return sent_bytes_; }
  /// Operations and transfers that were simulated since the load.
  [[nodiscard]] std::uint64_t events() const noexcept { return events_; }

  /// Operations by upward rank, the largest first; a topological order.
  [[nodiscard]] std::span<const std::int32_t> by_rank() const noexcept { return by_rank_; }
  [[nodiscard]] std::span<const double> rank_s() const noexcept { return rank_s_; }
  [[nodiscard]] std::span<const Edge> edges_of(std::size_t node) const noexcept {
    return std::span(graph_->edges).subspan(first_[node], first_[node + 1] - first_[node]);
  }
  [[nodiscard]] const Graph& graph() const noexcept { return *graph_; }
  [[nodiscard]] const Cluster& cluster() const noexcept { return *cluster_; }
  /// Seconds of an operation on a device.
  [[nodiscard]] double cost_s(std::size_t node, std::size_t device) const noexcept {
    return graph_->work_s[node] / cluster_->speed[device];
  }

 private:
  /// Ready operations of a device, by their place in the order: a set of small numbers with the
  /// least one found in two steps.
  struct Ready {
    std::vector<std::uint64_t> word, summary;
    void resize(std::size_t n);
    void put(std::size_t place) noexcept;
    [[nodiscard]] std::int32_t take() noexcept;  // -1: none
    std::size_t count = 0;
  };
  /// A tensor on a link.
  struct Arrival {
    double time_s;
    std::uint32_t first, last;  // its edges, to this device and to others
  };
  struct Link {
    std::vector<Arrival> queue;
    std::size_t head = 0;
    double free_s = 0;
  };

  void rank();
  void begin();
  void start_idle(double now_s);
  void finish(std::size_t on, double now_s, std::span<const std::int32_t> device);
  void send_tensor(std::size_t on, std::uint32_t first, std::uint32_t last, double now_s,
                   std::span<const std::int32_t> device);
  void arrive(std::size_t link, std::span<const std::int32_t> device);
  void receive(std::size_t node, std::size_t on);
  void ready(std::size_t node, std::size_t on);

  const Graph* graph_ = nullptr;
  const Cluster* cluster_ = nullptr;
  Order order_ = Order::rank;
  std::vector<std::uint32_t> first_;  // [nodes + 1] of edges
  std::vector<std::int32_t> inputs_, missing_, by_rank_, place_;
  std::vector<double> rank_s_, begin_s_;

  // While a step is simulated.
  std::array<Ready, kMaxDevices> ready_;
  std::array<std::vector<std::int32_t>, kMaxDevices> fifo_;
  std::array<std::size_t, kMaxDevices> fifo_next_{};
  std::array<std::int32_t, kMaxDevices> running_{};
  std::array<Link, kMaxDevices * kMaxDevices> links_;
  std::array<double, kMaxDevices * kMaxDevices> next_s_{};  // device d at d * K + d, else the link
  double sent_bytes_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace park::device_placement
