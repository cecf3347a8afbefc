#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/batch.h"
#include "park/core/id_vector.h"
#include "park/core/space.h"
#include "park/plugin.h"

namespace park::plugins {

/// A row that an environment of a plug-in fills in. Columns without group are written where the row
/// wants them; others are copied. What the plug-in leaves is checked: pointers, counts, numbers
/// that are finite, and indices of elements that are there, since actions follow them.
class NewRow {
 public:
  explicit NewRow(const Record&);
  NewRow(const NewRow&) = delete;
  NewRow& operator=(const NewRow&) = delete;

  /// The struct for a call; the row is empty.
  [[nodiscard]] ParkNewRow* offer(Row row) noexcept {
    for (Column& c : fixed_) columns_[c.at] = c.room = row[c.bytes].data();
    if (ragged_) clear_groups();
    return &theirs_;
  }
  /// After the call. Throws Error{capacity}, Error{not_finite} or Error{invalid_space} that names
  /// the leaf or group.
  void take(Row row) {
    for (const Column& c : fixed_)
      if (columns_[c.at] != c.room) [[unlikely]]
        copy(c, row);
    if (ragged_) take_groups(row);
    for (const Column& c : real_)
      if (!finite(c, row)) [[unlikely]]
        fail_not_finite(c);
    if (!bounded_.empty()) check_integers(row);
  }

 private:
  struct Column {
    std::size_t at = 0;
    Field<std::uint8_t> bytes{};
    void* room = nullptr;
    bool is_double = false;
  };
  /// Integers that lead somewhere: indices, and the bounds of a head's range.
  struct Bounded {
    std::size_t at = 0;
    Field<std::int32_t> values{};
    std::int32_t index_of = -1;  // a group: below its count
    std::int64_t low = 0, high = 0;
  };

  void clear_groups() noexcept;
  void take_groups(Row) const;
  void copy(const Column&, Row) const;
  void check_integers(ConstRow) const;
  [[nodiscard]] static bool finite(const Column&, ConstRow) noexcept;
  [[noreturn]] void fail_not_finite(const Column&) const;
  [[nodiscard]] const std::string& name(std::size_t column) const { return names_[column]; }

  std::vector<std::string> names_, group_names_;
  IdVector<void*> columns_;
  IdVector<std::uint64_t> counts_;
  IdVector<Column> fixed_, in_groups_, real_;
  IdVector<Bounded> bounded_;
  bool ragged_ = false;
  ParkNewRow theirs_{};
};

}  // namespace park::plugins
