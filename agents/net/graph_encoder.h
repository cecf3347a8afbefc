#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "agents/net/mlp.h"
#include "agents/net/scorer_tables.h"
#include "agents/net/shared_mlp.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

struct GraphOptions {
  std::int64_t rounds = 3, width = 16, hidden = 32;
};

/// Embeds the nodes of graphs by message passing (Gilmer et al., Neural Message Passing for Quantum
/// Chemistry, ICML 2017, equations 1 and 2). A graph is a group of edges, whose elements refer to two
/// elements of another group. An embedding starts from the node's features with all it refers to
/// and its degrees. Each round adds u([h, means of the messages along the edges and against them]);
/// a message is m([h of the sender, the edge's features]). All rounds have the same weights, so that
/// a graph may have any size.
class GraphEncoder : public torch::nn::Module {
 public:
  /// The tables must outlive it.
  GraphEncoder(const Spec&, const ScorerTables&, const GraphOptions&, const Rng&);

  /// A group of the observation has elements that refer to two of another one.
  [[nodiscard]] static bool fits(const Spec&);

  /// Embeddings of B observations.
  struct Embeddings {
    std::vector<at::Tensor> elements;  ///< [n, width] of each table; undefined: it has no edges
    at::Tensor rows;  ///< [B, row_width]: means over all nodes, and over those with each flag
  };
  [[nodiscard]] Embeddings of(const ScorerTables::Features&) const;

  [[nodiscard]] std::int64_t row_width() const noexcept { return row_width_; }
  /// Width of the embeddings of an element and of all that it leads to; 0: none is embedded.
  [[nodiscard]] std::int64_t reach_width(std::size_t table) const;
  /// These embeddings [places, reach_width] of some elements, each with its row.
  [[nodiscard]] at::Tensor reach(const ScorerTables::Features&, const Embeddings&,
                                 std::size_t table, const std::vector<std::int64_t>& places,
                                 const std::vector<std::int64_t>& rows) const;

 private:
  struct Edges {
    ScorerTables::Graph graph;
    std::vector<std::size_t> features;  // paths of an edge, but for those to nodes
    std::int64_t width = 0;             // of these
    std::shared_ptr<SharedMlp> along{}, against{};
  };
  struct Nodes {
    std::size_t table;
    std::vector<Edges> edges{};
    std::vector<Field<std::uint8_t>> flags{};
    std::shared_ptr<Mlp> embed{}, update{};
  };
  struct Ends;

  void add_edges(const ScorerTables::Graph&);
  void add_flags(const Spec&, Nodes&) const;
  void make(Nodes&, const Rng&);
  [[nodiscard]] bool embedded(std::size_t table) const;
  [[nodiscard]] Ends ends(const ScorerTables::Features&, const Edges&) const;
  [[nodiscard]] at::Tensor first(const ScorerTables::Features&, const Nodes&,
                                 const std::vector<Ends>&) const;
  [[nodiscard]] at::Tensor mean(const at::Tensor& messages, const at::Tensor& nodes,
                                const at::Tensor& degree) const;
  [[nodiscard]] at::Tensor embeddings(const ScorerTables::Features&, const Nodes&) const;
  void pool(const ScorerTables::Features&, const Nodes&, const at::Tensor& h,
            std::vector<at::Tensor>& to) const;

  const ScorerTables& tables_;
  GraphOptions options_;
  std::vector<Nodes> nodes_;
  std::int64_t row_width_ = 0;
};

}  // namespace park::agents
