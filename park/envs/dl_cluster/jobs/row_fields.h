#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "park/files/recorded_csv.h"

namespace park::dl_cluster::jobs {

/// A column of a recorded table.
struct Column {
  std::size_t place = 0;
  const char* name = "";
};

[[nodiscard]] inline Column column_of(const files::RecordedCsv& rows, const char* name) {
  return {rows.column(name), name};
}

/// Reads fields of the present row. What is wrong with the first that cannot be read is kept; what
/// is then returned is of no use.
class RowFields {
 public:
  explicit RowFields(const files::RecordedCsv& rows) : rows_(rows) {}

  /// A number from 0 to `most`.
  [[nodiscard]] double number(Column, double most);
  /// Likewise; none where the field is empty.
  [[nodiscard]] std::optional<double> number_or_none(Column, double most);
  /// Seconds since 1970 of a date with a time.
  [[nodiscard]] double date(Column);
  [[nodiscard]] const std::string& text(Column c) const { return rows_[c.place]; }

  /// "" where all fields could be read.
  [[nodiscard]] const std::string& wrong() const noexcept { return wrong_; }

 private:
  void refuse(Column, const std::string& allowed);

  const files::RecordedCsv& rows_;
  std::string wrong_;
};

}  // namespace park::dl_cluster::jobs
