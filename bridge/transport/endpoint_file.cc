#include "bridge/transport/endpoint_file.h"

#include <unistd.h>

#include <cstdint>
#include <string_view>

#include "bridge/codec/failure.h"
#include "bridge/transport/secret_file.h"

namespace park::bridge {
namespace {

constexpr std::string_view kSchema = "park.endpoint";

}  // namespace

void write_endpoint_file(const std::string& path, const EndpointFile& file) {
  write_secret_document(path, kSchema, [&](JsonWriter& json) {
    json.member("endpoint", file.endpoint).member("pid", static_cast<std::uint64_t>(getpid()));
    if (!file.server_key.empty()) json.member("server_key", file.server_key);
    if (!file.token.empty()) json.member("token", file.token);
  });
}

EndpointFile read_endpoint_file(const std::string& path) {
  auto texts = read_secret_document(path, kSchema);
  EndpointFile file{texts["endpoint"], texts["server_key"], texts["token"]};
  if (file.endpoint.empty()) throw Failed(Code::INVALID_CONFIG, path + ": has no endpoint");
  return file;
}

}  // namespace park::bridge
