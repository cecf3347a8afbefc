// Derived features of whole rows, computed for all rows of a batch at once, as networks need them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/batch.h"
#include "park/core/candidates.h"
#include "park/trees/feature_list.h"
#include "park/trees/program.h"

namespace park::trees {

/// A table [rows, features] of derived features that speak of a row alone. They are made of its
/// leaves, of sums of the leaves' entries and of counts of groups. Values are those of Features for
/// a situation. Nothing allocates once warm.
class RowFeatures {
 public:
  /// The derived features of the hints that speak of a row alone.
  RowFeatures(const Spec&, const FeatureHints&);

  [[nodiscard]] std::size_t width() const noexcept { return program_.outputs.size(); }
  /// A number that changes with the name or the expression of any feature.
  [[nodiscard]] std::uint64_t checksum() const noexcept { return checksum_; }
  /// Writes the features of row r to to[r * stride] and the places after it.
  void compute(const Batch& observation, float* to, std::size_t stride);

 private:
  using Column = std::vector<double>;  // [rows]

  void fill(const Node&, const Batch&, Column&) const;

  Program program_;
  std::vector<Column> columns_;  // [nodes]
  std::uint64_t checksum_;
};

}  // namespace park::trees
