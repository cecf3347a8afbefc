// Growing trees. Every column has the samples in its order; a node is a range of all these orders.
// Splitting a node moves the samples of its left side to the front of the range in each order and
// keeps their order, so nothing is sorted twice. Threads share out columns, and each column's sums
// run in its own order, which is why results do not depend on threads.
#include "park/trees/cart.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

namespace park::trees {
namespace {

// A split has to lower the sum of squares by more than this share of that of the root: less is
// rounding.
constexpr double kLeastGain = 1e-12;
// Threads cost more than they save below this many numbers.
constexpr std::size_t kWorthThreads = 1 << 15;

/// Calls work(column) for all columns.
template <class Work>
void for_columns(std::size_t columns, std::uint32_t threads, Work&& work) {
  const auto share = [&](std::size_t first) {
    for (std::size_t f = first; f < columns; f += threads) work(f);
  };
  std::vector<std::thread> others;
  for (std::uint32_t t = 1; t < threads; ++t) others.emplace_back(share, t);
  share(0);
  for (std::thread& t : others) t.join();
}

/// The largest float that separates: at least `low` and below `high`.
float between(float low, float high) {
  const auto middle =
      static_cast<float>((static_cast<double>(low) + static_cast<double>(high)) / 2);
  return middle < high ? middle : low;
}

struct Split {
  double gain = 0;
  std::size_t column = 0, left = 0;  // samples that go left
  float threshold = 0;
};

/// A node while it grows: its samples are begin .. end of every order.
struct Growing {
  std::size_t begin = 0, end = 0;
  double weight = 0;
  std::vector<double> sums{};  // [outputs] weighted
  Split best{};
  std::size_t yes = 0, no = 0;  // 0: a leaf
  std::size_t depth = 0;        // questions above it
};

class Grower {
 public:
  Grower(const std::vector<std::vector<float>>& columns,
         const std::vector<std::vector<std::uint32_t>>& sorted, std::span<const double> targets,
         std::span<const double> weights, Cart::Kind kind, const Cart::Options& options)
      : columns_(columns),
        orders_(sorted),
        targets_(targets),
        weights_(weights),
        kind_(kind),
        options_(options),
        left_(targets.size()),
        splits_(columns.size()),
        moved_(columns.size()) {
    if (kind == Cart::Kind::classes)
      outputs_ = static_cast<std::size_t>(*std::ranges::max_element(targets)) + 1;
  }

  void grow() {
    nodes_.push_back({.begin = 0, .end = targets_.size()});
    measure(nodes_[0]);
    least_ = kLeastGain * std::max(spread(nodes_[0]), 1e-300);
    find_split(nodes_[0]);
    for (std::size_t leaves = 1; leaves < options_.leaves; ++leaves) {
      const auto best = std::ranges::max_element(
          nodes_, {}, [](const Growing& n) { return n.yes == 0 ? n.best.gain : 0; });
      if (best->yes != 0 || best->best.gain <= 0) break;
      divide(static_cast<std::size_t>(best - nodes_.begin()));
    }
  }

  /// The nodes in the order of a text.
  void write(std::size_t at, Tree& out) const {
    const Growing& n = nodes_[at];
    const std::size_t place = out.nodes.size();
    out.nodes.emplace_back();
    if (n.yes == 0) return write_leaf(n, out.nodes[place]);
    out.nodes[place].feature = static_cast<std::uint32_t>(n.best.column);
    out.nodes[place].threshold = n.best.threshold;
    out.nodes[place].yes = static_cast<std::uint32_t>(out.nodes.size());
    write(n.yes, out);
    out.nodes[place].no = static_cast<std::uint32_t>(out.nodes.size());
    write(n.no, out);
  }

 private:
  [[nodiscard]] std::span<const std::uint32_t> samples(const Growing& n) const {
    return std::span(orders_[0]).subspan(n.begin, n.end - n.begin);
  }

  void write_leaf(const Growing& n, TreeNode& leaf) const {
    leaf.samples = n.end - n.begin;
    const auto largest = std::ranges::max_element(n.sums);
    leaf.value = kind_ == Cart::Kind::classes ? static_cast<float>(largest - n.sums.begin())
                                              : static_cast<float>(n.sums[0] / n.weight);
    if (kind_ == Cart::Kind::number) return;
    const double counted = kind_ == Cart::Kind::classes ? static_cast<double>(leaf.value) : 1;
    leaf.chosen = static_cast<std::uint64_t>(
        std::ranges::count_if(samples(n), [&](std::uint32_t s) { return targets_[s] == counted; }));
  }

  /// Adds a sample's weighted targets; returns its weight.
  double add(std::uint32_t sample, std::vector<double>& sums) const {
    const double w = weights_[sample];
    if (kind_ == Cart::Kind::classes)
      sums[static_cast<std::size_t>(targets_[sample])] += w;
    else
      sums[0] += w * targets_[sample];
    return w;
  }

  void measure(Growing& n) const {
    n.weight = 0;
    n.sums.assign(outputs_, 0);
    for (const std::uint32_t s : samples(n)) n.weight += add(s, n.sums);
  }

  [[nodiscard]] double spread(const Growing& n) const {
    double squares = 0;
    for (const std::uint32_t s : samples(n))
      squares += weights_[s] * (kind_ == Cart::Kind::classes ? 1 : targets_[s] * targets_[s]);
    return squares - gain_of(n.sums, n.weight);
  }

