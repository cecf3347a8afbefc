// What a file of trees holds: evaluating forests and conditions, and the printer. Distilling prints
// here; parse_tree_file.cc reads.
#include "park/trees/tree_file.h"

#include <array>
#include <charconv>

#include "park/core/space.h"

namespace park::trees {
namespace {

constexpr std::array<const char*, 6> kComparisons{"=", "!=", "<", "<=", ">", ">="};

/// The shortest text that reads back to the same number.
std::string float_text(float v) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.begin(), text.end(), v).ptr;
  return {text.begin(), end};
}

std::string quoted(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

class Printer {
 public:
  std::string take() { return std::move(text_); }

  void file(const TreeFile& f) {
    line("park-tree 1");
    line("env " + f.env + " layout " + f.layout);
    if (!f.teacher.empty()) line("teacher " + f.teacher);
    for (const DerivedLine& d : f.features)
      line("feature " + d.feature.name + " = " + to_text(d.feature.value));
    for (const HeadTrees& h : f.heads) head(h);
  }

 private:
  void line(const std::string& text) { text_ += std::string(indent_, ' ') + text + '\n'; }

  void head(const HeadTrees& h) {
    line("head " + h.name);
    indent_ += 2;
    for (const Rule& r : h.rules) rule(r);
    for (const LevelTrees& l : h.levels) {
      const std::string name = "level " + l.group;
      if (l.ties.empty() && single_leaf(l.forest)) {
        line(name + leaf_text(l.forest.trees[0].nodes[0]));
        continue;
      }
      line(name);
      indent_ += 2;
      if (!l.ties.empty()) ties(l.ties);
      forest(l.forest);
      indent_ -= 2;
    }
    for (const Forest& v : h.values) {
      if (v.formula()) {
        line("value = " + to_text(v.inputs[0]));
        continue;
      }
      if (single_leaf(v)) {
        line("value" + leaf_text(v.trees[0].nodes[0]));
        continue;
      }
      line("value");
      indent_ += 2;
      forest(v);
      indent_ -= 2;
    }
    indent_ -= 2;
  }

  void rule(const Rule& r) {
    std::string text = "rule " + quoted(r.reason) + ": ";
    for (std::size_t i = 0; i < r.conditions.size(); ++i) {
      const Condition& c = r.conditions[i];
      if (i > 0) text += " and ";
      text += to_text(c.feature) + ' ' + kComparisons[static_cast<std::size_t>(c.comparison)] +
              ' ' + float_text(c.number);
    }
    if (r.value) text += ": " + float_text(*r.value);
    line(text);
  }

  void ties(const std::vector<Tie>& all) {
    std::string text = "ties ";
    for (std::size_t i = 0; i < all.size(); ++i)
      text += (i > 0 ? ", " : "") + to_text(all[i].feature) + (all[i].up ? " up" : " down");
    line(text);
  }

  static bool single_leaf(const Forest& f) {
    return f.trees.size() == 1 && f.trees[0].nodes.size() == 1;
  }

  void forest(const Forest& f) {
    if (f.trees.size() == 1) return tree(f, f.trees[0], 0, nullptr);
    for (const Tree& t : f.trees) {
      if (t.nodes.size() == 1) {
        line("tree" + leaf_text(t.nodes[0]));
        continue;
      }
      line("tree");
      indent_ += 2;
      tree(f, t, 0, nullptr);
      indent_ -= 2;
    }
  }

  /// A node behind a line that leads to it, or without one.
  void tree(const Forest& f, const Tree& t, std::size_t at, const char* lead) {
    const TreeNode& n = t.nodes[at];
    if (n.leaf()) return line((lead != nullptr ? lead : "score") + leaf_text(n));
    if (lead != nullptr) {
      line(lead);
      indent_ += 2;
    }
    const std::string question =
        "if " + to_text(f.inputs[n.feature]) + " <= " + float_text(n.threshold);
    tree(f, t, n.yes, question.c_str());
    tree(f, t, n.no, "else");
    if (lead != nullptr) indent_ -= 2;
  }

  static std::string leaf_text(const TreeNode& n) {
    std::string text = ": " + float_text(n.value);
    if (n.chosen)
      text +=
          " (" + std::to_string(*n.chosen) + " of " + std::to_string(n.samples.value_or(0)) + ')';
    else if (n.samples)
      text += " (" + std::to_string(*n.samples) + ')';
    return text;
  }

  std::string text_;
  std::size_t indent_ = 0;
};

}  // namespace

float Forest::operator()(const float* features) const noexcept {
  if (trees.size() == 1) return trees[0](features);
  if (formula()) return features[0];
  double sum = 0;
  for (const Tree& tree : trees) sum += static_cast<double>(tree(features));
  return static_cast<float>(sum / static_cast<double>(trees.size()));
}

std::size_t Forest::leaves() const noexcept {
  std::size_t all = 0;
  for (const Tree& tree : trees) all += tree.leaves();
  return all;
}

std::size_t TreeFile::leaves() const noexcept {
  std::size_t all = 0;
  for (const HeadTrees& head : heads) {
    for (const LevelTrees& level : head.levels) all += level.forest.leaves();
    for (const Forest& value : head.values) all += value.leaves();
  }
  return all;
}

bool Condition::holds(float v) const noexcept {
  switch (comparison) {
    case Comparison::equal:
      return v == number;
    case Comparison::unequal:
      return v != number;
    case Comparison::less:
      return v < number;
    case Comparison::at_most:
      return v <= number;
    case Comparison::greater:
      return v > number;
    case Comparison::at_least:
      break;
  }
  return v >= number;
}

std::string print_tree_file(const TreeFile& file) {
  Printer printer;
  printer.file(file);
  return printer.take();
}

}  // namespace park::trees
