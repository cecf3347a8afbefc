// What the trees of a decision compare, as numbers. A level of a head has items: candidates of the
// head, elements that candidates refer to, or one item, the situation. Features holds a program of
// expressions for a level of a spec, and computes the table [items, features] of a row. Playing
// trees, their rules and distilling share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/trees/program.h"

namespace park::trees {

/// A table of features of one level. A name of an expression means, at every item,
///     job.work_s            a leaf of its element, or of an element that it leads to
///     queue.places          a leaf of the row with one value
///     rate.mbps             at a candidate of K values: its entry of a leaf with K values
///     history.speed[2]      an entry of a leaf with several values
///     stage.work_s#max      linked level: the largest over the candidates that lead to the item
///     job.work_s#least      the smallest value of all items
///     job.work_s#rank       how many smaller values the items have, each counted once
///     stage.work_s#rank_in_jobs   the same among the items that lead to the same job
///     cluster.free#sum      the sum of a leaf's entries in the row
///     jobs#count            elements of a group in the row
///     jobs#candidates       elements of a group that candidates lead to
///     #candidates           legal values;  #value: the candidate itself
///     slack                 a derived feature
/// Computations are in f64 and results in f32. A result that is no number is 0; one beyond the
/// range of f32 is the end of that range.
class Features {
 public:
  /// Throws as compile.
  Features(const Spec&, const Heads&, const Level&, const std::vector<Expression>&,
           const std::vector<Derived>& = {});

  [[nodiscard]] const Level& level() const noexcept { return program_.level; }
  [[nodiscard]] std::size_t width() const noexcept { return program_.outputs.size(); }
  /// Computes the table of a row. `candidates` are the legal values of the head after the earlier
  /// heads of the action; a situation only counts them. Nothing allocates once warm.
  void compute(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates);
  /// The first half of `compute`: only items() and item_of().
  void find_items(ConstRow observation, ConstRow action, std::span<const std::int32_t> candidates);
  /// The second half: the table. At a level of candidates those of some items alone are computed
  /// where `wanted` names them, and the others' are unspecified.
  void compute_found(ConstRow observation, std::span<const std::int32_t> candidates,
                     std::span<const std::uint32_t> wanted = {});

  [[nodiscard]] std::size_t items() const noexcept { return items_; }
  /// [width]
  [[nodiscard]] std::span<const float> operator[](std::size_t item) const noexcept {
    return std::span(table_).subspan(item * width(), width());
  }
  /// The item that each candidate belongs to [candidates]; a situation has one for all.
  [[nodiscard]] std::span<const std::uint32_t> item_of() const noexcept { return item_of_; }

 private:
  using Column = std::vector<double>;
  using Elements = std::vector<std::vector<std::int64_t>>;  // [routes], numbers within the row
  /// Whose values a column has: all candidates or items, or those that are wanted.
  struct Items {
    std::span<const std::int32_t> candidates;
    const Elements& elements;
    std::span<const std::uint32_t> wanted;  // their places; empty: all
  };

  void mark_compared();
  void link_items();
  void gather_wanted(std::span<const std::int32_t> candidates,
                     std::span<const std::uint32_t> wanted);
  void write_table(std::span<const std::uint32_t> wanted);
  void fill(const Node&, ConstRow, const Items&, const std::vector<Column>&, Column&);
  void fill_raw(const Node&, ConstRow, const Items&, const std::vector<Column>&, Column&);
  void fill_elements(const Node&, ConstRow, const Items&, Column&) const;
  void fill_largest(const Column& of, Column&) const;
  void fill_rank(const Node&, const Items&, const Column& of, Column&);
  void keep_distinct();
  [[nodiscard]] std::int64_t smaller_values(double than) const;

  Program program_;
  bool index_ = false;       // the candidates are elements
  std::int64_t lowest_ = 0;  // value of a categorical head
  std::int32_t given_ = -1;  // the head whose element the situation begins with
  Field<std::int32_t> given_value_{};

  std::size_t items_ = 0, candidates_ = 0;
  std::vector<std::uint32_t> item_of_;
  Elements of_candidates_, of_items_, of_wanted_;
  std::vector<std::int32_t> wanted_candidates_;
  std::vector<std::int64_t> distinct_;
  std::vector<std::uint8_t> compared_;   // [nodes] 1: another node needs the values of all items
  std::vector<Column> columns_, whole_;  // [nodes]; whole ones only of nodes that are compared

  // The values that ranks count: each once, in order, or with weights 1 and 0.
  bool sorted_ = false;
  Column values_;
  std::vector<std::int64_t> weights_;
  std::vector<float> table_;
};

}  // namespace park::trees
