#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/switch_scheduling/layout.h"

namespace park::switch_scheduling {

/// The output of each input in a matching, or -1.
using Matching = std::array<std::int32_t, kMaxPorts>;

/// What policies see of a row: the VOQs that may send a cell, by input and output.
struct Requests {
  std::size_t ports = 0;              ///< of the switch
  std::vector<std::int32_t> element;  ///< [ports * ports] in the group; -1: may not send
  std::vector<float> queue, age;      ///< [ports * ports] 0 where it may not send
  std::array<std::uint64_t, kMaxPorts> of_input{}, of_output{};  ///< their other ends, one bit each

  [[nodiscard]] std::size_t at(std::size_t input, std::size_t output) const noexcept {
    return input * ports + output;
  }
};

/// Reads rows and writes actions of switch_scheduling, in both forms of the action. It trusts
/// neither the order nor the completeness of the elements: rows may come from elsewhere.
class SwitchRows {
 public:
  explicit SwitchRows(const Spec&);

  [[nodiscard]] bool pairs() const noexcept { return pairs_.has_value(); }
  /// Whether the row is the first one of a slot.
  [[nodiscard]] bool slot_begins(ConstRow) const;
  /// The VOQs that may send: by the mask, or with action=weights those with a cell.
  void read(ConstRow, Requests&) const;

  // action=pairs
  [[nodiscard]] bool legal(ConstRow, std::int32_t element) const;
  /// The choice `done`, or -1 where it is not legal.
  [[nodiscard]] std::int32_t done(ConstRow) const;
  /// The first legal element.
  [[nodiscard]] std::int32_t first(ConstRow) const;
  void choose(Row action, std::int32_t element) const { action.scalar(pairs_->pair) = element; }

  // action=weights
  [[nodiscard]] std::span<float> weights(Row action) const { return action[weights_->weight]; }

 private:
  [[nodiscard]] const SwitchLayout& layout() const noexcept {
    return pairs_ ? static_cast<const SwitchLayout&>(*pairs_) : *weights_;
  }
  [[nodiscard]] bool requests(ConstRow, std::size_t element) const;

  std::optional<PairLayout> pairs_;  // one of the two
  std::optional<WeightLayout> weights_;
};

}  // namespace park::switch_scheduling
