#pragma once

#include <cstdint>
#include <memory>

#include "agents/kit/network.h"
#include "agents/net/networks.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

struct MlpNetworkConfig {
  static constexpr const char* kName = "mlp";
  static constexpr std::uint64_t kVersion = 1;
  std::uint32_t hidden1 = 64, hidden2 = 64;
  bool operator==(const MlpNetworkConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("hidden1", self.hidden1,
          FieldDoc{.doc = "units of the first hidden layer", .min = 1, .max = 4096});
    visit("hidden2", self.hidden2,
          FieldDoc{.doc = "units of the second one", .min = 1, .max = 4096});
  }
};

/// Values of a head with a range that `mlp` has an output for, at most.
constexpr std::int64_t kMostMlpValues = 4096;

/// A network for observations without groups: all their numbers (LeafMatrix), normalised, through
/// a perceptron per head. A head with values has one output for each; a continuous one its means,
/// and deviations that are learnt but the same everywhere. A later head also sees the choices of
/// the earlier ones: one-hot, the logarithm of a number of a range, a real vector as it is.
/// REQUIRES a spec without groups whose ranges have at most kMostMlpValues values.
[[nodiscard]] std::shared_ptr<Network> make_mlp_network(const Spec&, const MlpNetworkConfig&, Role,
                                                        const Rng&);

}  // namespace park::agents
