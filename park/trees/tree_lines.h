#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/trees/tree_file.h"

namespace park::trees {

/// The lines of a text of trees, without comments, and how their parts are read. A comment is a "#"
/// that stands alone, with what follows. Complaints are Error{bad_file} "NAME:LINE: what is wrong".
class TreeLines {
 public:
  /// A line without its indentation, its comment and the spaces around.
  struct Line {
    std::size_t number = 0, indent = 0;
    std::string_view text;
  };

  /// Text and name must outlive it. Throws for control characters.
  TreeLines(std::string_view text, const std::string& name);

  [[nodiscard]] bool more() const { return at_ < lines_.size(); }
  [[nodiscard]] const Line& line() const { return lines_[at_]; }
  void next() { ++at_; }
  [[nodiscard]] bool starts(std::string_view word) const {
    return more() && line().text.starts_with(word);
  }
  /// Whether a line is there that stands deeper than another one.
  [[nodiscard]] bool deeper(std::size_t indent) const { return more() && line().indent > indent; }
  void same_indent(std::size_t indent) const;

  [[noreturn]] void fail(std::size_t line, const std::string& what) const;
  [[noreturn]] void fail(const std::string& what) const {
    fail(more() ? line().number : last_, what);
  }
  /// Complains of the present line, or of the end.
  [[noreturn]] void expected(const std::string& what) const;

  // Parts of the present line: each is taken off `rest`.
  [[nodiscard]] static bool takes(std::string_view& rest, std::string_view word);
  [[nodiscard]] Expression expression(std::string_view& rest) const;
  [[nodiscard]] float number(std::string_view& rest) const;
  [[nodiscard]] std::uint64_t count(std::string_view& rest) const;
  [[nodiscard]] Condition condition(std::string_view& rest) const;
  void end(std::string_view rest) const;

  /// The present line is "feature NAME = EXPRESSION"; goes to the next one.
  [[nodiscard]] DerivedLine feature();
  /// `text` is the present line from the quote on: "REASON": CONDITIONS [: NUMBER]
  [[nodiscard]] Rule rule(std::string_view text) const;
  /// `text` is the end of the present line: EXPRESSION up|down {, EXPRESSION up|down}
  [[nodiscard]] std::vector<Tie> ties(std::string_view text) const;

 private:
  const std::string& name_;
  std::vector<Line> lines_;
  std::size_t at_ = 0, last_ = 0;
};

/// Where the comment of a line begins; its length without one. The "#" of "#rank" belongs to a name.
[[nodiscard]] std::size_t comment_of(std::string_view line);

/// A text in quotes, cut to what a complaint can show.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace park::trees
