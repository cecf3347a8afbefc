#pragma once

#include <stdexcept>
#include <string>

#include "bridge/codec/wire.h"

namespace park::bridge {

using wire::Code;

/// A request that has no effect, or an invalid message; wire::Failure reports it to the other side.
class Failed : public std::runtime_error {
 public:
  Failed(Code code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] Code code() const noexcept { return code_; }

 private:
  Code code_;
};

}  // namespace park::bridge
