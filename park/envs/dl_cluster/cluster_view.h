// ClusterView reads one row of the observation for the heuristics. `look` takes spans of the row's
// leaves and links the moves of each job; what follows from the types alone is kept until they
// change. Policies call look once per row that asks, then find the move that brings a job nearer to
// the grant it should have.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dl_cluster/layout.h"

namespace park::dl_cluster {

/// Workers (GPUs) and parameter servers of a job.
struct Grant {
  std::int32_t workers = 0, servers = 0;
  bool operator==(const Grant&) const = default;
  [[nodiscard]] std::int32_t tasks() const noexcept { return workers + servers; }
  [[nodiscard]] bool within(const Grant& other) const noexcept {
    return workers <= other.workers && servers <= other.servers;
  }
};

/// What a policy needs of rows, and how it counts the cost of a grant.
struct ViewOptions {
  bool speeds = false;       ///< needs type.speed
  double second_weight = 0;  ///< cost: the first resource + this times the second one
};

/// A configuration for jobs of one type.
struct Choice {
  Grant grant;
  double speed = 0, cost = 0;
};

/// One observation of dl_cluster in the terms of the heuristics. Jobs are numbered as in the row, in
/// the order of arrival. Views the row given to `look` until the next call. Allocates nothing once
/// it has seen its largest row.
class ClusterView {
 public:
  /// Throws Error{unavailable} with the policy's name where it needs speeds and the spec has none.
  /// Throws Error{invalid_space} if the spec is not that of a cluster.
  ClusterView(const Spec&, const std::string& policy, const ViewOptions& = {});
  void look(ConstRow observation);
  void write(std::size_t move, Row action) const;

  /// Grants stay until they are changed, else a slot begins without.
  [[nodiscard]] bool keeps() const noexcept { return keeps_; }
  [[nodiscard]] bool compat() const noexcept { return compat_; }
  [[nodiscard]] std::size_t resources() const noexcept { return capacity_.size(); }
  [[nodiscard]] double capacity(std::size_t r) const { return capacity_[r]; }
  [[nodiscard]] double free(std::size_t r) const { return free_[r]; }

  [[nodiscard]] std::size_t jobs() const noexcept { return type_.size(); }
  /// Share of the work that is left, and the work itself.
  [[nodiscard]] double remaining(std::size_t job) const { return remaining_[job]; }
  [[nodiscard]] double remaining_work(std::size_t job) const { return remaining_work_[job]; }
  [[nodiscard]] double age_s(std::size_t job) const { return age_s_[job]; }
  [[nodiscard]] double attained_s(std::size_t job) const { return attained_s_[job]; }
  [[nodiscard]] double changes(std::size_t job) const { return changes_[job]; }
  [[nodiscard]] Grant held(std::size_t job) const { return grant_of(workers_, servers_, job); }
  [[nodiscard]] Grant last(std::size_t job) const {
    return grant_of(last_workers_, last_servers_, job);
  }
  [[nodiscard]] Grant request(std::size_t job) const {
    return grant_of(request_workers_, request_servers_, job);
  }

  // Demands.
  [[nodiscard]] double demand(std::size_t job, const Grant&, std::size_t r) const;
  [[nodiscard]] double cost(std::size_t job, const Grant&) const;
  /// The dominant share of a grant.
  [[nodiscard]] double share(std::size_t job, const Grant&) const;
  /// Whether the tasks of `to` beyond those of `from` fit the nodes, in pairs first.
  [[nodiscard]] bool fits(std::size_t job, const Grant& from, const Grant& to);
  /// The first node where all of a grant fits, or none.
  [[nodiscard]] std::optional<std::size_t> first_node(std::size_t job, const Grant&) const;
  [[nodiscard]] double node_free(std::size_t node, std::size_t r) const {
    return node_free_[node * resources() + r];
  }

