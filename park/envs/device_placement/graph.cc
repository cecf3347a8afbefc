#include "park/envs/device_placement/graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace park::device_placement {
void Graph::clear() noexcept {
  work_s.clear(), output_bytes.clear(), parameter_bytes.clear(), owner.clear(), edges.clear();
}

std::int32_t Graph::add(double seconds, double output, double parameters, std::int32_t own) {
  const auto number = static_cast<std::int32_t>(size());
  work_s.push_back(seconds);
  output_bytes.push_back(output);
  parameter_bytes.push_back(parameters);
  owner.push_back(own < 0 ? number : own);
  return number;
}

void Graph::connect(std::int32_t from, std::int32_t to, double bytes, std::int32_t tensor) {
  edges.push_back({from, to, tensor, bytes});
}

/// In place, so that nothing is allocated: edges of one operation keep their order by their number.
void Graph::sort_edges() {
  std::ranges::sort(edges, [](const Edge& a, const Edge& b) {
    if (a.from != b.from) return a.from < b.from;
    return a.tensor != b.tensor ? a.tensor < b.tensor : a.to < b.to;
  });
}

void add_training(Graph& g) {
  const auto n = static_cast<std::int32_t>(g.size());
  const std::size_t forward = g.edges.size();
  for (std::int32_t i = n - 1; i >= 0; --i)
    g.add(2 * g.work_s[at(i)], g.output_bytes[at(i)], g.parameter_bytes[at(i)], g.owner[at(i)]);
  const auto gradient = [n](std::int32_t i) { return 2 * n - 1 - i; };
  for (std::int32_t i = 0; i < n; ++i) g.connect(i, gradient(i), g.output_bytes[at(i)]);
  // Edges come by `from`: the inputs of an operation are numbered in that order.
  for (std::size_t e = 0; e < forward; ++e) {
    const Edge edge = g.edges[e];
    g.connect(gradient(edge.to), gradient(edge.from), edge.bytes, edge.from);
  }
  g.sort_edges();
}

void fuse_chains(Graph& g) {
  const std::size_t n = g.size();
  std::vector<std::int32_t> in(n, 0), out(n, 0), parent(n, -1), users(n, 0), head(n);
  for (const Edge& e : g.edges) ++out[at(e.from)], ++in[at(e.to)], parent[at(e.to)] = e.from;
  for (const std::int32_t o : g.owner) ++users[at(o)];
  Graph fused;
  std::vector<std::int32_t> number(n, -1);
  for (std::size_t i = 0; i < n; ++i) {
    const auto self = static_cast<std::int32_t>(i);
    const auto alone = [&](std::size_t node) { return users[at(g.owner[node])] == 1; };
    bool joins = in[i] == 1 && out[at(parent[i])] == 1;
    if (joins && g.parameter_bytes[i] > 0) joins = alone(i) && alone(at(head[at(parent[i])]));
    head[i] = joins ? head[at(parent[i])] : self;
    if (!joins) {
      const std::int32_t own = g.owner[i] == self ? -1 : number[at(g.owner[i])];
      number[i] = fused.add(g.work_s[i], g.output_bytes[i], g.parameter_bytes[i], own);
      continue;
    }
    const std::size_t to = at(number[at(head[i])]);
    number[i] = number[at(head[i])];
    fused.work_s[to] += g.work_s[i];
    fused.output_bytes[to] += g.output_bytes[i];
    fused.parameter_bytes[to] += g.parameter_bytes[i];
  }
  for (const Edge& e : g.edges)
    if (number[at(e.from)] != number[at(e.to)])
      fused.connect(number[at(e.from)], number[at(e.to)], e.bytes, e.tensor);
  fused.sort_edges();
  g = std::move(fused);
}

double total_s(const Graph& g) noexcept {
  return std::accumulate(g.work_s.begin(), g.work_s.end(), 0.0);
}

double critical_path_s(const Graph& g, std::vector<double>& scratch) {
  scratch.assign(g.size(), 0.0);
  double longest = 0;
  std::size_t e = 0;
  for (std::size_t i = 0; i < g.size(); ++i) {
    const double done = scratch[i] + g.work_s[i];
    longest = std::max(longest, done);
    for (; e < g.edges.size() && at(g.edges[e].from) == i; ++e)
      scratch[at(g.edges[e].to)] = std::max(scratch[at(g.edges[e].to)], done);
  }
  return longest;
}

double total_bytes(const Graph& g) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    sum += g.output_bytes[i] + (at(g.owner[i]) == i ? g.parameter_bytes[i] : 0);
  return sum;
}

void depths(const Graph& g, std::vector<std::int32_t>& depth, std::vector<std::int32_t>& height) {
  depth.assign(g.size(), 0);
  height.assign(g.size(), 0);
  for (const Edge& e : g.edges) depth[at(e.to)] = std::max(depth[at(e.to)], depth[at(e.from)] + 1);
  for (std::size_t e = g.edges.size(); e-- > 0;) {
    const Edge& edge = g.edges[e];
    height[at(edge.from)] = std::max(height[at(edge.from)], height[at(edge.to)] + 1);
  }
}

}  // namespace park::device_placement
