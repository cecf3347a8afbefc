#include "bridge/transport/endpoint_file.h"

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/transport/secret_file.h"
#include "park/files/read.h"

namespace park::bridge {
namespace {

constexpr std::string_view kSchema = "park.endpoint";

std::string written(const std::string& path, const EndpointFile& file) {
  return write_secret_document(path, kSchema, [&](JsonWriter& json) {
    json.member("endpoint", file.endpoint).member("pid", static_cast<std::uint64_t>(getpid()));
    if (!file.server_key.empty()) json.member("server_key", file.server_key);
    if (!file.token.empty()) json.member("token", file.token);
  });
}

}  // namespace

void write_endpoint_file(const std::string& path, const EndpointFile& file) { written(path, file); }

OwnEndpointFile::OwnEndpointFile(std::string path, const EndpointFile& file)
    : path_(std::move(path)) {
  if (!path_.empty()) text_ = written(path_, file);
}

OwnEndpointFile::~OwnEndpointFile() {
  if (path_.empty()) return;
  std::error_code ignored;  // a file that cannot be read is none of this server
  if (files::read_file(path_, ignored, text_.size()) == text_)
    std::filesystem::remove(path_, ignored);
}

EndpointFile read_endpoint_file(const std::string& path) {
  auto texts = read_secret_document(path, kSchema);
  EndpointFile file{texts["endpoint"], texts["server_key"], texts["token"]};
  if (file.endpoint.empty()) throw Failed(Code::INVALID_CONFIG, path + ": has no endpoint");
  return file;
}

}  // namespace park::bridge
