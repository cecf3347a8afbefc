// The reader of tree files: a function per construct takes its line and the deeper ones below it.
// TreeLines cuts the text and reads the parts of a line. Every complaint names the file and the line.
#include <algorithm>

#include "park/core/error.h"
#include "park/trees/tree_lines.h"

namespace park::trees {
namespace {

class Reader : TreeLines {
 public:
  Reader(std::string_view text, const std::string& name) : TreeLines(text, name) {}

  TreeFile file() {
    head_lines();
    while (starts("feature ")) add_feature();
    while (more()) head();
    if (file_.heads.empty()) expected("'head NAME'");
    return std::move(file_);
  }

 private:
  void head_lines() {
    if (!more() || line().text != "park-tree 1" || line().indent > 0) expected("'park-tree 1'");
    next();
    if (!starts("env ") || line().indent > 0) expected("'env NAME layout HASH'");
    std::string_view rest = line().text.substr(4);
    const std::size_t gap = rest.find(" layout ");
    if (gap == std::string_view::npos) expected("'env NAME layout HASH'");
    file_.env = rest.substr(0, gap);
    file_.layout = rest.substr(gap + 8);
    file_.layout_line = line().number;
    const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (file_.layout.size() != 16 || !std::ranges::all_of(file_.layout, digit))
      fail("the layout " + shown(file_.layout) + " must be 16 hexadecimal digits");
    next();
    if (!starts("teacher ")) return;
    file_.teacher = line().text.substr(8);
    next();
  }

  void add_feature() {
    DerivedLine all = feature();
    for (const DerivedLine& d : file_.features)
      if (d.feature.name == all.feature.name)
        fail(all.line, "feature " + shown(all.feature.name) + " is there twice");
    file_.features.push_back(std::move(all));
  }

  void head() {
    if (!starts("head ") || line().indent > 0) expected("'head NAME'");
    HeadTrees all{{line().number}, std::string(line().text.substr(5))};
    for (const HeadTrees& h : file_.heads)
      if (h.name == all.name) fail("head " + shown(all.name) + " is there twice");
    next();
    if (!deeper(0)) expected("the lines of head '" + all.name + "', indented");
    for (const std::size_t indent = line().indent; deeper(0);) {
      same_indent(indent);
      if (starts("rule ") && all.levels.empty() && all.values.empty())
        take_rule(all);
      else if (starts("level ") && all.values.empty())
        all.levels.push_back(level());
      else if ((line().text == "value" || starts("value:") || starts("value =")) &&
               all.levels.empty())
        all.values.push_back(value());
      else
        expected("rules, then 'level NAME' or 'value'");
    }
    for (const Rule& r : all.rules)
      if (r.value.has_value() == all.values.empty())
        fail(r.line, all.values.empty()
                         ? "a rule of a head with levels has no value"
                         : "a rule of a head with values needs ': NUMBER' at its end");
    if (all.levels.empty() && all.values.empty())
      fail(all.line, "head '" + all.name + "' has neither a level nor a value");
    file_.heads.push_back(std::move(all));
  }

  void take_rule(HeadTrees& head) {
    head.rules.push_back(rule(line().text.substr(5)));
    next();
  }

  LevelTrees level() {
    LevelTrees all{{line().number}};
    std::string_view rest = line().text.substr(6);
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    all.group = rest.substr(0, colon);
    const std::size_t indent = line().indent;
    if (colon < rest.size()) {
      all.forest = single(rest.substr(colon));
      return all;
    }
    next();
    if (deeper(indent) && starts("ties ")) {
      all.ties = ties(line().text.substr(5));
      next();
    }
    all.forest = forest(indent);
    return all;
  }

  Forest value() {
    if (starts("value:")) return single(line().text.substr(5));
    if (starts("value =")) return formula(line().text.substr(7));
    const std::size_t indent = line().indent;
    next();
    return forest(indent);
  }

  /// The end of the present line is an expression.
  Forest formula(std::string_view rest) {
    Forest all{{line().number}};
    static_cast<void>(input(all, expression(rest)));
    end(rest);
    next();
    return all;
  }

