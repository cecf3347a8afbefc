#pragma once

#include <memory>
#include <string>
#include <zmq.hpp>

#include "bridge/session/client_session.h"
#include "bridge/transport/keys.h"
#include "bridge/transport/under_way.h"

namespace park::bridge {

/// Where a server is, and the keys where it has some.
struct Address {
  std::string endpoint;
  std::string server_key{};  ///< public, of CURVE; empty: not encrypted
  KeyPair keys{};            ///< keys of this client; used with a server_key
};

/// `interrupted` says whether the program was told to end, such as by a signal. Waits for servers
/// then end with Failed{late} soon. Call this once, before there are channels.
void end_waits_when(bool (*interrupted)() noexcept) noexcept;

/// A client's DEALER socket. One thread.
class ZmqChannel final : public Channel {
 public:
  /// Throws Failed{invalidConfig} if the text is no endpoint. Connects in the background: a
  /// server that is not there yet is found when it comes.
  ZmqChannel(zmq::context_t&, const Address&);
  ~ZmqChannel() override;

  void send(std::span<const std::byte> envelope) override;
  /// Throws Failed{notAllowed} if the server does not let this client in, or only one of them
  /// encrypts. Throws {unsupported} if it speaks another major version. Throws {tooMuch} if a
  /// message over TCP does not end within the bytes that one may have, or too many wait.
  [[nodiscard]] std::optional<std::span<const std::byte>> recv(Time until) override;
  [[nodiscard]] Time now() override { return std::chrono::steady_clock::now(); }
  /// The endpoint, with the failure of its handshake if that is known.
  [[nodiscard]] std::string endpoint() const override { return endpoint_ + trouble_; }

 private:
  void watch();
  void look_at_event(Time until);
  void look_at_handshake(int event, std::int32_t value, Time until);
  [[nodiscard]] bool take();
  [[nodiscard]] bool waiting();
  void note_taken(std::uint64_t bytes);
  void check_under_way();
  void drop_under_way() noexcept;
  [[nodiscard]] bool other_mechanism(Time until);

  zmq::context_t& context_;
  std::string endpoint_, trouble_;
  bool encrypted_;
  zmq::socket_t socket_;
  zmq::socket_t events_;  // of socket_'s connection
  UnderWay under_way_;
  zmq::message_t first_, second_;
};

}  // namespace park::bridge
