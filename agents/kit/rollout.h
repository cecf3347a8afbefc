#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "park/core/batch.h"
#include "park/core/stream.h"

namespace park::agents {

/// Observations of a rollout, kept as pieces of 256 bytes. A row shares equal pieces with the row
/// before it of the same slot. Decisions change little of a large observation: a rollout of a
/// cluster takes a thirteenth of its raw size. Rows are numbered in the order of append. Memory
/// only grows; clear keeps it.
class Rollout {
 public:
  explicit Rollout(const Record&, std::size_t piece_bytes = 256);

  /// Row i of the batch answers asked[i]; a question with sequence 0 shares with no row.
  void append(const Batch&, std::span<const Ask>);
  /// Appends the rows to `out`, a batch of the same record.
  void gather(std::span<const std::uint32_t> rows, Batch& out) const;
  void clear() noexcept;

  [[nodiscard]] std::size_t rows() const noexcept { return rows_.size(); }
  /// Size of the pieces; raw_bytes is the size of the rows without sharing.
  [[nodiscard]] std::size_t bytes() const noexcept { return used_ * piece_; }
  [[nodiscard]] std::size_t raw_bytes() const noexcept { return raw_; }

 private:
  static constexpr std::uint32_t kNoRow = 0xffffffffu;
  static constexpr std::size_t kBlock = 4096;  // pieces of one allocation

  /// Where a row's parts begin; they end where those of the next row begin.
  struct Kept {
    std::size_t counts, pieces;
  };

  void append_row(const Batch&, std::size_t row, std::uint32_t before);
  /// Shares with the pieces before .. limit - 1 of the row before, one by one.
  void append_column(std::span<const std::byte>, std::size_t before, std::size_t limit);
  [[nodiscard]] std::byte* piece(std::uint32_t id) noexcept {
    return blocks_[id / kBlock].data() + (id % kBlock) * piece_;
  }
  [[nodiscard]] const std::byte* piece(std::uint32_t id) const noexcept {
    return blocks_[id / kBlock].data() + (id % kBlock) * piece_;
  }
  std::uint32_t new_piece();

  Batch shape_;
  std::size_t piece_, groups_, used_ = 0, raw_ = 0;
  std::vector<std::vector<std::byte>> blocks_;
  std::vector<std::uint32_t> ids_;    // of all rows, column by column
  std::vector<std::int64_t> counts_;  // of all rows, group by group
  std::vector<Kept> rows_;
  std::vector<std::uint32_t> last_;  // [slots] newest row
};

}  // namespace park::agents
