#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bridge/codec/wire.h"

namespace park::bridge {

[[nodiscard]] inline std::string text_of(capnp::Text::Reader from) {
  return {from.begin(), from.end()};
}

[[nodiscard]] inline capnp::Data::Reader as_data(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

}  // namespace park::bridge
