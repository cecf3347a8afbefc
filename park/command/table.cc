#include "park/command/table.h"

#include <algorithm>
#include <utility>

#include "park/core/text.h"

namespace park::command {
namespace {

constexpr std::size_t kGap = 2, kNarrowest = 24;

/// Characters as a terminal shows them: bytes that continue a UTF-8 sequence take no column.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t width, Table::Align align) {
  const std::size_t shown = shown_width(text);
  const std::string space(width > shown ? width - shown : 0, ' ');
  return align == Table::Align::left ? text + space : space + text;
}

std::string without_trailing_space(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string markdown_cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && shown_width(line) + 1 + shown_width(word) > width)
      lines.push_back(std::exchange(line, {}));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty() || lines.empty()) lines.push_back(line);
  return lines;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.header = printable(column.header);
}

void Table::add(std::vector<std::string> cells) {
  for (std::size_t c = 0; c < cells.size(); ++c)
    cells[c] = printable(cells[c], c + 1 == columns_.size() ? "\n" : "");
  rows_.push_back({std::move(cells)});
}

void Table::add_heading(const std::string& text) { rows_.push_back({{printable(text)}, true}); }

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> all;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = shown_width(columns_[c].header);
    for (const Row& row : rows_)
      if (!row.heading && c < row.cells.size()) width = std::max(width, shown_width(row.cells[c]));
    all.push_back(width);
  }
  return all;
}

std::string Table::row_text(const std::vector<std::string>& cells,
                            const std::vector<std::size_t>& widths, std::size_t indent) const {
  std::string line(indent, ' ');
  for (std::size_t c = 0; c + 1 < columns_.size(); ++c) {
    line += padded(c < cells.size() ? cells[c] : "", widths[c], columns_[c].align);
    line.append(kGap, ' ');
  }
  const std::size_t last = columns_.size() - 1, before = line.size();
  const auto lines = wrap(last < cells.size() ? cells[last] : "", widths[last]);
  std::string text =
      without_trailing_space(line + padded(lines[0], widths[last], columns_[last].align));
  for (std::size_t i = 1; i < lines.size(); ++i) text += std::string(before, ' ') + lines[i] + '\n';
  return text;
}

std::string Table::text(std::size_t indent, std::size_t width) const {
  std::vector<std::size_t> columns = widths();
  std::size_t before = indent;
  for (std::size_t c = 0; c + 1 < columns.size(); ++c) before += columns[c] + kGap;
  const std::size_t room = std::max(width > before ? width - before : 0, kNarrowest);
  columns.back() = std::min(columns.back(), room);

  std::string out;
  std::vector<std::string> headers;
  for (const Column& column : columns_) headers.push_back(column.header);
  const bool titled = std::any_of(headers.begin(), headers.end(), [](auto& h) { return h != ""; });
  if (titled) out += row_text(headers, columns, indent);
  for (const Row& row : rows_)
    out += row.heading ? std::string(indent, ' ') + row.cells[0] + '\n'
                       : row_text(row.cells, columns, indent);
  return out;
}

std::string Table::markdown() const {
  std::string out = "|", rule = "|";
  for (const Column& column : columns_) {
    out += ' ' + markdown_cell(column.header) + " |";
    rule += column.align == Align::right ? " ---: |" : " --- |";
  }
  out += '\n' + rule + '\n';
  for (const Row& row : rows_) {
    out += '|';
    for (std::size_t c = 0; c < columns_.size(); ++c)
      out += ' ' + markdown_cell(c < row.cells.size() ? row.cells[c] : "") + " |";
    out += '\n';
  }
  return out;
}

}  // namespace park::command
