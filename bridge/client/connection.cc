#include "bridge/client/connection.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "bridge/client/keep_alive.h"
#include "bridge/transport/endpoint_file.h"
#include "bridge/transport/named_field.h"
#include "park/core/text.h"

namespace park::bridge {
namespace {

Errc errc_of(Code code) {
  switch (code) {
    case Code::UNKNOWN_NAME:
      return Errc::unknown_name;
    case Code::INVALID_CONFIG:
    case Code::TOO_MUCH:
      return Errc::invalid_config;
    case Code::ILLEGAL_ACTION:
      return Errc::illegal_action;
    default:
      return Errc::unavailable;
  }
}

/// Throws Failed.
Bytes token_of(const EndpointFile& file, const std::string& path) {
  const std::string& text = file.token;
  const bool is_hex = text.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!is_hex || text.size() % 2 != 0)
    throw Failed(Code::INVALID_CONFIG,
                 path + ": token: has to be an even number of hexadecimal digits");
  Bytes bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

ConnectOptions read_files(const Reach& reach) {
  ConnectOptions options{.address = {.endpoint = reach.endpoint, .server_key = reach.server_key}};
  if (reach.endpoint.find("://") == std::string::npos) {
    if (!std::filesystem::exists(reach.endpoint))
      throw Failed(Code::INVALID_CONFIG,
                   "endpoint: \"" + reach.endpoint +
                       "\" is none; allowed are ipc://PATH, tcp://HOST:PORT and the path of a file "
                       "that `park serve --endpoint-file` wrote");
    const EndpointFile file =
        naming("endpoint", [&] { return read_endpoint_file(reach.endpoint); });
    options.address.endpoint = file.endpoint;
    options.client.token = token_of(file, reach.endpoint);
    if (reach.server_key.empty()) options.address.server_key = file.server_key;
  }
  const std::string& server_key = options.address.server_key;
  if (!server_key.empty() && !is_key(server_key))
    throw Failed(Code::INVALID_CONFIG, "server_key: is no public key of 40 characters");
  if (!server_key.empty() && reach.key.empty())
    throw Failed(
        Code::INVALID_CONFIG,
        "key: the server has a key, so its clients need one; `park key --out FILE` makes it");
  if (!reach.key.empty())
    options.address.keys = naming("key", [&] { return read_key_file(reach.key); });
  return options;
}

}  // namespace

ConnectOptions connect_options(const Reach& reach) {
  if (reach.endpoint.empty())
    throw Error(Errc::invalid_config, "endpoint: is required, such as tcp://127.0.0.1:5555");
  try {
    ConnectOptions options = read_files(reach);
    options.timeout = std::chrono::milliseconds(std::llround(reach.timeout_s * 1000));
    return options;
  } catch (const Failed& failed) {
    throw Error(Errc::invalid_config, failed.what());
  }
}

namespace {

MakeChannel sockets_to(const Address& address) {
  return [address, context = std::make_shared<zmq::context_t>()] {
    return std::make_unique<ZmqChannel>(*context, address);
  };
}

}  // namespace

struct Connection::Parts {
  Parts(ConnectOptions o, MakeChannel m)
      : options(std::move(o)),
        make(std::move(m)),
        channel(make()),
        session(*channel, options.client) {}
  ConnectOptions options;
  MakeChannel make;
  std::unique_ptr<Channel> channel;
  ClientSession session;
  std::unique_ptr<KeepAlive> keep_alive;
};

Connection::Connection(const ConnectOptions& options)
    : Connection(options, sockets_to(options.address)) {}

Connection::Connection(ConnectOptions options, MakeChannel make) {
  const std::string endpoint = options.address.endpoint;
  try {
    parts_ = std::make_unique<Parts>(std::move(options), std::move(make));
    Parts& p = *parts_;
    p.session.open(std::min(deadline(), p.channel->now() + p.options.hello));
    p.keep_alive =
        std::make_unique<KeepAlive>(p.session.key(), p.session.limits().heartbeat, p.make);
  } catch (const Failed& failed) {
    throw error_of(failed, endpoint);
  }
}

Connection::~Connection() {
  if (parts_) parts_->session.close();
}

ClientSession& Connection::session() noexcept { return parts_->session; }
Time Connection::deadline() const { return parts_->channel->now() + parts_->options.timeout; }
const ConnectOptions& Connection::options() const noexcept { return parts_->options; }

Error error_of(const Failed& failed, const std::string& endpoint) {
  return {errc_of(failed.code()), endpoint + ": " + printable(failed.what(), "\n")};
}

}  // namespace park::bridge
