#pragma once

#include <string>

#include "park/core/registry.h"

namespace park::bench {

/// What suites and results may open on this machine beside data. Those of somebody else open nothing
/// more, unless whoever verifies them says so.
struct Opens {
  bool remote = false;       ///< servers that environments and policies name
  bool torchscript = false;  ///< networks that are programs, which the reader runs
};
/// For suites that the user plays.
inline constexpr Opens kOpensAll{.remote = true, .torchscript = true};

/// Both throw Error{not_allowed} in one line, before anything is opened. What a plug-in does beside
/// what its fields declare is up to whoever loads it.
void check_env_opens(const Registry&, const std::string& name, const Opens&);
/// A policy with those that its fields name, such as the base of a look-ahead.
void check_policy_opens(const Registry&, const std::string& policy, const Opens&);

}  // namespace park::bench
