#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park {

/// Sets what `send` does with an illegal action.
enum class Illegal {
  error,      ///< throws Error{illegal_action} (the default in C++)
  project,    ///< takes the nearest legal one; the outcome says so
  penalise,   ///< projects and takes the penalty off the reward
  unchecked,  ///< the caller promises legality
};

/// The generic operations on actions that follow from a spec: sampling, legality, projection. A
/// head is an interval of integers, a masked set of them, or continuous; its bounds may depend on
/// an earlier head (`given`). Every legal prefix of choices has a legal completion.
class ActionSpace {
 public:
  /// Throws Error{invalid_space} if the spec contradicts itself.
  explicit ActionSpace(const Spec&);

  /// Draws uniformly from the legal values, head by head.
  void sample(ConstRow observation, Row action, Rng&) const;
  [[nodiscard]] bool legal(ConstRow observation, ConstRow action) const noexcept;
  /// The same for one head. REQUIRES that the earlier heads of the action are legal.
  [[nodiscard]] bool legal(std::size_t head, ConstRow observation, ConstRow action) const noexcept {
    return legal(heads_[head], observation, action);
  }
  /// Replaces illegal values by the nearest legal ones, head by head; true if one changed. Throws
  /// Error{illegal_action} if a head has no legal value.
  bool project(ConstRow observation, Row action) const;

  /// The values that a head may take after the choices of the earlier heads: low .. high. If there
  /// is a mask, only values with mask[value - low] != 0.
  struct Choice {
    std::span<const std::uint8_t> mask;
    std::int64_t low, high;
    [[nodiscard]] bool contains(std::int64_t v) const noexcept {
      return v >= low && v <= high && (mask.empty() || mask[static_cast<std::size_t>(v - low)]);
    }
    [[nodiscard]] bool empty() const noexcept;
  };
  /// Discrete heads only. REQUIRES that the earlier heads of the action are legal.
  [[nodiscard]] Choice choice(std::size_t head, ConstRow observation, ConstRow action) const;
  /// The first head that some legal choice of the earlier heads leaves without a legal value, or
  /// with a range beyond its bounds. A row that may be asked has none. REQUIRES that indices of the
  /// observation are those of elements.
  [[nodiscard]] std::optional<std::size_t> stuck_head(ConstRow observation) const;
  [[nodiscard]] std::size_t heads() const noexcept { return heads_.size(); }
  [[nodiscard]] bool continuous(std::size_t head) const noexcept { return heads_[head].continuous; }

 private:
  struct Head {
    Field<std::int32_t> value;
    Field<float> real;
    bool continuous = false;
    bool fixed = false;  // discrete, with the same bounds in every row
    double low = 0, high = 0;
    GroupId index;
    std::optional<Field<std::uint8_t>> mask;
    std::optional<Field<std::int32_t>> min, max;
    std::int32_t given = -1;
    std::vector<Field<std::int32_t>> follow;
  };
  [[nodiscard]] Choice choice(const Head&, ConstRow observation, ConstRow action) const noexcept;
  /// The same, where `chosen` is the value of the head that it depends on.
  [[nodiscard]] static Choice choice(const Head&, ConstRow observation,
                                     std::size_t chosen) noexcept;
  [[nodiscard]] bool is_stuck(const Head&, ConstRow observation) const;
  [[nodiscard]] bool legal(const Head&, ConstRow observation, ConstRow action) const noexcept;

  std::vector<Head> heads_;
};

/// Applies the rule to one action. True: the action was changed.
bool admit(Illegal, const ActionSpace&, ConstRow observation, Row action);

}  // namespace park
