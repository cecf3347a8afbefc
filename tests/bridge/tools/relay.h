#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>

#include "bridge/codec/frame.h"

namespace park::bridge::test {

enum class Way { to_server, to_client };

/// Where a fault sends what it makes of a message.
class Post {
 public:
  virtual ~Post() = default;
  /// On, as a second frame behind the first one of this protocol.
  virtual void on(std::span<const std::byte> envelope, std::chrono::milliseconds delay = {}) = 0;
  /// On, at once: it is with ZeroMQ when this returns.
  virtual void now(std::span<const std::byte> envelope) = 0;
  /// The other way.
  virtual void back(std::span<const std::byte> envelope) = 0;
  /// To the client, frames as they are.
  virtual void raw(std::span<const std::span<const std::byte>> frames) = 0;
};

/// What becomes of a message; without a call to `post` it is lost. `client` numbers the clients in
/// the order of their first messages. One thread.
using Fault = std::function<void(std::size_t client, Way, wire::Envelope::Reader,
                                 std::span<const std::byte> envelope, Post& post)>;

/// Stands between clients and a server and does to their messages what a fault says. Messages that
/// are none go through as they are.
class Relay {
 public:
  /// Binds tcp on the loopback interface, or ipc://PATH; `server` is an endpoint.
  Relay(const std::string& bind, std::string server, Fault);
  ~Relay();
  [[nodiscard]] const std::string& endpoint() const noexcept;
  void run(const std::stop_token&);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace park::bridge::test
