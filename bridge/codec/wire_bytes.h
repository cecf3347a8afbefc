#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "bridge/codec/wire.h"

namespace park::bridge {

[[nodiscard]] inline std::string text_of(capnp::Text::Reader from) {
  return {from.begin(), from.end()};
}

[[nodiscard]] inline capnp::Data::Reader as_data(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

/// Replaces bytes. Their memory is used again, except where it is large and mostly not needed.
inline void replace_bytes(std::vector<std::byte>& bytes, std::span<const std::byte> from) {
  constexpr std::size_t kLarge = std::size_t{256} << 10;
  if (bytes.capacity() > kLarge && from.size() < bytes.capacity() / 2)
    bytes = std::vector<std::byte>();
  bytes.assign(from.begin(), from.end());
}

}  // namespace park::bridge
