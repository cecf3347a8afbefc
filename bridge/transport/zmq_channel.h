#pragma once

#include <memory>
#include <string>
#include <zmq.hpp>

#include "bridge/session/client_session.h"

namespace park::bridge {

/// A client's DEALER socket. One thread.
class ZmqChannel final : public Channel {
 public:
  /// Throws Failed{invalidConfig} where the text is no endpoint. Connects in the background: a
  /// server that is not there yet is found when it comes.
  ZmqChannel(zmq::context_t&, std::string endpoint);

  void send(std::span<const std::byte> envelope) override;
  [[nodiscard]] std::optional<std::span<const std::byte>> recv(Time until) override;
  [[nodiscard]] Time now() override { return std::chrono::steady_clock::now(); }
  [[nodiscard]] std::string endpoint() const override { return endpoint_; }

 private:
  std::string endpoint_;
  zmq::socket_t socket_;
  zmq::message_t first_, second_;
};

}  // namespace park::bridge