  [[nodiscard]] static double gain_of(const std::vector<double>& sums, double weight) {
    double all = 0;
    for (const double s : sums) all += s * s;
    return all / weight;
  }

  [[nodiscard]] std::uint32_t threads_for(const Growing& n) const {
    return (n.end - n.begin) * columns_.size() < kWorthThreads ? 1 : options_.threads;
  }

  void find_split(Growing& n) {
    for_columns(columns_.size(), threads_for(n),
                [&](std::size_t f) { splits_[f] = best_of_column(n, f); });
    n.best = {};
    for (const Split& s : splits_)
      if (s.gain > n.best.gain) n.best = s;
  }

  [[nodiscard]] Split best_of_column(const Growing& n, std::size_t f) const {
    const std::vector<float>& x = columns_[f];
    const std::vector<std::uint32_t>& order = orders_[f];
    Split best{.column = f};
    if (n.depth >= options_.depth || x[order[n.begin]] == x[order[n.end - 1]]) return best;
    const double base = gain_of(n.sums, n.weight);
    double weight = 0;
    std::vector<double> sums(outputs_), rest(outputs_);
    for (std::size_t i = n.begin; i + 1 < n.end; ++i) {
      const std::uint32_t s = order[i];
      weight += add(s, sums);
      const std::size_t left = i + 1 - n.begin;
      if (x[s] == x[order[i + 1]] || left < options_.least_samples ||
          n.end - i - 1 < options_.least_samples)
        continue;
      for (std::size_t k = 0; k < outputs_; ++k) rest[k] = n.sums[k] - sums[k];
      const double gain = gain_of(sums, weight) + gain_of(rest, n.weight - weight) - base;
      if (gain > best.gain && gain > least_) {
        best.gain = gain;
        best.left = left;
        best.threshold = between(x[s], x[order[i + 1]]);
      }
    }
    return best;
  }

  void divide(std::size_t at) {
    const Growing n = nodes_[at];
    const std::vector<std::uint32_t>& of_split = orders_[n.best.column];
    for (std::size_t i = n.begin; i < n.end; ++i)
      left_[of_split[i]] = i < n.begin + n.best.left ? 1 : 0;
    for_columns(columns_.size(), threads_for(n), [&](std::size_t f) { partition(n, f); });
    nodes_[at].yes = nodes_.size();
    nodes_[at].no = nodes_.size() + 1;
    const std::size_t middle = n.begin + n.best.left;
    for (const auto& [begin, end] : {std::pair(n.begin, middle), std::pair(middle, n.end)}) {
      Growing child;
      child.begin = begin;
      child.end = end;
      child.depth = n.depth + 1;
      measure(child);
      find_split(child);
      nodes_.push_back(child);
    }
  }

  void partition(const Growing& n, std::size_t f) {
    std::vector<std::uint32_t>& order = orders_[f];
    std::vector<std::uint32_t>& right = moved_[f];
    right.clear();
    std::size_t to = n.begin;
    for (std::size_t i = n.begin; i < n.end; ++i) {
      if (left_[order[i]] != 0)
        order[to++] = order[i];
      else
        right.push_back(order[i]);
    }
    std::ranges::copy(right, order.begin() + static_cast<std::ptrdiff_t>(to));
  }

  const std::vector<std::vector<float>>& columns_;
  std::vector<std::vector<std::uint32_t>> orders_;
  std::span<const double> targets_, weights_;
  Cart::Kind kind_;
  Cart::Options options_;
  std::size_t outputs_ = 1;  // one target, or one for each class
  double least_ = 0;
  std::vector<std::uint8_t> left_;  // [samples]
  std::vector<Split> splits_;       // [columns]
  std::vector<std::vector<std::uint32_t>> moved_;
  std::vector<Growing> nodes_;
};

}  // namespace

Cart::Cart(const std::vector<std::vector<float>>& columns, std::uint32_t threads)
    : columns_(columns),
      samples_(columns.empty() ? 0 : columns[0].size()),
      sorted_(columns.size()) {
  for_columns(columns.size(), std::max(threads, 1u), [&](std::size_t f) {
    sorted_[f].resize(samples_);
    std::iota(sorted_[f].begin(), sorted_[f].end(), 0u);
    std::ranges::stable_sort(sorted_[f], {}, [&](std::uint32_t s) { return columns[f][s]; });
  });
}

Tree Cart::fit(std::span<const double> targets, std::span<const double> weights, Kind kind,
               const Options& options) const {
  Options used = options;
  used.threads = std::max(options.threads, 1u);
  used.depth = std::min(options.depth, kMostTreeDepth);
  Grower grower(columns_, sorted_, targets, weights, kind, used);
  grower.grow();
  Tree out;
  grower.write(0, out);
  return out;
}

Forest forest_of(std::vector<Tree> trees, const std::vector<Expression>& features) {
  Forest forest;
  std::vector<std::uint32_t> place(features.size(), TreeNode::kNone);
  for (Tree& tree : trees) {
    for (TreeNode& n : tree.nodes) {
      if (n.leaf()) continue;
      std::uint32_t& at = place[n.feature];
      if (at == TreeNode::kNone) {
        at = static_cast<std::uint32_t>(forest.inputs.size());
        forest.inputs.push_back(features[n.feature]);
      }
      n.feature = at;
    }
  }
  forest.asked.assign(forest.inputs.size(), 0);
  forest.trees = std::move(trees);
  return forest;
}

}  // namespace park::trees
