#pragma once

#include <string>

namespace park::bridge {

/// The version of ZeroMQ that this process has loaded, or that is linked into it.
[[nodiscard]] std::string zeromq_version();

/// The version of Cap'n Proto whose compiler and headers made the messages.
[[nodiscard]] std::string capnproto_version();

}  // namespace park::bridge
