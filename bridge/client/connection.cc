#include "bridge/client/connection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "bridge/client/keep_alive.h"
#include "bridge/transport/zmq_channel.h"

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

}  // namespace

ConnectOptions connect_options(const std::string& endpoint, double timeout_s) {
  if (endpoint.empty())
    throw Error(Errc::invalid_config, "endpoint: is required, such as tcp://127.0.0.1:5555");
  ConnectOptions options{.endpoint = endpoint};
  options.timeout = std::chrono::milliseconds(std::llround(timeout_s * 1000));
  return options;
}

struct Connection::Parts {
  explicit Parts(ConnectOptions o)
      : options(std::move(o)),
        channel(context, options.endpoint),
        session(channel, options.client) {}
  ConnectOptions options;
  zmq::context_t context;
  ZmqChannel channel;
  ClientSession session;
  std::unique_ptr<KeepAlive> keep_alive;
};

Connection::Connection(ConnectOptions options) {
  const std::string endpoint = options.endpoint;
  try {
    parts_ = std::make_unique<Parts>(std::move(options));
    Parts& p = *parts_;
    p.session.open(std::min(deadline(), p.channel.now() + p.options.hello));
    p.keep_alive = std::make_unique<KeepAlive>(p.session.key(), p.session.limits().heartbeat, [&p] {
      return std::make_unique<ZmqChannel>(p.context, p.options.endpoint);
    });
  } catch (const Failed& failed) {
    throw error_of(failed, endpoint);
  }
}

Connection::~Connection() {
  if (parts_) parts_->session.close();
}

ClientSession& Connection::session() noexcept { return parts_->session; }
Time Connection::deadline() const { return parts_->channel.now() + parts_->options.timeout; }
const ConnectOptions& Connection::options() const noexcept { return parts_->options; }

Error error_of(const Failed& failed, const std::string& endpoint) {
  return {errc_of(failed.code()), endpoint + ": " + failed.what()};
}

}  // namespace park::bridge