  /// A forest of one tree that is one leaf, at the end of the present line.
  Forest single(std::string_view rest) {
    Forest all{{line().number}};
    all.trees.push_back({{leaf(rest)}});
    next();
    return all;
  }

  Forest forest(std::size_t indent) {
    if (!deeper(indent)) expected("a tree, indented");
    Forest all{{line().number}};
    const std::size_t own = line().indent;
    const auto is_tree = [this] { return line().text == "tree" || starts("tree:"); };
    if (!is_tree()) {
      all.trees.emplace_back();
      tree(all, all.trees.back(), own, 0);
    }
    while (deeper(indent)) {
      same_indent(own);
      if (!is_tree()) expected("the end of the tree");
      all.trees.emplace_back();
      if (starts("tree:")) {
        all.trees.back().nodes.push_back(leaf(line().text.substr(4)));
        next();
        continue;
      }
      next();
      if (!deeper(own)) expected("a tree, indented");
      tree(all, all.trees.back(), line().indent, 0);
      if (deeper(own)) expected("the end of the tree");
    }
    return all;
  }

  /// What begins at the present line, which stands at `indent`. Returns the number of its root.
  std::uint32_t tree(Forest& forest, Tree& tree, std::size_t indent, std::size_t depth) {
    if (depth > kMostTreeDepth) fail("more than 200 questions below each other");
    same_indent(indent);
    const auto root = static_cast<std::uint32_t>(tree.nodes.size());
    if (starts("score:")) {
      tree.nodes.push_back(leaf(line().text.substr(5)));
      next();
      return root;
    }
    if (!starts("if ")) expected("'if FEATURE <= NUMBER', or 'score: NUMBER'");
    std::string_view rest = line().text.substr(3);
    const Condition asked = condition(rest);
    if (asked.comparison != Comparison::at_most) expected("'if FEATURE <= NUMBER'");
    tree.nodes.push_back({{line().number}, input(forest, asked.feature), asked.number});
    tree.nodes[root].yes = branch(forest, tree, rest, indent, depth);
    if (!more() || line().indent != indent || !line().text.starts_with("else"))
      expected("the 'else' of line " + std::to_string(tree.nodes[root].line));
    tree.nodes[root].else_line = line().number;
    tree.nodes[root].no = branch(forest, tree, line().text.substr(4), indent, depth);
    return root;
  }

  /// The leaf behind "if" or "else", or the deeper lines below.
  std::uint32_t branch(Forest& forest, Tree& into, std::string_view rest, std::size_t indent,
                       std::size_t depth) {
    const auto at = static_cast<std::uint32_t>(into.nodes.size());
    if (!rest.empty()) {
      into.nodes.push_back(leaf(rest));
      next();
      return at;
    }
    next();
    if (!deeper(indent)) expected("a tree, indented");
    return tree(forest, into, line().indent, depth + 1);
  }

  TreeNode leaf(std::string_view rest) const {
    TreeNode node{{line().number}};
    if (!takes(rest, ":")) fail("expected ':' and a number, found " + shown(rest));
    node.value = number(rest);
    if (takes(rest, "(")) {
      node.samples = count(rest);
      if (takes(rest, "of")) {
        node.chosen = node.samples;
        node.samples = count(rest);
      }
      if (!takes(rest, ")")) fail("expected ')', found " + shown(rest));
    }
    end(rest);
    return node;
  }

  std::uint32_t input(Forest& forest, const Expression& e) const {
    const auto at = std::ranges::find(forest.inputs, e);
    const auto number = static_cast<std::uint32_t>(at - forest.inputs.begin());
    if (at == forest.inputs.end()) {
      forest.inputs.push_back(e);
      forest.asked.push_back(line().number);
    }
    return number;
  }

  TreeFile file_;
};

}  // namespace

TreeFile parse_tree_file(std::string_view text, const std::string& name) {
  return Reader(text, name).file();
}

}  // namespace park::trees
