#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "park/envs/device_placement/cluster.h"
#include "park/envs/device_placement/graph.h"

namespace park::device_placement {

/// The memory of devices as operations are put there: outputs of all, and parameters once for each
/// device that has an operation with them.
class MemoryUse {
 public:
  /// Both must outlive it. Nothing is placed yet.
  void reset(const Graph& graph, const Cluster& cluster) {
    graph_ = &graph, cluster_ = &cluster;
    used_.assign(cluster.size(), 0);
    users_.assign(cluster.size() * graph.size(), 0);
  }

  /// After a copy: the same graph and cluster, at another place.
  void moved_to(const Graph& graph, const Cluster& cluster) noexcept {
    graph_ = &graph, cluster_ = &cluster;
  }

  /// What an operation would add to a device.
  [[nodiscard]] double need(std::size_t node, std::size_t device) const {
    const auto owner = static_cast<std::size_t>(graph_->owner[node]);
    const bool there = users_[owner * cluster_->size() + device] > 0;
    return graph_->output_bytes[node] + (there ? 0 : graph_->parameter_bytes[owner]);
  }
  [[nodiscard]] bool fits(std::size_t node, std::size_t device) const {
    return used_[device] + need(node, device) <= cluster_->memory[device];
  }
  void put(std::size_t node, std::size_t device) {
    used_[device] += need(node, device);
    ++users_[owner(node) * cluster_->size() + device];
  }
  void remove(std::size_t node, std::size_t device) {
    --users_[owner(node) * cluster_->size() + device];
    used_[device] -= need(node, device);
    if (used_[device] < 0) used_[device] = 0;  // rounding
  }
  [[nodiscard]] double used(std::size_t device) const { return used_[device]; }
  /// Bytes beyond what the devices hold.
  [[nodiscard]] double overrun() const {
    double sum = 0;
    for (std::size_t d = 0; d < used_.size(); ++d)
      if (used_[d] > cluster_->memory[d]) sum += used_[d] - cluster_->memory[d];
    return sum;
  }
  /// The device with the most memory left, the first among equals.
  [[nodiscard]] std::size_t roomiest() const {
    std::size_t best = 0;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t d = 0; d < used_.size(); ++d)
      if (cluster_->memory[d] - used_[d] > most) best = d, most = cluster_->memory[d] - used_[d];
    return best;
  }

 private:
  [[nodiscard]] std::size_t owner(std::size_t node) const {
    return static_cast<std::size_t>(graph_->owner[node]);
  }

  const Graph* graph_ = nullptr;
  const Cluster* cluster_ = nullptr;
  std::vector<double> used_;
  std::vector<std::int32_t>
      users_;  // [nodes * devices]: operations with the parameters of an owner
};

}  // namespace park::device_placement
