// Computing features: the items of a row are found first, with the elements that they lead to; then
// each node of the program fills its column from those before it, and the outputs become the table.
// Where some items alone are wanted, what is compared with others (compared_) has two columns: the
// whole one and that of the wanted items. Vectors keep their memory from row to row.
#include "park/trees/features.h"

#include <algorithm>
#include <numeric>

#include "park/core/with_type.h"
#include "park/trees/node_values.h"

namespace park::trees {
namespace {

/// The values of a leaf in a row, of any type.
template <class Take>
void with_values(ConstRow row, const Node& node, Take&& take) {
  with_type(node.dtype, [&]<class T>(T) {
    take(row[Field<T>{node.leaf.column, node.leaf.width, node.leaf.group}]);
  });
}

}  // namespace

Features::Features(const Spec& spec, const Heads& heads, const Level& level,
                   const std::vector<Expression>& features, const std::vector<Derived>& derived)
    : program_(compile(spec, heads, level, features, derived)) {
  const Heads::Head& head = heads[level.head];
  index_ = head.kind == HeadKind::index;
  lowest_ = static_cast<std::int64_t>(head.low);
  given_ = head.given;
  if (given_ >= 0)
    given_value_ =
        Batch(spec.action)
            .field<std::int32_t>(spec.action.leaves[static_cast<std::size_t>(given_)].name);
  columns_.resize(program_.nodes.size());
  whole_.resize(program_.nodes.size());
  of_candidates_.resize(program_.from_candidates.size());
  of_wanted_.resize(program_.from_candidates.size());
  of_items_.resize(program_.from_items.size());
  mark_compared();
}

/// Nodes come after those that they need.
void Features::mark_compared() {
  using Kind = Node::Kind;
  compared_.resize(program_.nodes.size());
  for (std::size_t n = program_.nodes.size(); n-- > 0;) {
    const Node& node = program_.nodes[n];
    const bool compares = node.kind == Kind::rank || node.kind == Kind::rank_in ||
                          node.kind == Kind::least || node.kind == Kind::largest;
    for (const std::size_t arg : node.args)
      if (compares || compared_[n] != 0) compared_[arg] = 1;
  }
}

void Features::compute(ConstRow observation, ConstRow action,
                       std::span<const std::int32_t> candidates) {
  find_items(observation, action, candidates);
  compute_found(observation, candidates);
}

void Features::compute_found(ConstRow observation, std::span<const std::int32_t> candidates,
                             std::span<const std::uint32_t> wanted) {
  const bool linked = program_.level.kind == Level::Kind::linked;
  if (program_.level.kind != Level::Kind::candidates) wanted = {};
  gather_wanted(candidates, wanted);
  for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
    const Node& node = program_.nodes[n];
    if (!wanted.empty() && compared_[n] == 0) {
      columns_[n].resize(wanted.size());
      fill(node, observation, {wanted_candidates_, of_wanted_, wanted}, columns_, columns_[n]);
      continue;
    }
    std::vector<Column>& columns = wanted.empty() ? columns_ : whole_;
    columns[n].resize(node.of_candidates ? candidates_ : items_);
    const Elements& elements = linked && !node.of_candidates ? of_items_ : of_candidates_;
    fill(node, observation, {candidates, elements, {}}, columns, columns[n]);
    columns_[n].resize(wanted.empty() ? columns[n].size() : wanted.size());
    for (std::size_t k = 0; k < wanted.size(); ++k) columns_[n][k] = whole_[n][wanted[k]];
  }
  write_table(wanted);
}

/// The candidates that are wanted, and the elements that they lead to.
void Features::gather_wanted(std::span<const std::int32_t> candidates,
                             std::span<const std::uint32_t> wanted) {
  if (wanted.empty()) return;
  wanted_candidates_.clear();
  for (const std::uint32_t i : wanted) wanted_candidates_.push_back(candidates[i]);
  for (std::size_t r = 0; r < of_wanted_.size(); ++r) {
    of_wanted_[r].clear();
    for (const std::uint32_t i : wanted) of_wanted_[r].push_back(of_candidates_[r][i]);
  }
}

void Features::write_table(std::span<const std::uint32_t> wanted) {
  const std::size_t n = wanted.empty() ? items_ : wanted.size();
  table_.resize(items_ * width());
  for (std::size_t f = 0; f < width(); ++f) {
    const double* const from = columns_[program_.outputs[f]].data();
    float* const to = table_.data() + f;
    for (std::size_t k = 0, w = width(); k < n; ++k)
      to[(wanted.empty() ? k : wanted[k]) * w] = narrowed(from[k]);
  }
}

void Features::find_items(ConstRow observation, ConstRow action,
                          std::span<const std::int32_t> candidates) {
  candidates_ = candidates.size();
  item_of_.resize(candidates_);
  const bool alone = program_.level.kind == Level::Kind::situation;
  items_ = alone ? 1 : candidates_;
  if (alone)
    std::ranges::fill(item_of_, 0u);
  else
    std::iota(item_of_.begin(), item_of_.end(), 0u);
  if (of_candidates_.empty()) return;
  auto& first = of_candidates_[0];
  if (index_)
    first.assign(candidates.begin(), candidates.end());
  else
    first.assign(items_, action[given_value_][0]);
  program_.from_candidates.follow(observation, of_candidates_);
  if (program_.level.kind != Level::Kind::linked) return;
  link_items();
  program_.from_items.follow(observation, of_items_);
}

