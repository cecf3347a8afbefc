#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "bridge/session/client_session.h"
#include "park/core/error.h"

namespace park::bridge {

struct ConnectOptions {
  std::string endpoint;
  ClientOptions client{};
  std::chrono::milliseconds timeout{60'000};  ///< of every reply
  std::chrono::milliseconds hello{60'000};    ///< of the first one, where it is less
};

/// Of a field `endpoint` and a field `timeout_s`. Throws Error{invalid_config} without an endpoint.
[[nodiscard]] ConnectOptions connect_options(const std::string& endpoint, double timeout_s);

/// A session with a server, with a socket of its own; it is kept alive while nothing is asked. One
/// thread.
class Connection {
 public:
  /// Throws Error{unavailable} where no server answers in time or it refuses, {invalid_config}
  /// where the endpoint is none.
  explicit Connection(ConnectOptions);
  ~Connection();

  [[nodiscard]] ClientSession& session() noexcept;
  /// When a reply that is asked for now is late.
  [[nodiscard]] Time deadline() const;
  [[nodiscard]] const ConnectOptions& options() const noexcept;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

/// What a failed request is to a user of the library; the text names the endpoint.
[[nodiscard]] Error error_of(const Failed&, const std::string& endpoint);

}  // namespace park::bridge
