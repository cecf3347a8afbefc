#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire.h"

namespace park::bridge {

[[nodiscard]] inline std::string text_of(capnp::Text::Reader from) {
  return {from.begin(), from.end()};
}

[[nodiscard]] inline capnp::Data::Reader as_data(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

/// Bytes of a Data, whose length Cap'n Proto keeps in 29 bits. Throws Failed{tooMuch} with the name
/// of what is longer.
[[nodiscard]] inline std::uint32_t data_size(std::size_t bytes, const char* name) {
  constexpr std::size_t kMost = (std::size_t{1} << 29) - 1;
  if (bytes > kMost)
    throw Failed(Code::TOO_MUCH, std::string(name) + ": " + std::to_string(bytes) +
                                     " bytes in one message, at most " + std::to_string(kMost) +
                                     " are allowed");
  return static_cast<std::uint32_t>(bytes);
}

/// Replaces bytes. Their memory is used again, except where it is large and mostly not needed.
inline void replace_bytes(std::vector<std::byte>& bytes, std::span<const std::byte> from) {
  constexpr std::size_t kLarge = std::size_t{256} << 10;
  if (bytes.capacity() > kLarge && from.size() < bytes.capacity() / 2)
    bytes = std::vector<std::byte>();
  bytes.assign(from.begin(), from.end());
}

}  // namespace park::bridge
