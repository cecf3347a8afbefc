#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "park/files/lines.h"
#include "park/files/recording.h"

namespace park::files {

/// The rows of a recorded CSV file, one at a time; memory is one line. The first line names the
/// columns, or is a row itself (begin_with_first). A row is broken if it is no CSV or has another
/// number of fields than the first line. Callers add those whose fields are wrong.
class RecordedCsv {
 public:
  /// Reads the first line. Both must outlive the rows. Throws Error{bad_file} where there is none.
  RecordedCsv(RecordedFile&, RowCount&);

  /// How many fields the first line has; 0 where it is no CSV.
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }
  /// The place of a column that the first line names. Throws Error{bad_file} where it does not.
  /// REQUIRES that no row was read.
  [[nodiscard]] std::size_t column(std::string_view name) const;
  /// The first line is a row unless it is this one.
  void begin_with_first(std::string_view header);

  /// Goes to the next row that is not broken; false behind the last. Throws Error{bad_file} where
  /// the file is cut short.
  [[nodiscard]] bool next();
  /// A field of that row. REQUIRES a column that there is.
  [[nodiscard]] const std::string& operator[](std::size_t column) const { return fields_[column]; }
  /// That row is broken.
  void add_broken(const std::string& wrong);
  /// The name of the file.
  [[nodiscard]] const std::string& name() const noexcept { return file_.name; }

 private:
  RecordedFile& file_;
  RowCount& count_;
  LineReader lines_;
  std::vector<std::string> fields_;
  std::size_t columns_ = 0;
  std::string first_;
  bool first_is_row_ = false;
};

}  // namespace park::files
