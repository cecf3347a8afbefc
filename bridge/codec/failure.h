#pragma once

#include <stdexcept>
#include <string>

#include "bridge/codec/wire.h"

namespace park::bridge {

using wire::Code;

/// A request that has no effect, or a message that is none: what wire::Failure tells the other
/// side.
class Failed : public std::runtime_error {
 public:
  Failed(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace park::bridge
