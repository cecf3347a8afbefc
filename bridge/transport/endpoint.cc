#include "bridge/transport/endpoint.h"

#include <charconv>
#include <cstdint>
#include <string_view>

#include "bridge/codec/failure.h"

namespace park::bridge {
namespace {

constexpr std::string_view kIpc = "ipc://", kTcp = "tcp://";

bool is_port(std::string_view text, EndpointUse use) {
  if (text == "*") return use == EndpointUse::bind;
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() &&
         (port > 0 || use == EndpointUse::bind);
}

/// Of IPv4, as a number: what else begins so is a name.
bool is_loopback(std::string_view host) {
  return host.starts_with("127.") &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

}  // namespace

Endpoint read_endpoint(const std::string& text, EndpointUse use) {
  if (text.starts_with(kIpc) && text.size() > kIpc.size())
    return {.path = text.substr(kIpc.size()), .host = "", .port = ""};
  const std::size_t colon = text.rfind(':');
  if (!text.starts_with(kTcp) || colon <= kTcp.size())
    throw Failed(Code::INVALID_CONFIG,
                 "endpoint: \"" + text + "\" is none; allowed are ipc://PATH and tcp://HOST:PORT");
  Endpoint endpoint{.path = "",
                    .host = text.substr(kTcp.size(), colon - kTcp.size()),
                    .port = text.substr(colon + 1)};
  if (!is_port(endpoint.port, use))
    throw Failed(
        Code::INVALID_CONFIG,
        "endpoint: \"" + text + "\": the port is \"" + endpoint.port + "\"; allowed are " +
            (use == EndpointUse::bind ? "0 to 65535, and * for a free one" : "1 to 65535"));
  return endpoint;
}

bool is_local(const Endpoint& endpoint) {
  return !endpoint.path.empty() || endpoint.host == "localhost" || is_loopback(endpoint.host);
}

}  // namespace park::bridge
