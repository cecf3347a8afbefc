#pragma once

#include <cstdint>
#include <memory>

#include "agents/kit/network.h"
#include "agents/net/networks.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

struct ScorerConfig {
  static constexpr const char* kName = "scorer";
  static constexpr std::uint64_t kVersion = 1;
  std::uint32_t hidden1 = 64, hidden2 = 32;
  bool operator==(const ScorerConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("hidden1", self.hidden1,
          FieldDoc{.doc = "units of the first hidden layer", .min = 1, .max = 4096});
    visit("hidden2", self.hidden2,
          FieldDoc{.doc = "units of the second one", .min = 1, .max = 4096});
  }
};

/// A network for any environment, whose heads score every candidate by a perceptron that all
/// candidates share, so that there may be any number of them. A candidate's features:
/// - of an element: its own leaves and those of what it refers to, such as the job of a stage;
/// - of a value: the value, where it lies in the range that is open, and the leaves of the row that
///   have an entry per value;
/// - what the earlier heads chose, in the same way;
/// - the row, the means of all groups and the logarithms of their sizes.
/// Its value is a perceptron on the last of these and on means of embeddings of all elements.
[[nodiscard]] std::shared_ptr<Network> make_scorer(const Spec&, const ScorerConfig&, Role,
                                                   const Rng&);

}  // namespace park::agents
