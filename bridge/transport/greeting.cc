#include "bridge/transport/greeting.h"

#include <algorithm>
#include <chrono>
#include <string_view>

#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

using namespace std::string_view_literals;

// The signature and the version of ZMTP 3. A server then tells its mechanism before it learns ours.
constexpr std::string_view kFirst = "\xff\0\0\0\0\0\0\0\1\x7f\3"sv;
constexpr std::size_t kGreeting = 64, kMechanism = 12, kMechanismBytes = 20;

}  // namespace

std::string mechanism_of(zmq::context_t& context, const std::string& endpoint, Time until) {
  if (!endpoint.starts_with("tcp://")) return {};
  zmq::socket_t socket(context, zmq::socket_type::stream);
  socket.set(zmq::sockopt::linger, 0);
  connect_to(socket, endpoint);
  std::string said;
  while (said.size() < kGreeting) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    zmq::pollitem_t items[] = {{socket.handle(), 0, ZMQ_POLLIN, 0}};
    poll(items, std::max(left, std::chrono::milliseconds(0)));
    if ((items[0].revents & ZMQ_POLLIN) == 0) return {};
    zmq::message_t peer, bytes;  // without bytes: the connection has begun, or is over
    receive_now(socket, peer);
    receive_now(socket, bytes);
    if (bytes.empty() && !said.empty()) return {};
    if (bytes.empty()) {
      constexpr bool kMore = true;
      send_now(socket, bytes_of(peer), kMore);
      send_now(socket, std::as_bytes(std::span(kFirst)));
    }
    said += bytes.to_string_view();
  }
  const std::string mechanism = said.substr(kMechanism, kMechanismBytes);
  return mechanism.substr(0, mechanism.find('\0'));
}

}  // namespace park::bridge
