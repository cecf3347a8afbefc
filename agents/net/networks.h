#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/kit/network.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

/// What a network is for: parameters that its role does not need are not made.
enum class Role : std::uint8_t {
  policy,  ///< scores candidates
  value    ///< estimates the value of an observation
};

/// What a kind of network tells about itself.
struct NetworkInfo {
  std::string name, summary, reference;
  std::string environments;  ///< in words
  std::vector<FieldInfo> fields;
  std::uint64_t version = 1;  ///< rises when the same weights come to mean something else
};
[[nodiscard]] std::vector<NetworkInfo> networks();
/// Throws Error{unknown_name}.
[[nodiscard]] bool network_fits(std::string_view name, const Spec&);

/// A network of a text such as "park(hidden1=32)". Its weights are a pure function of the
/// generator. Throws Error{unknown_name}, {syntax}, {invalid_config}, and {invalid_config} where
/// the network does not understand the environment: that line names the ones it is for.
[[nodiscard]] std::shared_ptr<Network> make_network(std::string_view text, const Spec&, Role,
                                                    const Rng&);
/// The text with every field that differs from its default. Throws as make_network.
[[nodiscard]] std::string canonical_network(std::string_view text);
/// The network that suits an environment best: `park` for a cluster, `scorer` where a head chooses
/// from a group, `mlp` otherwise.
[[nodiscard]] std::string default_network(const Spec&);

}  // namespace park::agents
