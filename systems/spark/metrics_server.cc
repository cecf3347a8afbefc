#include "systems/spark/metrics_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "park/core/error.h"
#include "park/core/system_env.h"

namespace park::spark {
namespace {

constexpr int kWaiting = 8, kLookMs = 200;
constexpr std::chrono::seconds kPatience{2};  // with a client, from its first byte to the last

std::string reply(const char* status, const std::string& body) {
  return std::string("HTTP/1.0 ") + status +
         "\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

/// Waits until a client can be read or written; false: it is too late, or the server ends.
bool is_ready(int client, short event, Deadline until, const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd one{.fd = client, .events = event, .revents = 0};
    const int n = ::poll(&one, 1, static_cast<int>(std::min<long>(left, kLookMs)));
    if (n != 0) return n > 0;
  }
  return false;
}

}  // namespace

MetricsServer::MetricsServer(std::uint16_t port, std::function<std::string()> text)
    : text_(std::move(text)), socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(port);
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  const int again = 1;
  ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &again, sizeof again);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  if (socket_ < 0 || ::bind(socket_, address, size) != 0 || ::listen(socket_, kWaiting) != 0 ||
      ::getsockname(socket_, address, &size) != 0) {
    if (socket_ >= 0) ::close(socket_);
    throw Error(Errc::invalid_config,
                "metrics_port: " + std::to_string(port) + " is in use; choose another port");
  }
  port_ = ntohs(at.sin_port);
  thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

MetricsServer::~MetricsServer() {
  thread_ = std::jthread();  // asked to stop, and waited for
  ::close(socket_);
}

void MetricsServer::serve(const std::stop_token& stop) const {
  while (!stop.stop_requested()) {
    pollfd come{.fd = socket_, .events = POLLIN, .revents = 0};
    if (::poll(&come, 1, kLookMs) <= 0) continue;
    const int client = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0) continue;
    answer(client, stop);
    ::close(client);
  }
}

void MetricsServer::answer(int client, const std::stop_token& stop) const {
  const Deadline until = Clock::now() + kPatience;
  std::array<char, 4096> buffer{};
  std::string request;
  // What follows the first line is nothing to us; but a client may want it read.
  while (request.find("\r\n\r\n") == std::string::npos && request.size() < buffer.size()) {
    if (!is_ready(client, POLLIN, until, stop)) return;
    const ssize_t n = ::recv(client, buffer.data(), buffer.size(), 0);
    if (n <= 0) return;
    request.append(buffer.data(), static_cast<std::size_t>(n));
  }
  const bool known = request.starts_with("GET /metrics ") || request.starts_with("GET /metrics?");
  const std::string all =
      known ? reply("200 OK", text_()) : reply("404 Not Found", "there is /metrics alone\n");
  for (std::string_view left = all; !left.empty();) {
    if (!is_ready(client, POLLOUT, until, stop)) return;
    const ssize_t n = ::send(client, left.data(), left.size(), MSG_NOSIGNAL);
    if (n <= 0) return;
    left.remove_prefix(static_cast<std::size_t>(n));
  }
}

}  // namespace park::spark