/// The items of a linked level in the order of their elements.
void Features::link_items() {
  const auto& of = of_candidates_[static_cast<std::size_t>(program_.link)];
  auto& items = of_items_[0];
  items.assign(of.begin(), of.end());
  if (!std::ranges::is_sorted(items)) std::ranges::sort(items);
  items.erase(std::ranges::unique(items).begin(), items.end());
  items_ = items.size();
  for (std::size_t c = 0; c < of.size(); ++c)
    item_of_[c] =
        static_cast<std::uint32_t>(std::ranges::lower_bound(items, of[c]) - items.begin());
}

void Features::fill(const Node& node, ConstRow row, const Items& items,
                    const std::vector<Column>& columns, Column& out) {
  fill_raw(node, row, items, columns, out);
  for (double& v : out) v = or_zero(v);
}

void Features::fill_raw(const Node& node, ConstRow row, const Items& items,
                        const std::vector<Column>& columns, Column& out) {
  using Kind = Node::Kind;
  const auto all = [&](double v) { std::ranges::fill(out, v); };
  switch (node.kind) {
    case Kind::number:
      return all(node.number);
    case Kind::count:
      return all(static_cast<double>(row.count(node.group)));
    case Kind::candidate_count:
      return all(static_cast<double>(candidates_));
    case Kind::linked_count: {
      const auto& of = of_candidates_[static_cast<std::size_t>(node.route)];
      distinct_.assign(of.begin(), of.end());
      std::ranges::sort(distinct_);
      return all(static_cast<double>(std::ranges::unique(distinct_).begin() - distinct_.begin()));
    }
    case Kind::row:
      return with_values(row, node, [&](auto v) { all(static_cast<double>(v[node.entry])); });
    case Kind::row_sum:
      return with_values(row, node, [&](auto v) { all(std::accumulate(v.begin(), v.end(), 0.0)); });
    case Kind::value:
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = items.candidates[i];
      return;
    case Kind::own_entry:
    case Kind::element:
    case Kind::element_entry:
      return fill_elements(node, row, items, out);
    case Kind::largest:
      return fill_largest(columns[node.args[0]], out);
    case Kind::least: {
      const Column& of = (items.wanted.empty() ? columns : whole_)[node.args[0]];
      return of.empty() ? void() : all(std::ranges::min(of));
    }
    case Kind::rank:
    case Kind::rank_in:
      return fill_rank(node, items, (items.wanted.empty() ? columns : whole_)[node.args[0]], out);
    case Kind::operation:
      return fill_operation(node, columns, out);
  }
}

void Features::fill_elements(const Node& node, ConstRow row, const Items& items,
                             Column& out) const {
  const auto value = [&](std::size_t i) {
    return static_cast<std::size_t>(items.candidates[i] - lowest_);
  };
  with_values(row, node, [&](auto v) {
    if (node.kind == Node::Kind::own_entry) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(v[value(i)]);
      return;
    }
    const auto& element = items.elements[static_cast<std::size_t>(node.route)];
    if (node.kind == Node::Kind::element_entry)
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<double>(
            v[static_cast<std::size_t>(element[i]) * node.leaf.width + value(i)]);
    else  // most nodes: with pointers, since each index of a vector or span is checked
      std::transform(element.data(), element.data() + out.size(), out.data(),
                     [from = v.data() + node.entry, width = node.leaf.width](std::int64_t at) {
                       return static_cast<double>(from[static_cast<std::size_t>(at) * width]);
                     });
  });
}

void Features::fill_largest(const Column& of, Column& out) const {
  std::ranges::fill(out, -std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < of.size(); ++c) out[item_of_[c]] = std::max(out[item_of_[c]], of[c]);
}

/// Distinct smaller values among the items of the same element. `of` has all items; items of the
/// same element mostly follow each other.
void Features::fill_rank(const Node& node, const Items& items, const Column& of, Column& out) {
  const bool linked = program_.level.kind == Level::Kind::linked;
  const auto& elements = linked ? of_items_ : of_candidates_;
  const std::int64_t* const within = node.kind == Node::Kind::rank
                                         ? nullptr
                                         : elements[static_cast<std::size_t>(node.route)].data();
  std::int64_t ranked = -1;  // the element whose values were kept last
  for (std::size_t k = 0; k < out.size(); ++k) {
    const std::size_t i = items.wanted.empty() ? k : items.wanted[k];
    if (k == 0 || (within != nullptr && within[i] != ranked)) {
      values_.clear();
      for (std::size_t j = 0; j < of.size(); ++j)
        if (within == nullptr || within[j] == within[i]) values_.push_back(of[j]);
      keep_distinct();
      ranked = within == nullptr ? -1 : within[i];
    }
    out[k] = static_cast<double>(smaller_values(of[i]));
  }
}

/// Each of few values is compared with each other one, without branches that a processor would have
/// to guess, and gets weight 0 where it was there before. Many are sorted.
void Features::keep_distinct() {
  constexpr std::size_t kFew = 40;
  sorted_ = values_.size() > kFew;
  if (sorted_) {
    std::ranges::sort(values_);
    values_.erase(std::ranges::unique(values_).begin(), values_.end());
    return;
  }
  const double* const value = values_.data();
  weights_.resize(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::int64_t before = 0;
    for (std::size_t j = 0; j < i; ++j) before += value[j] == value[i] ? 1 : 0;
    weights_[i] = before == 0 ? 1 : 0;
  }
}

std::int64_t Features::smaller_values(double than) const {
  if (sorted_) return std::ranges::lower_bound(values_, than) - values_.begin();
  const double* const value = values_.data();
  const std::int64_t* const weight = weights_.data();
  std::int64_t smaller = 0;
  for (std::size_t j = 0, n = values_.size(); j < n; ++j)
    smaller += value[j] < than ? weight[j] : 0;
  return smaller;
}

}  // namespace park::trees
