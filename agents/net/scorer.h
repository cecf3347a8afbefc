#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "agents/kit/network.h"
#include "agents/net/graph_encoder.h"
#include "agents/net/hidden_units.h"
#include "agents/net/networks.h"

namespace park::agents {

/// Hidden units of the perceptron that scores.
struct ScorerUnits {
  std::uint32_t hidden1 = 64, hidden2 = 32;
  bool operator==(const ScorerUnits&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit_hidden_units(self, visit);
  }
};

struct ScorerOptions {
  ScorerUnits units{};
  std::optional<GraphOptions> graph{};  ///< embeddings of nodes are features too; needs edges
};

/// A network that scores every candidate of a choice by the same perceptron.
[[nodiscard]] std::shared_ptr<Network> make_scorer(const Spec&, const ScorerOptions&, Role,
                                                   const Rng&);

}  // namespace park::agents