  // Configurations.
  [[nodiscard]] std::size_t configurations() const noexcept { return config_workers_.size(); }
  [[nodiscard]] Grant configuration(std::size_t c) const {
    return grant_of(config_workers_, config_servers_, c);
  }
  /// The configuration with the fewest tasks that has all of this grant and more; the grant itself
  /// where there is none.
  [[nodiscard]] Grant next_up(const Grant&) const;
  /// The one with the most tasks.
  [[nodiscard]] const Grant& largest() const noexcept { return largest_; }

  // Speeds. REQUIRE ViewOptions::speeds.
  /// Work per second; 0 where a grant is no configuration.
  [[nodiscard]] double speed(std::size_t job, const Grant&) const;
  [[nodiscard]] double best_speed(std::size_t job) const { return types_[type(job)].best_speed; }
  /// The configurations that are faster than all that cost as much or less, by cost.
  [[nodiscard]] std::span<const Choice> frontier(std::size_t job) const {
    return types_[type(job)].frontier;
  }

  // Moves.
  /// The legal move of a job that brings it nearest to a grant, and never beyond. `together`: while
  /// the grant has more workers and more servers, only one that adds both.
  [[nodiscard]] std::optional<std::size_t> toward(std::size_t job, const Grant&,
                                                  bool together = false) const;
  /// The end of the slot or round; in a row without it any legal move.
  [[nodiscard]] std::size_t end() const noexcept { return end_; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct TypeFacts {
    double best_speed = 0;
    std::vector<Choice> frontier;
  };

  [[nodiscard]] static Grant grant_of(std::span<const float> workers,
                                      std::span<const float> servers, std::size_t i) {
    return {static_cast<std::int32_t>(workers[i]), static_cast<std::int32_t>(servers[i])};
  }
  [[nodiscard]] std::size_t type(std::size_t job) const {
    return static_cast<std::size_t>(type_[job]);
  }
  /// The leaves that what is studied is made of.
  [[nodiscard]] std::array<std::span<const float>, 5> type_leaves() const noexcept {
    return {config_workers_, config_servers_, type_worker_, type_server_, speed_};
  }
  [[nodiscard]] double type_cost(std::size_t type, const Grant&) const;
  /// Whether a grant of a job fits in what a node has free. [resources]
  [[nodiscard]] bool fits_node(std::size_t job, const Grant&, std::span<const float> free) const;
  /// Puts equal tasks of a job on the nodes of spare_, as the environment would.
  bool place(std::size_t job, const Grant& task, std::int32_t count);
  /// Where the node with the most free slots begins in spare_.
  [[nodiscard]] std::size_t least_loaded() const;
  void look_at_types(ConstRow);
  /// Whether the leaves that look_at_types took are those that were studied last.
  [[nodiscard]] bool is_studied() const noexcept;
  void look_at_jobs(ConstRow);
  void look_at_moves(ConstRow);
  void study_types();
  void study_type(std::size_t type);

  ViewOptions options_;
  ClusterLayout layout_;
  bool keeps_ = false, compat_ = false;
  std::span<const float> capacity_, free_, config_workers_, config_servers_, type_worker_,
      type_server_, speed_, node_free_;
  std::span<const std::int32_t> type_;
  std::span<const float> age_s_, remaining_, remaining_work_, workers_, servers_, last_workers_,
      last_servers_, request_workers_, request_servers_, attained_s_, changes_;
  std::span<const std::int32_t> move_job_, move_kind_;
  std::span<const float> move_workers_, move_servers_;
  std::span<const std::uint8_t> move_mask_;

  std::size_t end_ = 0;
  std::vector<std::uint32_t> first_move_, next_move_;  // lists of the legal moves of each job

  std::vector<float> studied_;  // the leaves that what follows is made of
  Grant largest_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> numbers_;  // of configurations, sorted
  std::vector<TypeFacts> types_;
  std::vector<std::uint32_t> order_;
  std::vector<float> spare_;  // [nodes, resources] of fits
};

}  // namespace park::dl_cluster
