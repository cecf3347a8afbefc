#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bridge/session/client_session.h"
#include "bridge/transport/zmq_channel.h"
#include "park/core/config.h"
#include "park/core/error.h"

namespace park::bridge {

/// The fields of every policy and environment behind a server.
struct Reach {
  std::string endpoint, key, server_key;
  double timeout_s = 60;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(
        "endpoint", self.endpoint,
        FieldDoc{.doc = "of the server: tcp://127.0.0.1:5555, ipc://PATH, or the path of the file "
                        "that `park serve --endpoint-file` wrote",
                 .names = Names::endpoint});
    visit("timeout_s", self.timeout_s,
          FieldDoc{.doc = "longest wait for a reply", .unit = "s", .min = 0.001, .max = 86400});
    visit("key", self.key,
          FieldDoc{.doc = "file of this client's keys (park key), for a server with keys",
                   .names = Names::file});
    visit("server_key", self.server_key,
          FieldDoc{.doc = "public key of the server; its endpoint file has it, too",
                   .names = Names::nothing});
  }
};

struct ConnectOptions {
  Address address;
  ClientOptions client{};
  std::chrono::milliseconds timeout{60'000};  ///< longest wait for a reply
  std::chrono::milliseconds hello{60'000};    ///< longest wait for the first reply, if it is less
};

/// Reads the files that are named. Throws Error{invalid_config} if one of them is wrong, or
/// without an endpoint.
[[nodiscard]] ConnectOptions connect_options(const Reach&);
/// Options of a config that has the fields of Reach.
template <class Config>
[[nodiscard]] ConnectOptions connect_options(const Config& c) {
  return connect_options(Reach{c.endpoint, c.key, c.server_key, c.timeout_s});
}

/// A session with a server; it is kept alive while nothing is asked. One thread.
class Connection {
 public:
  /// Opens a separate socket. Throws Error{unavailable} if no server answers in time or it refuses,
  /// {invalid_config} if the endpoint is invalid.
  explicit Connection(const ConnectOptions&);
  /// Over channels that lead to the address: one of the session, one that keeps it alive.
  Connection(ConnectOptions, MakeChannel);
  ~Connection();

  [[nodiscard]] ClientSession& session() noexcept;
  /// When a reply that is asked for now is late.
  [[nodiscard]] Time deadline() const;
  [[nodiscard]] const ConnectOptions& options() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// The Error for a failed request; its text names the endpoint.
[[nodiscard]] Error error_of(const Failed&, const std::string& endpoint);

}  // namespace park::bridge
