#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "agents/kit/network.h"
#include "agents/kit/parts.h"
#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

/// The role of a network: parameters that it does not need are not made.
enum class Role : std::uint8_t {
  policy,  ///< scores candidates
  value    ///< estimates the value of an observation
};

/// A kind of network as its file registers it.
struct NetworkPart {
  PartText about{};
  std::string environments{};  ///< whom it is for, in words
  bool (*fits)(const Spec&) = nullptr;
  int preference = 0;  ///< of those that fit the largest is the default; 0: by name alone
  std::shared_ptr<Network> (*make)(const Value&, const Spec&, Role, const Rng&) = nullptr;
};
using Networks = Parts<NetworkPart>;

/// Those of the files *_network.cc.
[[nodiscard]] const Networks& networks();
/// Calls the register function of each such file (agents/CMakeLists.txt).
void register_networks(Networks&);

/// A network of a text such as "scorer(hidden1=32)". Its weights are a pure function of the
/// generator. Throws Error{unknown_name}, {syntax}, {invalid_config}, and {invalid_config} where
/// the network does not understand the environment: that line names the ones it is for.
[[nodiscard]] std::shared_ptr<Network> make_network(std::string_view text, const Spec&, Role,
                                                    const Rng&);
/// The text with every field that differs from its default. Throws as make_network.
[[nodiscard]] std::string canonical_network(std::string_view text);
/// The network that suits an environment best, by preference. Throws Error{invalid_config} where
/// none does.
[[nodiscard]] std::string default_network(const Spec&);

}  // namespace park::agents
