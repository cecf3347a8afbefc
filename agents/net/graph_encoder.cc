// Message passing over the groups of an observation. The constructor finds the graphs of a spec and
// makes three kinds of perceptrons for each group of nodes: of first embeddings, of messages, of
// updates. `of` lists the ends of all edges of a batch once, then runs the rounds by gathering and
// scattering; graphs of all rows are one graph without edges between them. The network graph calls it.
#include "agents/net/graph_encoder.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

#include "agents/net/index_tensor.h"
#include "agents/net/row_means.h"
#include "park/core/categories.h"

namespace park::agents {

/// The edges of a batch.
struct GraphEncoder::Ends {
  at::Tensor from, to;  // [edges] nodes
  at::Tensor features;  // [edges, width]
  at::Tensor out, in;   // [nodes, 1] how many edges begin at a node, and end there
};

GraphEncoder::GraphEncoder(const Spec& spec, const ScorerTables& tables,
                           const GraphOptions& options, const Rng& rng)
    : tables_(tables), options_(options) {
  for (const ScorerTables::Graph& graph : tables.graphs()) add_edges(graph);
  for (Nodes& n : nodes_) {
    add_flags(spec, n);
    make(n, rng.split(tables.name(n.table)));
    row_width_ += options.width * static_cast<std::int64_t>(1 + n.flags.size());
  }
}

bool GraphEncoder::fits(const Spec& spec) {
  return !ScorerTables(spec, Heads(spec)).graphs().empty();
}

void GraphEncoder::add_edges(const ScorerTables::Graph& graph) {
  auto n = std::ranges::find(nodes_, graph.nodes, &Nodes::table);
  if (n == nodes_.end()) n = nodes_.insert(n, Nodes{.table = graph.nodes});
  Edges edges{.graph = graph, .features = {}};
  const std::vector<std::size_t>& ends = tables_.ends(graph.edges);
  for (std::size_t p = 0; p < ends.size(); ++p) {
    if (tables_.leads_through(graph.edges, p, graph.nodes)) continue;
    edges.features.push_back(p);
    edges.width += tables_.width(ends[p]);
  }
  n->edges.push_back(std::move(edges));
}

/// Flags such as "this decision is about it" choose nodes that the row speaks of.
void GraphEncoder::add_flags(const Spec& spec, Nodes& n) const {
  const Batch observation(spec.observation);
  for (const Leaf& leaf : spec.observation.leaves)
    if (leaf.group == tables_.name(n.table) && leaf.dtype == DType::u8 && leaf.width() == 1 &&
        !leaf.informative() && categories(leaf) == 0)
      n.flags.push_back(observation.field<std::uint8_t>(leaf.name));
}

void GraphEncoder::make(Nodes& n, const Rng& rng) {
  const std::int64_t width = options_.width, graphs = static_cast<std::int64_t>(n.edges.size());
  const std::string of = "_" + tables_.name(n.table);
  const auto perceptron = [&](const std::string& name, std::int64_t in, double last_scale,
                              ScorerTables::OneHot categories) {
    return register_module(name,
                           std::make_shared<Mlp>(MlpOptions{.widths = {in, options_.hidden, width},
                                                            .last_scale = last_scale,
                                                            .other_inputs = categories.values,
                                                            .categories = categories.inputs},
                                                 rng.split(name)));
  };
  const auto message = [&](const std::string& name, std::int64_t own) {
    return register_module(
        name,
        std::make_shared<SharedMlp>(
            SharedMlpOptions{
                .shared = width, .own = own, .widths = {options_.hidden, width}, .last_scale = 1},
            rng.split(name)));
  };
  n.embed = perceptron("embed" + of, tables_.reach_width(n.table) + 2 * graphs, 1,
                       tables_.reach_categories(n.table));
  for (Edges& e : n.edges) {
    const std::string name = of + "_" + tables_.name(e.graph.edges);
    e.along = message("along" + name, e.width);
    e.against = message("against" + name, e.width);
  }
  n.update = perceptron("update" + of, width * (1 + 2 * graphs), 0.5, {});
}

bool GraphEncoder::embedded(std::size_t table) const {
  return std::ranges::find(nodes_, table, &Nodes::table) != nodes_.end();
}

std::int64_t GraphEncoder::reach_width(std::size_t table) const {
  std::int64_t width = 0;
  for (const std::size_t end : tables_.ends(table))
    if (embedded(end)) width += options_.width;
  return width;
}

at::Tensor GraphEncoder::reach(const ScorerTables::Features& f, const Embeddings& all,
                               std::size_t table, const std::vector<std::int64_t>& places,
                               const std::vector<std::int64_t>& rows) const {
  std::vector<at::Tensor> parts;
  const std::vector<std::size_t>& ends = tables_.ends(table);
  std::vector<std::int64_t> led(places.size());
  for (std::size_t p = 0; p < ends.size(); ++p) {
    if (!embedded(ends[p])) continue;
    for (std::size_t i = 0; i < places.size(); ++i)
      led[i] = tables_.end(f, table, p, static_cast<std::size_t>(rows[i]), places[i]);
    const at::Tensor& h = all.elements[ends[p]];
    parts.push_back(h.index_select(0, index_tensor(led).to(h.device())));
  }
  return at::cat(parts, 1);
}

GraphEncoder::Ends GraphEncoder::ends(const ScorerTables::Features& f, const Edges& e) const {
  const auto& [edges, nodes, first, second] = e.graph;
  const std::int64_t m = f.offsets[edges].back(), n = f.offsets[nodes].back();
  Ends all{at::empty({m}, at::kLong), at::empty({m}, at::kLong), at::empty({m, e.width}),
           at::zeros({n, 1}), at::zeros({n, 1})};
  float* to = all.features.data_ptr<float>();
  const std::vector<std::size_t>& led = tables_.ends(edges);
  for (std::size_t r = 0; r + 1 < f.offsets[edges].size(); ++r) {
    const ConstRow row = f.batch->row(r);
    const std::int64_t begin = f.offsets[edges][r], base = f.offsets[nodes][r];
    for (std::int64_t i = begin; i < f.offsets[edges][r + 1]; ++i) {
      const auto local = static_cast<std::size_t>(i - begin);
      const std::int64_t a = base + row[first][local], b = base + row[second][local];
      all.from.data_ptr<std::int64_t>()[i] = a;
      all.to.data_ptr<std::int64_t>()[i] = b;
      ++all.out.data_ptr<float>()[a];
      ++all.in.data_ptr<float>()[b];
      for (const std::size_t p : e.features)
        to = tables_.write_own(f, led[p], tables_.end(f, edges, p, r, i), to);
    }
  }
  return all;
}

/// Before the first round.
at::Tensor GraphEncoder::first(const ScorerTables::Features& f, const Nodes& n,
                               const std::vector<Ends>& graphs) const {
  const ScorerTables::Reach all = tables_.reach(f, n.table);
  std::vector<at::Tensor> parts{all.features};
  for (const Ends& g : graphs)
    for (const at::Tensor* degree : {&g.out, &g.in}) parts.push_back(degree->log1p());
  return n.embed->forward(at::cat(parts, 1), all.categories);
}

/// Means [nodes, width] of messages [edges, width] that come to these nodes.
at::Tensor GraphEncoder::mean(const at::Tensor& messages, const at::Tensor& nodes,
                              const at::Tensor& degree) const {
  return at::zeros({degree.size(0), options_.width}, messages.options())
             .index_add(0, nodes, messages) /
         degree.clamp_min(1);
}

at::Tensor GraphEncoder::embeddings(const ScorerTables::Features& f, const Nodes& n) const {
  std::vector<Ends> graphs;
  for (const Edges& e : n.edges) graphs.push_back(ends(f, e));
  at::Tensor h = first(f, n, graphs);
  for (Ends& g : graphs)
    for (at::Tensor* t : {&g.from, &g.to, &g.features, &g.out, &g.in}) *t = t->to(h.device());
  for (std::int64_t round = 0; round < options_.rounds; ++round) {
    std::vector<at::Tensor> parts{h};
    for (std::size_t i = 0; i < graphs.size(); ++i) {
      const auto& [from, to, features, out, in] = graphs[i];
      const Edges& e = n.edges[i];
      parts.push_back(mean(e.along->forward(h, features, from), to, in));
      parts.push_back(mean(e.against->forward(h, features, to), from, out));
    }
    h = h + n.update->forward(at::cat(parts, 1));
  }
  return h;
}

/// Means [B, width] over the nodes of each row, and over those with each flag; 0 where there are none.
void GraphEncoder::pool(const ScorerTables::Features& f, const Nodes& n, const at::Tensor& h,
                        std::vector<at::Tensor>& to) const {
  const auto& offsets = f.offsets[n.table];
  const std::size_t rows = offsets.size() - 1;
  for (std::size_t flag = 0; flag <= n.flags.size(); ++flag) {
    std::vector<std::int64_t> places, row;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::int64_t v = offsets[r]; v < offsets[r + 1]; ++v) {
        const auto local = static_cast<std::size_t>(v - offsets[r]);
        if (flag > 0 && f.batch->row(r)[n.flags[flag - 1]][local] == 0) continue;
        places.push_back(v);
        row.push_back(static_cast<std::int64_t>(r));
      }
    to.push_back(row_means(h.index_select(0, index_tensor(places).to(h.device())), row, rows));
  }
}

GraphEncoder::Embeddings GraphEncoder::of(const ScorerTables::Features& f) const {
  Embeddings all;
  all.elements.resize(tables_.tables());
  std::vector<at::Tensor> parts;
  for (const Nodes& n : nodes_) {
    all.elements[n.table] = embeddings(f, n);
    pool(f, n, all.elements[n.table], parts);
  }
  all.rows = at::cat(parts, 1);
  return all;
}

}  // namespace park::agents
