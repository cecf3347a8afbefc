// The file of a tree policy (docs/trees.md has its grammar): what each head of an action decides by.
// `parse_tree_file` reads a text without a spec; a line that it refuses is named. TreePolicy binds
// the result to a spec. Distilling builds one and prints it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/trees/program.h"

namespace park::trees {

/// Something of a file, with the number of its line, from 1; 0: it comes from no file.
struct FromLine {
  std::size_t line = 0;
};

/// A node of a tree: a question, or a leaf with its number and the samples behind it.
struct TreeNode : FromLine {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t feature = 0;  ///< which input of the part that the tree belongs to
  float threshold = 0;        ///< the question is: feature <= threshold
  std::uint32_t yes = kNone, no = kNone;
  std::size_t else_line = 0;                         ///< of a question
  float value = 0;                                   ///< of a leaf
  std::optional<std::uint64_t> chosen{}, samples{};  ///< of a leaf: "(912 of 8120)", "(5105)"

  [[nodiscard]] bool leaf() const noexcept { return yes == kNone; }
};

/// Nodes in the order of the text; the first one is the root.
struct Tree {
  std::vector<TreeNode> nodes;

  /// The value of the leaf that a row of features ends in.
  [[nodiscard]] float operator()(const float* features) const noexcept {
    const TreeNode* node = nodes.data();
    while (!node->leaf())
      node = &nodes[features[node->feature] <= node->threshold ? node->yes : node->no];
    return node->value;
  }
  [[nodiscard]] std::size_t leaves() const noexcept { return (nodes.size() + 1) / 2; }
};

/// A forest: its value is the mean of its trees'. Without trees it is a formula: its only input.
struct Forest : FromLine {
  std::vector<Expression> inputs{};  ///< what its trees ask about, each once
  std::vector<std::size_t> asked{};  ///< the first line that asks about each input
  std::vector<Tree> trees{};

  [[nodiscard]] bool formula() const noexcept { return trees.empty(); }
  [[nodiscard]] float operator()(const float* features) const noexcept;
  [[nodiscard]] std::size_t leaves() const noexcept;
};

enum class Comparison : std::uint8_t { equal, unequal, less, at_most, greater, at_least };

struct Condition {
  Expression feature;
  Comparison comparison = Comparison::equal;
  float number = 0;

  [[nodiscard]] bool holds(float v) const noexcept;
};

/// A rule that somebody wrote. Where a head has levels, it keeps the candidates for which all
/// conditions hold, if there are any. Where a head has values, it gives `value` if they hold.
struct Rule : FromLine {
  std::string reason;
  std::vector<Condition> conditions;
  std::optional<float> value{};
};

struct Tie : FromLine {
  Expression feature;
  bool up = true;  ///< the smaller one first
};

/// A level of a head: the item with the largest score is chosen, ties by `ties`, then the first.
struct LevelTrees : FromLine {
  std::string group{};  ///< the group whose elements are compared; "values" of a categorical head
  std::vector<Tie> ties{};
  Forest forest{};
};

/// A head has levels, each within the choice of the one before, or values: the number of the head,
/// one forest per component.
struct HeadTrees : FromLine {
  std::string name;
  std::vector<Rule> rules{};
  std::vector<LevelTrees> levels{};
  std::vector<Forest> values{};
};

struct DerivedLine : FromLine {
  Derived feature;
};

struct TreeFile {
  std::string env, layout;  ///< the environment's name; its layout_hash as hexadecimal
  std::size_t layout_line = 0;
  std::string teacher{};  ///< a note; "": none
  std::vector<DerivedLine> features{};
  std::vector<HeadTrees> heads{};

  [[nodiscard]] std::size_t leaves() const noexcept;
};

/// Reads a text. Throws Error{bad_file} in one line "NAME:LINE: what is wrong".
[[nodiscard]] TreeFile parse_tree_file(std::string_view text, const std::string& name);

/// The text that parse_tree_file reads back to the same. It has no comments.
[[nodiscard]] std::string print_tree_file(const TreeFile&);

/// The most questions below each other.
inline constexpr std::size_t kMostTreeDepth = 200;
/// The largest file that is read, in bytes.
inline constexpr std::size_t kMostTreeFile = std::size_t{64} << 20;

}  // namespace park::trees
