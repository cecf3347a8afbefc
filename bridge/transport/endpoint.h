#pragma once

#include <string>

namespace park::bridge {

/// The parts of the text of an endpoint.
struct Endpoint {
  std::string path;  ///< PATH of ipc://PATH; empty: tcp://HOST:PORT
  std::string host, port;
};

enum class EndpointUse { bind, connect };

/// Throws Failed{invalidConfig} in one line that names what is allowed. ZeroMQ itself would take
/// port 99999 for 34463, and 12x for 12.
[[nodiscard]] Endpoint read_endpoint(const std::string& text, EndpointUse);

/// Whether no other machine can reach it.
[[nodiscard]] bool is_local(const Endpoint&);

}  // namespace park::bridge
