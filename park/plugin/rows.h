// Rows at the border, without copies where that is possible. A Batch of the plug-in may use
// memory of the host (Lent); columns of a batch are handed out as pointers and counts
// (RowsPointers).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/batch.h"
#include "park/plugin/tables.h"

namespace park {
namespace plugin {
struct Lent;
}  // namespace plugin

/// Rows of any kind are friends of Batch. This kind places columns of a batch in memory that someone
/// else owns. The batch must not grow while it is lent memory; what it owns stays as it is.
template <>
class BasicRow<plugin::Lent> {
 public:
  /// The memory of all rows of a column.
  static void place(Batch& batch, std::size_t column, void* memory) noexcept {
    batch.columns_[column].base = static_cast<std::byte*>(memory);
  }
  /// As many rows as someone else has, with their offsets. Every column must then be placed.
  static void set_rows(Batch& batch, std::size_t rows, const std::int64_t* const* offsets) {
    batch.rows_ = rows;
    for (std::size_t g = 0; g < batch.offsets_.size(); ++g)
      batch.offsets_[g].assign(offsets[g], offsets[g] + rows + 1);
  }
};

namespace plugin {

using Lending = BasicRow<Lent>;

/// The bytes of a leaf of a row: a field of single bytes with the width of an element.
[[nodiscard]] inline Field<std::uint8_t> bytes_of(const Batch& batch, std::size_t column) noexcept {
  return {static_cast<std::uint32_t>(column),
          static_cast<std::uint32_t>(batch.element_bytes(column)), batch.group_of(column).id};
}

/// The leaves of a record as fields of bytes, looked up once.
[[nodiscard]] inline IdVector<Field<std::uint8_t>> byte_fields(const Batch& batch) {
  IdVector<Field<std::uint8_t>> fields;
  for (std::size_t c = 0; c < batch.columns(); ++c) fields.push_back(bytes_of(batch, c));
  return fields;
}

/// All rows of a batch, handed out.
class RowsPointers {
 public:
  /// Valid until the batch changes.
  [[nodiscard]] const ParkRows& of(const Batch& batch) {
    columns_.resize(batch.columns());
    offsets_.resize(batch.record().groups.size());
    for (std::size_t c = 0; c < columns_.size(); ++c)
      columns_[c] = batch.bytes(c, 0, batch.rows()).data();
    for (std::size_t g = 0; g < offsets_.size(); ++g)
      offsets_[g] = batch.offsets({static_cast<std::int32_t>(g)}).data();
    rows_ = {sizeof(ParkRows), batch.rows(), columns_.data(), offsets_.data()};
    return rows_;
  }

 private:
  IdVector<const void*> columns_;
  IdVector<const std::int64_t*> offsets_;
  ParkRows rows_{};
};

/// Shows rows of someone else as a batch of the same record, without a copy.
inline void view(const ParkRows& rows, Batch& batch) {
  Lending::set_rows(batch, rows.rows, rows.offsets);
  for (std::size_t c = 0; c < batch.columns(); ++c)
    Lending::place(batch, c, const_cast<void*>(rows.columns[c]));
}

/// The same for rows without groups, as those of actions.
inline void view_flat(void* const* columns, std::size_t rows, Batch& batch) {
  Lending::set_rows(batch, rows, nullptr);
  for (std::size_t c = 0; c < batch.columns(); ++c) Lending::place(batch, c, columns[c]);
}

}  // namespace plugin
}  // namespace park
