#pragma once

#include <span>

#include "park/core/batch.h"

namespace park::agents {

/// A column of all rows of a batch, as it is in memory.
template <Element T>
[[nodiscard]] std::span<const T> all_of(const Batch& b, Field<T> f) {
  const std::span<const std::byte> bytes = b.bytes(f.column, 0, b.rows());
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace park::agents
