// Figures of a policy's choices, from the lessons that it gives: what a leaf says about which item is
// chosen. Each is kept by episode, so that whoever wants an interval may draw episodes anew.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/trees/lessons.h"

namespace park::trees {

/// How often each episode counts [episodes]; empty: once.
using EpisodeDraw = std::span<const std::uint32_t>;

/// A share of decisions.
struct Share {
  std::vector<double> hits{}, decisions{};  ///< [episodes]

  Share() = default;
  explicit Share(std::size_t episodes) : hits(episodes), decisions(episodes) {}
  void add(std::size_t episode, double hit) {
    hits[episode] += hit;
    decisions[episode] += 1;
  }
  /// NaN without a decision.
  [[nodiscard]] double value(EpisodeDraw = {}) const;
  [[nodiscard]] double count() const;
};

/// A binary attribute A of items, against whether they are chosen, Y.
struct BinaryLeaf {
  std::string leaf{};
  /// [episodes] items with A = 0 and 1 that are not chosen, then those that are
  std::vector<std::array<double, 4>> counts{};

  /// (H(Y) - H(Y|A)) / H(A) (Quinlan, C4.5, 1993); NaN where A or Y has one value only.
  [[nodiscard]] double gain_ratio(EpisodeDraw = {}) const;
};

/// "The item with the smallest LEAF", or first among those where a binary leaf is 1, if there are
/// any. An item among k equal ones is 1 / k of a hit.
struct SimpleRule {
  std::string first{}, leaf{};  ///< first "": all items
  bool smallest = true;
  Share share{};
};

/// The decisions of a table of items, by episode.
class ChoiceFigures {
 public:
  /// `episode_of` [decisions + 1]: the episode of each number of LessonTable::decisions. Both must
  /// outlive it.
  ChoiceFigures(const Spec&, const LessonTable&, std::span<const std::uint32_t> episode_of,
                std::size_t episodes);

  [[nodiscard]] std::size_t decisions() const noexcept { return begins_.size() - 1; }
  [[nodiscard]] std::span<const std::size_t> begins() const noexcept { return begins_; }
  [[nodiscard]] std::size_t episode(std::size_t decision) const {
    return episode_of_[table_.decisions[begins_[decision]]];
  }
  /// The sample that the decision chose.
  [[nodiscard]] std::size_t chosen(std::size_t decision) const { return chosen_[decision]; }
  /// Whether the values of a column differ within some decision.
  [[nodiscard]] bool differs(std::size_t column) const { return differs_[column] != 0; }

  /// Leaves with the bounds 0 and 1 that differ within some decision, largest gain ratio first.
  [[nodiscard]] std::vector<BinaryLeaf> binary_leaves() const;
  /// Rules by each leaf and derived feature that differs, the most frequent first.
  [[nodiscard]] std::vector<SimpleRule> simple_rules() const;
  /// How often the choice is one of the first `n` of a random order.
  [[nodiscard]] Share by_chance(std::size_t n) const;

 private:
  [[nodiscard]] bool is_binary(std::size_t column) const;
  [[nodiscard]] std::string ordering_name(std::size_t column) const;
  [[nodiscard]] double hit(std::size_t decision, const std::vector<float>& of, bool smallest,
                           const std::vector<float>* first) const;

  const Spec& spec_;
  const LessonTable& table_;
  std::span<const std::uint32_t> episode_of_;
  std::size_t episodes_;
  std::vector<std::size_t> begins_, chosen_;
  std::vector<std::uint8_t> differs_;  // [columns]
};

}  // namespace park::trees
