#pragma once

#include <string>

namespace park::bridge {

/// Where a server is and what a client of it has to know. Only its owner can read the file.
struct EndpointFile {
  std::string endpoint;
  std::string server_key;  ///< public, of CURVE; empty: none
  std::string token;       ///< in hex digits; empty: none
  bool operator==(const EndpointFile&) const = default;
};

/// Writes it by way of a temporary file, with this process's number. Throws Failed{invalidConfig}.
void write_endpoint_file(const std::string& path, const EndpointFile&);
/// Throws Failed{invalidConfig} or {notAllowed} in one line.
[[nodiscard]] EndpointFile read_endpoint_file(const std::string& path);

}  // namespace park::bridge
