#include "agents/net/cluster/graph_levels.h"

#include <algorithm>

#include "park/core/error.h"

namespace park::agents {
namespace {

// Graphs are put in order together until they have so many nodes: enough for whole tiles of rows,
// few enough for the second cache.
constexpr std::int64_t kTogether = 256;

void add_children(const GraphEdges& g, GraphLevels& l) {
  const std::int64_t n = g.nodes.back();
  l.offsets.assign(at(n + 1), 0);
  l.sends.assign(at(n), 0);
  l.child.resize(g.parents.size());
  const auto each = [&](auto&& visit) {
    for (std::size_t b = 0; b + 1 < g.nodes.size(); ++b)
      for (std::int64_t e = g.edges[b]; e < g.edges[b + 1]; ++e)
        visit(g.nodes[b] + g.parents[at(e)], g.nodes[b] + g.children[at(e)]);
  };
  each([&](std::int64_t parent, std::int64_t child) {
    ++l.offsets[at(parent + 1)];
    l.sends[at(child)] = 1;
  });
  for (std::int64_t v = 0; v < n; ++v) l.offsets[at(v + 1)] += l.offsets[at(v)];
  std::vector<std::int64_t> next(l.offsets.begin(), l.offsets.end() - 1);
  each([&](std::int64_t parent, std::int64_t child) { l.child[at(next[at(parent)]++)] = child; });
}

/// Heights of the nodes begin .. end - 1: one sweep where parents come before their children, as
/// they mostly do, at most as many as there are nodes.
void add_heights(std::int64_t begin, std::int64_t end, GraphLevels& l) {
  bool changed = true;
  for (std::int64_t sweep = begin; changed && sweep <= end; ++sweep) {
    changed = false;
    for (std::int64_t v = end; v-- > begin;) {
      std::int64_t height = 0;
      for (std::int64_t c = l.offsets[at(v)]; c < l.offsets[at(v + 1)]; ++c)
        height = std::max(height, l.height[at(l.child[at(c)])] + 1);
      changed = changed || height != l.height[at(v)];
      l.height[at(v)] = height;
    }
  }
  if (changed)
    throw Error(Errc::invalid_space, "edge.parent: the edges of a job go round in a circle");
}

/// Orders the nodes begin .. end - 1 by height.
void add_runs(std::int64_t begin, std::int64_t end, GraphLevels& l) {
  std::int64_t highest = 0;
  for (std::int64_t v = begin; v < end; ++v) highest = std::max(highest, l.height[at(v)]);
  std::vector<std::int64_t> next(at(highest + 2), 0);
  for (std::int64_t v = begin; v < end; ++v) ++next[at(l.height[at(v)] + 1)];
  next[0] = begin;
  for (std::int64_t h = 0; h <= highest; ++h) {
    l.runs.push_back(next[at(h)]);
    next[at(h + 1)] += next[at(h)];
  }
  for (std::int64_t v = begin; v < end; ++v) l.order[at(next[at(l.height[at(v)])]++)] = v;
}

}  // namespace

GraphLevelsPtr make_levels(const GraphEdges& g) {
  GraphLevelsPtr levels = c10::make_intrusive<GraphLevels>();
  add_children(g, *levels);
  const std::int64_t n = g.nodes.back();
  levels->height.assign(at(n), 0);
  levels->order.resize(at(n));
  std::int64_t begin = 0;
  for (std::size_t b = 0; b + 1 < g.nodes.size(); ++b) {
    add_heights(g.nodes[b], g.nodes[b + 1], *levels);
    const std::int64_t end = g.nodes[b + 1];
    if (end - begin < kTogether && b + 2 < g.nodes.size()) continue;
    if (end > begin) add_runs(begin, end, *levels);
    begin = end;
  }
  levels->runs.push_back(n);
  return levels;
}

}  // namespace park::agents
