#include "park/trees/shap.h"

#include <algorithm>

namespace park::trees {
namespace {

/// One input on the way from the root, named as in the paper.
struct Step {
  std::size_t input = 0;
  double zero = 0, one = 0;  ///< shares of rows that come here if the input is unknown, is known
  double weight = 0;         ///< of the subsets with as many known inputs as this step's place
};

/// The steps of a node, in the order of the way; the first one stands for no input.
using Way = std::vector<Step>;

/// EXTEND: one more input on the way.
void extend(Way& way, const Step& step) {
  const std::size_t l = way.size();
  way.push_back({step.input, step.zero, step.one, l == 0 ? 1.0 : 0.0});
  const auto length = static_cast<double>(l + 1);
  for (std::size_t i = l; i-- > 0;) {
    way[i + 1].weight += step.one * way[i].weight * static_cast<double>(i + 1) / length;
    way[i].weight = step.zero * way[i].weight * static_cast<double>(l - i) / length;
  }
}

/// UNWIND: the way without its step k.
void unwind(Way& way, std::size_t k) {
  const std::size_t l = way.size() - 1;
  const auto length = static_cast<double>(l + 1);
  const double one = way[k].one, zero = way[k].zero;
  double next = way[l].weight;
  for (std::size_t i = l; i-- > 0;) {
    if (one != 0) {
      const double before = way[i].weight;
      way[i].weight = next * length / (static_cast<double>(i + 1) * one);
      next = before - way[i].weight * zero * static_cast<double>(l - i) / length;
    } else {
      way[i].weight = way[i].weight * length / (zero * static_cast<double>(l - i));
    }
  }
  for (std::size_t i = k; i < l; ++i) {
    way[i].input = way[i + 1].input;
    way[i].zero = way[i + 1].zero;
    way[i].one = way[i + 1].one;
  }
  way.pop_back();
}

class TreeShap {
 public:
  TreeShap(const Tree& tree, std::span<const float> row, std::vector<double>& values)
      : tree_(tree), row_(row), values_(values), samples_(tree.nodes.size()) {
    count(0);
  }

  void attribute() { visit(0, {}, {.input = row_.size(), .zero = 1, .one = 1}); }

  [[nodiscard]] double expected(std::uint32_t at, const std::vector<bool>& known) const {
    const TreeNode& n = tree_.nodes[at];
    if (n.leaf()) return n.value;
    if (known[n.feature]) return expected(asked(n), known);
    return (samples_[n.yes] * expected(n.yes, known) + samples_[n.no] * expected(n.no, known)) /
           samples_[at];
  }

 private:
  double count(std::uint32_t at) {
    const TreeNode& n = tree_.nodes[at];
    samples_[at] = n.leaf() ? std::max(1.0, static_cast<double>(n.samples.value_or(1)))
                            : count(n.yes) + count(n.no);
    return samples_[at];
  }

  [[nodiscard]] std::uint32_t asked(const TreeNode& n) const {
    return row_[n.feature] <= n.threshold ? n.yes : n.no;
  }

  void visit(std::uint32_t at, Way way, Step step) {
    extend(way, step);
    const TreeNode& n = tree_.nodes[at];
    if (n.leaf()) return add_leaf(way, n.value);
    Step next{.input = n.feature, .zero = 1, .one = 1};
    const auto same = std::find_if(way.begin() + 1, way.end(),
                                   [&](const Step& s) { return s.input == n.feature; });
    if (same != way.end()) {  // an input that was asked about before is on the way once
      next.zero = same->zero;
      next.one = same->one;
      unwind(way, static_cast<std::size_t>(same - way.begin()));
    }
    for (const std::uint32_t child : {n.yes, n.no})
      visit(child, way,
            {.input = n.feature,
             .zero = next.zero * samples_[child] / samples_[at],
             .one = child == asked(n) ? next.one : 0});
  }

  void add_leaf(const Way& way, double value) {
    for (std::size_t i = 1; i < way.size(); ++i) {
      Way without = way;
      unwind(without, i);
      double weight = 0;
      for (const Step& s : without) weight += s.weight;
      values_[way[i].input] += weight * (way[i].one - way[i].zero) * value;
    }
  }

  const Tree& tree_;
  std::span<const float> row_;
  std::vector<double>& values_;
  std::vector<double> samples_;  // [nodes] below
};

}  // namespace

Attribution shap(const Forest& forest, std::span<const float> row) {
  Attribution out{.values = std::vector<double>(row.size())};
  const std::vector<bool> nothing(row.size());
  for (const Tree& tree : forest.trees) {
    TreeShap one(tree, row, out.values);
    one.attribute();
    out.base += one.expected(0, nothing);
  }
  const auto trees = static_cast<double>(forest.trees.size());
  out.base /= trees;
  for (double& v : out.values) v /= trees;
  return out;
}

double expected_value(const Tree& tree, std::span<const float> row,
                      const std::vector<bool>& known) {
  std::vector<double> unused(row.size());
  return TreeShap(tree, row, unused).expected(0, known);
}

}  // namespace park::trees
