// Edits of a text of trees. A leaf, a question and its "else" know their lines, so an edit replaces
// parts of lines or moves lines, and the text is read again. Nothing else is written.
#include "park/trees/tree_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "park/core/error.h"
#include "park/trees/tree_lines.h"

namespace park::trees {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Errc::invalid_config, what); }

std::string short_text(float v) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.begin(), text.end(), v).ptr;
  return {text.begin(), end};
}

std::size_t indent_of(const std::string& line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string without_end(std::string line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return line;
}

/// Where ": NUMBER" of a leaf begins in its line.
std::size_t colon_of(const std::string& line) {
  return line.substr(0, comment_of(without_end(line))).rfind(':');
}

std::size_t last_line(const Tree& tree, std::uint32_t at) {
  const TreeNode& n = tree.nodes[at];
  return n.leaf() ? n.line : std::max({n.line, n.else_line, last_line(tree, n.no)});
}

}  // namespace

TreeText::TreeText(std::string_view text, std::string name) : name_(std::move(name)) {
  while (!text.empty()) {
    const std::size_t n = std::min(text.find('\n'), text.size() - 1) + 1;
    lines_.emplace_back(text.substr(0, n));
    text.remove_prefix(n);
  }
  file_ = parse_tree_file(this->text(), name_);
}

std::string TreeText::text() const {
  std::string all;
  for (const std::string& line : lines_) all += line;
  return all;
}

/// Reads the changed lines; where that fails, the lines are again as before.
void TreeText::parse(std::vector<std::string> before) {
  try {
    file_ = parse_tree_file(text(), name_);
  } catch (const Error& e) {
    lines_ = std::move(before);
    refuse(e.what());
  }
}

TreeText::Place TreeText::find(std::size_t leaf) const {
  std::size_t left = leaf;
  Place found;
  const auto look = [&](const Forest& forest) {
    for (const Tree& tree : forest.trees)
      for (std::uint32_t n = 0; n < tree.nodes.size(); ++n)
        if (found.tree == nullptr && tree.nodes[n].leaf() && --left == 0) found = {&tree, n};
  };
  if (leaf == 0) left = file_.leaves() + 1;
  for (const HeadTrees& head : file_.heads) {
    for (const LevelTrees& level : head.levels) look(level.forest);
    for (const Forest& value : head.values) look(value);
  }
  if (found.tree == nullptr)
    refuse("there is no leaf " + std::to_string(leaf) + "; leaves are 1 to " +
           std::to_string(file_.leaves()));
  return found;
}

void TreeText::set_leaf(std::size_t leaf, float value) {
  const Place place = find(leaf);
  std::vector<std::string> before = lines_;
  std::string& text = line(place.tree->nodes[place.node].line);
  const std::size_t begin = text.find_first_not_of(' ', colon_of(text) + 1);
  const std::size_t end = std::min(text.find_first_of(" (\r\n", begin), text.size());
  text.replace(begin, end - begin, short_text(value));
  parse(std::move(before));
}

void TreeText::prune(std::size_t leaf) {
  const Place place = find(leaf);
  const std::vector<TreeNode>& nodes = place.tree->nodes;
  const auto question = std::ranges::find_if(nodes, [&](const TreeNode& n) {
    return !n.leaf() && (n.yes == place.node || n.no == place.node);
  });
  if (question == nodes.end())
    refuse("leaf " + std::to_string(leaf) + " is all of its tree: it cannot be pruned");
  const std::uint32_t other = question->yes == place.node ? question->no : question->yes;
  std::vector<std::string> before = lines_;
  replace_question(*place.tree, static_cast<std::uint32_t>(question - nodes.begin()), other);
  parse(std::move(before));
}

void TreeText::replace_question(const Tree& tree, std::uint32_t question, std::uint32_t by) {
  const TreeNode &asked = tree.nodes[question], &kept = tree.nodes[by];
  const std::size_t first = asked.line, last = last_line(tree, question);
  const std::size_t indent = indent_of(line(first));
  std::vector<std::string> instead;
  const bool in_line = kept.leaf() && kept.line == (by == asked.yes ? asked.line : asked.else_line);
  const auto parent = std::ranges::find_if(tree.nodes, [&](const TreeNode& n) {
    return !n.leaf() && (n.yes == question || n.no == question);
  });
  if (!in_line) {
    const std::size_t begin = (by == asked.yes ? asked.line : asked.else_line) + 1;
    const std::size_t end = by == asked.yes ? asked.else_line - 1 : last;
    const std::size_t less = indent_of(line(kept.line)) - indent;
    for (std::size_t l = begin; l <= end; ++l)
      instead.push_back(line(l).substr(std::min(less, indent_of(line(l)))));
  } else if (parent == tree.nodes.end()) {
    instead.push_back(std::string(indent, ' ') + "score" +
                      line(kept.line).substr(colon_of(line(kept.line))));
  } else {
    // The leaf goes behind the question or the "else" that led here, before its comment.
    std::string& lead = line(parent->yes == question ? parent->line : parent->else_line);
    const std::string leaf = without_end(line(kept.line)).substr(colon_of(line(kept.line)));
    std::size_t at = comment_of(without_end(lead));
    while (at > 0 && lead[at - 1] == ' ') --at;
    lead.insert(at, leaf);
  }
  const auto begin = lines_.begin() + static_cast<std::ptrdiff_t>(first) - 1;
  const auto place = lines_.erase(begin, lines_.begin() + static_cast<std::ptrdiff_t>(last));
  lines_.insert(place, instead.begin(), instead.end());
}

void TreeText::add_rule(const std::string& head, const std::string& rule) {
  const auto at = std::ranges::find(file_.heads, head, &HeadTrees::name);
  if (at == file_.heads.end()) refuse("there is no head '" + head + "' in the file");
  std::vector<std::string> before = lines_;
  std::size_t next = at->line + 1;  // the first line of the head, which there is
  while (indent_of(without_end(line(next))) == comment_of(without_end(line(next)))) ++next;
  const std::size_t indent = indent_of(line(next));
  lines_.insert(lines_.begin() + static_cast<std::ptrdiff_t>(at->line),
                std::string(indent, ' ') + "rule " + rule + '\n');
  parse(std::move(before));
}

}  // namespace park::trees
