#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/batch.h"
#include "park/core/id_vector.h"
#include "park/core/space.h"
#include "park/plugin.h"

namespace park::plugins {

/// How a plug-in fills in rows of a record, and what is checked of them; environments share it. Columns
/// without group are written where the row wants them; others are copied. What the plug-in leaves is
/// checked: pointers, counts, numbers that are finite, and indices of elements that are there, since
/// actions follow them.
class RowForm {
 public:
  explicit RowForm(const Record&);

  [[nodiscard]] std::size_t columns() const noexcept { return names_.size(); }
  [[nodiscard]] std::size_t groups() const noexcept { return groups_; }

  /// Prepares a call. The row is empty; `to` has places for all columns and groups.
  void offer(Row row, ParkNewRow& to) const noexcept {
    for (const Column& c : fixed_) to.columns[c.at] = row[c.bytes].data();
    if (groups_ > 0) clear_groups(to);
  }
  /// After the call. Throws Error{capacity}, Error{not_finite} or Error{invalid_space} that names
  /// the leaf or group.
  void take(Row row, const ParkNewRow& from) const {
    for (const Column& c : fixed_)
      if (from.columns[c.at] != row[c.bytes].data()) [[unlikely]]
        copy(c, row, from);
    if (groups_ > 0) take_groups(row, from);
    for (const Column& c : real_)
      if (!finite(c, row)) [[unlikely]]
        fail_not_finite(c);
    if (!bounded_.empty()) check_integers(row);
  }
  /// What take checks, of `count` rows from `first` on of a record without groups. They were written a
  /// while ago, so that many numbers are looked at in one go.
  void check_all(const Batch& rows, std::size_t first, std::size_t count) const;

 private:
  struct Column {
    std::size_t at = 0;
    Field<std::uint8_t> bytes{};
    bool is_double = false;
  };
  /// Integers that lead somewhere: indices, and the bounds of a head's range.
  struct Bounded {
    std::size_t at = 0;
    Field<std::int32_t> values{};
    std::int32_t index_of = -1;  // a group: below its count
    std::int64_t low = 0, high = 0;
  };

  void clear_groups(ParkNewRow&) const noexcept;
  void take_groups(Row, const ParkNewRow&) const;
  void copy(const Column&, Row, const ParkNewRow&) const;
  void check_integers(ConstRow) const;
  [[nodiscard]] static bool finite(const Column&, ConstRow) noexcept;
  [[noreturn]] void fail_not_finite(const Column&) const;

  std::vector<std::string> names_;
  IdVector<Column> fixed_, in_groups_, real_;
  IdVector<Bounded> bounded_;
  std::size_t groups_ = 0;
};

/// The places that a plug-in fills in, for one row at a time.
class NewRow {
 public:
  explicit NewRow(const RowForm& form) : columns_(form.columns()), counts_(form.groups()) {
    theirs_ = {sizeof(ParkNewRow), columns_.data(), counts_.data()};
  }
  NewRow(const NewRow&) = delete;
  NewRow& operator=(const NewRow&) = delete;

  [[nodiscard]] ParkNewRow& get() noexcept { return theirs_; }

 private:
  IdVector<void*> columns_;
  IdVector<std::uint64_t> counts_;
  ParkNewRow theirs_{};
};

}  // namespace park::plugins
