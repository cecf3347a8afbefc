#pragma once

#include <string>

#include "bridge/session/client_session.h"

namespace park::bridge::test {

/// What `conformance rollout` prints (docs/conformance.md). Throws Error.
[[nodiscard]] std::string rollout(const std::string& endpoint, const std::string& env);
/// The same over a channel, each call with a deadline.
[[nodiscard]] std::string rollout(Channel&, const std::string& env,
                                  std::chrono::milliseconds deadline);

/// What `conformance scenario` prints; what goes wrong is in it.
[[nodiscard]] std::string scenario(const std::string& endpoint, const std::string& env);

}  // namespace park::bridge::test
