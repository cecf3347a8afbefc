#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/kit/network.h"
#include "agents/net/graph_encoder.h"
#include "agents/net/networks.h"

namespace park::agents {

struct ScorerOptions {
  std::uint32_t hidden1 = 64, hidden2 = 32;
  std::optional<GraphOptions> graph{};  ///< embeddings of nodes are features too; needs edges
};

/// A network that scores every candidate of a choice by the same perceptron.
[[nodiscard]] std::shared_ptr<Network> make_scorer(const Spec&, const ScorerOptions&, Role,
                                                   const Rng&);

}  // namespace park::agents
