#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/baseline/baseline.h"
#include "agents/kit/network.h"
#include "agents/kit/parts.h"
#include "park/core/rng.h"
#include "park/core/space.h"

namespace park::agents {

/// The environment and training that a baseline is made for.
struct BaselineTask {
  const Spec& spec;
  /// A new network that estimates values, whose weights are a function of the generator.
  std::function<std::shared_ptr<Network>(const Rng&)> value_network;
  Rng run;  ///< of the training
};

/// A baseline as its file registers it.
struct BaselinePart {
  PartText about{};
  std::uint32_t fewest_rollouts = 1;  ///< of each sequence, of which it can tell something
  std::unique_ptr<Baseline> (*make)(const Value&, const BaselineTask&) = nullptr;
};
using Baselines = Parts<BaselinePart>;

/// Those of the files *_baseline.cc.
[[nodiscard]] const Baselines& baselines();
/// Calls the register function of each such file (agents/CMakeLists.txt).
void register_baselines(Baselines&);

/// A baseline of a text such as "value(epochs=2)". Throws Error{unknown_name}, {syntax},
/// {invalid_config}.
[[nodiscard]] std::unique_ptr<Baseline> make_baseline(const std::string& text, const BaselineTask&);

}  // namespace park::agents
