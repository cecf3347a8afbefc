// Computing features: the items of a row are found first, with the elements that they lead to; then
// each node of the program fills its column from those before it, and the outputs become the table.
// Vectors keep their memory from row to row.
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
  of_candidates_.resize(program_.from_candidates.size());
  of_items_.resize(program_.from_items.size());
}

void Features::compute(ConstRow observation, ConstRow action,
                       std::span<const std::int32_t> candidates) {
  find_items(observation, action, candidates);
  compute_found(observation, candidates);
}

void Features::compute_found(ConstRow observation, std::span<const std::int32_t> candidates) {
  for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
    const Node& node = program_.nodes[n];
    columns_[n].resize(node.of_candidates ? candidates_ : items_);
    fill(node, observation, candidates, columns_[n]);
    for (double& v : columns_[n]) v = or_zero(v);
  }
  table_.resize(items_ * width());
  for (std::size_t f = 0; f < width(); ++f)
    for (std::size_t i = 0; i < items_; ++i)
      table_[i * width() + f] = narrowed(columns_[program_.outputs[f]][i]);
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

void Features::fill(const Node& node, ConstRow row, std::span<const std::int32_t> candidates,
                    Column& out) {
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
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = candidates[i];
      return;
    case Kind::own_entry:
    case Kind::element:
    case Kind::element_entry:
      return fill_elements(node, row, candidates, out);
    case Kind::largest:
      return fill_largest(columns_[node.args[0]], out);
    case Kind::least:
      return out.empty() ? void() : all(std::ranges::min(columns_[node.args[0]]));
    case Kind::rank:
    case Kind::rank_in:
      return fill_rank(node, columns_[node.args[0]], out);
    case Kind::operation:
      return fill_operation(node, columns_, out);
  }
}

void Features::fill_elements(const Node& node, ConstRow row,
                             std::span<const std::int32_t> candidates, Column& out) const {
  const bool linked = program_.level.kind == Level::Kind::linked;
  const Elements& elements = linked && !node.of_candidates ? of_items_ : of_candidates_;
  const auto value = [&](std::size_t i) {
    return static_cast<std::size_t>(candidates[i] - lowest_);
  };
  with_values(row, node, [&](auto v) {
    if (node.kind == Node::Kind::own_entry) {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(v[value(i)]);
      return;
    }
    const auto& element = elements[static_cast<std::size_t>(node.route)];
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t entry =
          node.kind == Node::Kind::element_entry ? value(i) : std::size_t{node.entry};
      out[i] =
          static_cast<double>(v[static_cast<std::size_t>(element[i]) * node.leaf.width + entry]);
    }
  });
}

void Features::fill_largest(const Column& of, Column& out) const {
  std::ranges::fill(out, -std::numeric_limits<double>::infinity());
  for (std::size_t c = 0; c < of.size(); ++c) out[item_of_[c]] = std::max(out[item_of_[c]], of[c]);
}

/// Distinct smaller values among the items of the same element.
void Features::fill_rank(const Node& node, const Column& of, Column& out) {
  const bool linked = program_.level.kind == Level::Kind::linked;
  const Elements& elements = linked ? of_items_ : of_candidates_;
  const bool all = node.kind == Node::Kind::rank;
  order_.resize(items_);
  for (std::uint32_t i = 0; i < items_; ++i)
    order_[i] = {all ? 0 : elements[static_cast<std::size_t>(node.route)][i], of[i], i};
  // What is compared lies side by side: sorting places alone takes twice as long.
  std::ranges::sort(order_, [](const Ranked& a, const Ranked& b) {
    return a.within != b.within ? a.within < b.within : a.value < b.value;
  });
  double rank = 0;
  for (std::size_t k = 0; k < order_.size(); ++k) {
    if (k > 0 && order_[k].within != order_[k - 1].within)
      rank = 0;
    else if (k > 0 && order_[k].value > order_[k - 1].value)
      ++rank;
    out[order_[k].item] = rank;
  }
}

}  // namespace park::trees
