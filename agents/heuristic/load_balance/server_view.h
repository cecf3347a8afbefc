#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "park/core/batch.h"
#include "park/core/stream.h"

namespace park::heuristics {

/// The leaves of load_balance that its policies read, and the head that they write.
struct ServerView {
  /// Throws Error{invalid_space} where the environment has another layout.
  explicit ServerView(const Spec&);

  Field<float> rate, jobs, work, drain_s;  // [servers]
  Field<float> size;
  Field<std::int32_t> server;
  std::size_t servers;
};

/// The position of the smallest value, the lowest among equals. REQUIRES values.
[[nodiscard]] std::int32_t smallest(std::span<const float> values) noexcept;

}  // namespace park::heuristics
