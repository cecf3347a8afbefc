#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/candidates.h"
#include "park/core/policy.h"
#include "park/core/rng.h"

namespace park::search {

/// Proposes actions that may be better than a policy's own, for any environment. In turn:
///   - other values of the own action's later heads: both ends of a range, and between them the
///     least value plus 1, 3, 7, ...;
///   - draws from the policy's probabilities, where it has scores of every head;
///   - what the policy would choose if its choices so far were not legal, and with it the ends of
///     the ranges. Where the first head has no mask, every value of it.
/// What is missing is drawn uniformly.
class Alternatives {
 public:
  /// The policy outlives it. Its slot 0 is begun anew for every row.
  Alternatives(const Spec&, Policy&);

  /// Row 0 of `out` becomes the action, others are legal and all different; `most` rows at most.
  void propose(const Ask&, ConstRow observation, ConstRow action, std::uint32_t most, Rng,
               Batch& out);

 private:
  void add(ConstRow action, Batch& out);
  void list_amounts(ConstRow observation, ConstRow action, Batch& out);
  void list_draws(ConstRow observation, std::uint32_t most, Rng, Batch& out);
  void list_next_choices(ConstRow observation, ConstRow action, std::uint32_t most, Batch& out);
  void list_first_values(ConstRow observation, ConstRow action, std::uint32_t most, Batch& out);
  [[nodiscard]] bool draw(ConstRow observation, Rng, Row action);

  Policy& policy_;
  ActionSpace space_;
  Heads heads_;
  std::optional<Field<std::uint8_t>> first_mask_;
  double first_low_ = 0;  // the value of the first element of that mask
  Decisions asked_;
  Batch changed_, one_;  // [1] a row, an action
  Batch amounts_, draws_, choices_;
  Candidates candidates_;
  std::vector<float> scores_;
  std::uint32_t most_ = 0;
};

/// Whether two rows of one record are the same, byte by byte.
[[nodiscard]] bool same_row(ConstRow, ConstRow);

}  // namespace park::search
