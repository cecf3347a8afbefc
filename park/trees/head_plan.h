#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/trees/features.h"
#include "park/trees/tree_file.h"

namespace park::trees {

/// What a file says of one head, bound to a spec. One thread.
class HeadPlan {
 public:
  /// Throws Error{bad_file} in one line that names the file and the line.
  HeadPlan(const Spec&, const Heads&, std::size_t head, const HeadTrees&,
           const std::vector<Derived>&, const std::string& file);

  /// Whether the head has levels; else it has values.
  [[nodiscard]] bool compares() const noexcept { return !levels_.empty(); }

  /// The place of the chosen candidate. REQUIRES candidates.
  [[nodiscard]] std::size_t choose(ConstRow observation, ConstRow action,
                                   std::span<const std::int32_t> candidates);
  /// The scores of candidates as TreePolicy says.
  void score(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates,
             std::span<float> scores);
  /// The number of a component, before it is made legal. REQUIRES !compares().
  [[nodiscard]] float number(ConstRow observation, ConstRow action,
                             std::span<const std::int32_t> candidates, std::size_t component);
  /// Whether the last choice of several candidates was left to one by rules alone.
  [[nodiscard]] std::span<const std::uint8_t> kept() const noexcept { return kept_; }
  /// Computes which candidates the rules keep.
  void apply_rules(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates);

 private:
  struct BoundLevel {
    Features features;  // the forest's inputs, then the ties
    const LevelTrees* trees;
    std::vector<float> scores{};  // [items]
  };

  void bind_levels(const Spec&, const Heads&, const std::vector<Derived>&);
  void bind_values(const Spec&, const Heads&, const std::vector<Derived>&);
  [[nodiscard]] bool holds(const Rule&, std::size_t first, std::span<const float>) const;
  /// The scores of those items that kept candidates belong to; without `kept` of all. The items are
  /// found already.
  void compute(BoundLevel&, ConstRow observation, std::span<const std::int32_t> candidates,
               std::span<const std::uint8_t> kept);
  /// Whether rules or levels before have left one item of this level, so that nothing is to decide.
  [[nodiscard]] bool has_one_item(const BoundLevel&) const;
  [[nodiscard]] static bool before(const BoundLevel&, std::uint32_t a, std::uint32_t b);
  [[nodiscard]] std::size_t nearest(std::span<const std::int32_t> candidates, float number) const;

  HeadTrees trees_;
  std::size_t head_;
  const std::string file_;
  std::vector<Features> rules_;  // none or one: all conditions, in order
  std::vector<BoundLevel> levels_;
  std::vector<Features> values_;       // [components]
  std::vector<std::uint8_t> kept_;     // [candidates]
  std::vector<std::uint32_t> wanted_;  // the candidates that are kept, where some are not
  std::vector<std::size_t> order_;
};

}  // namespace park::trees
