#include "park/files/recorded_csv.h"

#include <algorithm>

#include "park/core/error.h"
#include "park/files/csv.h"

namespace park::files {

RecordedCsv::RecordedCsv(RecordedFile& file, RowCount& count)
    : file_(file), count_(count), lines_(*file.source, file.name) {
  std::string_view line;
  if (!lines_.next(line)) throw Error(Errc::bad_file, file.name + ": it is empty");
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  first_ = line;
  if (!split_csv(line, fields_).empty()) fields_.clear();
  columns_ = fields_.size();
}

std::size_t RecordedCsv::column(std::string_view name) const {
  const auto at = std::ranges::find(fields_, name);
  if (at == fields_.end())
    throw Error(Errc::bad_file, file_.name + ":1: must name the column " + std::string(name));
  return static_cast<std::size_t>(at - fields_.begin());
}

void RecordedCsv::begin_with_first(std::string_view header) { first_is_row_ = first_ != header; }

bool RecordedCsv::next() {
  if (first_is_row_) {
    first_is_row_ = false;
    ++count_.rows;
    return true;
  }
  std::string_view line;
  while (lines_.next(line)) {
    if (line.empty()) continue;
    ++count_.rows;
    std::string wrong = split_csv(line, fields_);
    if (wrong.empty() && fields_.size() == columns_) return true;
    if (wrong.empty())
      wrong = "there are " + std::to_string(fields_.size()) + " fields, the first line has " +
              std::to_string(columns_);
    add_broken(wrong);
  }
  refuse_cut_short(file_);
  return false;
}

void RecordedCsv::add_broken(const std::string& wrong) {
  count_.add_broken(file_.name, lines_.number(), wrong);
}

}  // namespace park::files
