#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace park::command {

/// `text` at lines of at most `width` characters, broken at spaces (a longer word stays whole).
[[nodiscard]] std::vector<std::string> wrap(std::string_view text, std::size_t width);

/// Rows of text in aligned columns, for people. Cells may hold texts of others: control characters
/// are shown as park::printable shows them, but line ends of the last column, where lines break.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string header;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns);
  /// Missing cells are empty.
  void add(std::vector<std::string> cells);
  void add_blank() { rows_.emplace_back(); }
  /// A line across all columns.
  void add_heading(const std::string& text);
  [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }

  /// A header line where a column has a header. The last column wraps so that lines stay within
  /// `width`, but keeps at least 24 characters.
  [[nodiscard]] std::string text(std::size_t indent = 0, std::size_t width = 110) const;
  /// The same rows as a table of Markdown.
  [[nodiscard]] std::string markdown() const;

 private:
  struct Row {
    std::vector<std::string> cells{};
    bool heading = false;
  };
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::string row_text(const std::vector<std::string>& cells,
                                     const std::vector<std::size_t>& widths,
                                     std::size_t indent) const;

  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

}  // namespace park::command
