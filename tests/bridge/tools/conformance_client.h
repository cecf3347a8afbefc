#pragma once

#include <string>

namespace park::bridge::test {

/// What `conformance rollout` prints (docs/conformance.md). Throws Error.
[[nodiscard]] std::string rollout(const std::string& endpoint, const std::string& env);

/// What `conformance scenario` prints; what goes wrong is in it.
[[nodiscard]] std::string scenario(const std::string& endpoint, const std::string& env);

}  // namespace park::bridge::test
