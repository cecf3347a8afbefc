#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "park/trees/tree_file.h"

namespace park::trees {

/// A file of trees as a text that people edit. What is not edited keeps its bytes, comments too.
/// Leaves are numbered from 1 in the order of the text. Each change throws Error{invalid_config} in
/// one line where it cannot be made, and leaves all as it was.
class TreeText {
 public:
  /// Throws as parse_tree_file.
  TreeText(std::string_view text, std::string name);

  [[nodiscard]] std::string text() const;
  [[nodiscard]] const TreeFile& file() const noexcept { return file_; }

  /// Another number for a leaf.
  void set_leaf(std::size_t leaf, float value);
  /// Takes a leaf away: the question above it goes, and its other branch takes its place.
  void prune(std::size_t leaf);
  /// A rule that comes before all others of its head. `rule` is "REASON": CONDITIONS [: NUMBER].
  void add_rule(const std::string& head, const std::string& rule);

 private:
  struct Place {
    const Tree* tree = nullptr;
    std::uint32_t node = 0;
  };

  [[nodiscard]] Place find(std::size_t leaf) const;
  [[nodiscard]] std::string& line(std::size_t number) { return lines_[number - 1]; }
  void replace_question(const Tree&, std::uint32_t question, std::uint32_t by);
  void parse(std::vector<std::string> before);

  std::string name_;
  std::vector<std::string> lines_;  // with their ends
  TreeFile file_;
};

}  // namespace park::trees
