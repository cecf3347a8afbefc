#include "park/trees/row_features.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "park/core/error.h"
#include "park/core/rng.h"
#include "park/core/with_type.h"
#include "park/trees/node_values.h"

namespace park::trees {
namespace {

const Level kRow{.kind = Level::Kind::situation};

bool of_row(const Node& node) {
  using Kind = Node::Kind;
  return node.kind == Kind::number || node.kind == Kind::row || node.kind == Kind::row_sum ||
         node.kind == Kind::count || node.kind == Kind::operation;
}

/// The program of those features of the hints that speak of a row alone.
Program program_of(const Spec& spec, const FeatureHints& hints) {
  const Heads heads(spec);
  std::vector<Expression> found;
  for (const Derived& d : hints.features) {
    if (left_out(hints, d.name)) continue;
    const Expression name{.kind = Expression::Kind::name, .name = d.name};
    try {
      if (std::ranges::all_of(compile(spec, heads, kRow, {name}, hints.features).nodes, of_row))
        found.push_back(name);
    } catch (const Error&) {
      continue;  // it speaks of candidates
    }
  }
  return compile(spec, heads, kRow, found, hints.features);
}

std::uint64_t checksum_of(const FeatureHints& hints) {
  std::string text;
  for (const std::string& name : hints.without) text += name + '\n';
  for (const Derived& d : hints.features) text += d.name + '=' + to_text(d.value) + '\n';
  return hash_text(text);
}

}  // namespace

RowFeatures::RowFeatures(const Spec& spec, const FeatureHints& hints)
    : program_(program_of(spec, hints)),
      columns_(program_.nodes.size()),
      checksum_(checksum_of(hints)) {}

void RowFeatures::compute(const Batch& observation, float* to, std::size_t stride) {
  const std::size_t rows = observation.rows();
  for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
    columns_[n].resize(rows);
    fill(program_.nodes[n], observation, columns_[n]);
    for (double& v : columns_[n]) v = or_zero(v);
  }
  for (std::size_t f = 0; f < width(); ++f)
    for (std::size_t r = 0; r < rows; ++r)
      to[r * stride + f] = narrowed(columns_[program_.outputs[f]][r]);
}

void RowFeatures::fill(const Node& node, const Batch& observation, Column& out) const {
  using Kind = Node::Kind;
  if (node.kind == Kind::number) {
    std::ranges::fill(out, node.number);
    return;
  }
  if (node.kind == Kind::count) {
    const auto offsets = observation.offsets(node.group);
    for (std::size_t r = 0; r < out.size(); ++r)
      out[r] = static_cast<double>(offsets[r + 1] - offsets[r]);
    return;
  }
  if (node.kind == Kind::operation) {
    fill_operation(node, columns_, out);
    return;
  }
  with_type(node.dtype, [&]<class T>(T) {
    const std::size_t width = node.leaf.width;
    const auto* from = reinterpret_cast<const T*>(
        observation.bytes(node.leaf.column, 0, observation.rows()).data());
    for (std::size_t r = 0; r < out.size(); ++r, from += width)
      out[r] = node.kind == Kind::row ? static_cast<double>(from[node.entry])
                                      : std::accumulate(from, from + width, 0.0);
  });
}

}  // namespace park::trees
