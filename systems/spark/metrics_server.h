#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace park::spark {

/// Answers GET /metrics over HTTP/1.0 on 127.0.0.1, one request after the other, from a thread of
/// its own. It is for a Prometheus on this machine, or one that comes by a proxy. A client that is
/// slower than 2 s is left, so that others are answered.
class MetricsServer {
 public:
  /// `text` is called on its thread. Port 0: a free one. Throws Error{invalid_config} where the
  /// port is taken.
  MetricsServer(std::uint16_t port, std::function<std::string()> text);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

 private:
  void serve(const std::stop_token&) const;
  void answer(int client, const std::stop_token&) const;

  std::function<std::string()> text_;
  int socket_ = -1;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace park::spark
