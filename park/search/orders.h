#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/candidates.h"
#include "park/core/env.h"

namespace park::search {

/// The most elements whose orders are all tried: 40 320 of 8.
inline constexpr std::size_t kMostOrdered = 8;

/// Plays an episode by an order of its jobs. It takes that legal value of the first head whose job
/// comes first in the order, the lowest one of several. Then it takes the largest value of each
/// head with a range, and the first legal value of other heads. A job is an element of the group
/// that the path of a later head leads to, or that the first head chooses from. Its number is the
/// leaf `*.id` of that group.
class JobOrders {
 public:
  /// Throws Error{invalid_config} where the spec has no such jobs, or more than kMostOrdered.
  explicit JobOrders(const Spec&);

  /// Jobs of an episode.
  [[nodiscard]] std::size_t jobs() const noexcept { return jobs_; }

  struct Best {
    double reward = -kInf;
    std::vector<std::int32_t> order{};  ///< numbers of jobs
  };
  /// The best order of an episode, the first one among equals.
  [[nodiscard]] Best best(Env&, const Episode&);
  /// The sum of the rewards by an order: `rank` [jobs] has the place of each job.
  [[nodiscard]] double play(Env&, const Episode&, std::span<const std::int32_t> rank);

 private:
  void choose(ConstRow observation, std::span<const std::int32_t> rank, Row action) const;
  [[nodiscard]] std::size_t element_of(ConstRow observation, std::int32_t first) const;

  ActionSpace space_;
  Heads heads_;
  Batch row_, action_;
  std::vector<Field<std::int32_t>> follow_;  // from the first head to the job
  Field<std::int32_t> id_{};
  std::size_t jobs_ = 0;
};

}  // namespace park::search
