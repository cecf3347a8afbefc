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

/// An endpoint file that goes with its server. It stays where another server has written it since:
/// the text has the process's number and the endpoint.
class OwnEndpointFile {
 public:
  /// Writes it as `write_endpoint_file` does; an empty path: there is none.
  OwnEndpointFile(std::string path, const EndpointFile&);
  ~OwnEndpointFile();
  OwnEndpointFile(const OwnEndpointFile&) = delete;
  OwnEndpointFile& operator=(const OwnEndpointFile&) = delete;

 private:
  std::string path_, text_;
};

/// Throws Failed{invalidConfig} or {notAllowed} in one line.
[[nodiscard]] EndpointFile read_endpoint_file(const std::string& path);

}  // namespace park::bridge
