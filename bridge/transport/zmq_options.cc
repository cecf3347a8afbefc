#include "bridge/transport/zmq_options.h"

#include <cerrno>
#include <cstring>

namespace park::bridge {
namespace {

/// What a call to ZeroMQ returns that no signal interrupts.
template <class Call>
int uninterrupted(const Call& call) {
  int result = call();
  while (result < 0 && zmq_errno() == EINTR) result = call();
  return result;
}

template <class Call>
void done(const Call& call) {
  if (uninterrupted(call) < 0) throw zmq::error_t();
}

/// False: it would have to wait.
template <class Call>
bool done_now(const Call& call) {
  if (uninterrupted(call) >= 0) return true;
  if (zmq_errno() != EAGAIN) throw zmq::error_t();
  return false;
}

}  // namespace

void poll(std::span<zmq::pollitem_t> items, std::chrono::milliseconds time) {
  if (zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(time.count())) >= 0)
    return;
  if (zmq_errno() != EINTR) throw zmq::error_t();
  for (zmq::pollitem_t& item : items) item.revents = 0;
}

bool receive_now(zmq::socket_t& socket, zmq::message_t& frame) {
  return done_now([&] { return zmq_msg_recv(frame.handle(), socket.handle(), ZMQ_DONTWAIT); });
}

bool send_now(zmq::socket_t& socket, std::span<const std::byte> frame, bool more) {
  const int flags = more ? ZMQ_DONTWAIT | ZMQ_SNDMORE : ZMQ_DONTWAIT;
  const auto send = [&] { return zmq_send(socket.handle(), frame.data(), frame.size(), flags); };
  if (done_now(send)) return true;
  // What a peer has taken is told to a socket only now and then while it is busy: asking for its
  // events tells it, and there may be room after all.
  int events = 0;
  std::size_t size = sizeof events;
  done([&] { return zmq_getsockopt(socket.handle(), ZMQ_EVENTS, &events, &size); });
  return done_now(send);
}

void bind_to(zmq::socket_t& socket, const std::string& endpoint) {
  done([&] { return zmq_bind(socket.handle(), endpoint.c_str()); });
}

void connect_to(zmq::socket_t& socket, const std::string& endpoint) {
  done([&] { return zmq_connect(socket.handle(), endpoint.c_str()); });
}

/// An event has two frames: its number in 16 bits and a value in 32, and the endpoint.
std::optional<SocketEvent> receive_event(zmq::socket_t& events) {
  zmq::message_t event, where;
  if (!receive_now(events, event)) return {};
  receive_now(events, where);
  SocketEvent e;
  std::memcpy(&e.kind, event.data(), sizeof e.kind);
  std::memcpy(&e.value, static_cast<const std::byte*>(event.data()) + sizeof e.kind,
              sizeof e.value);
  return e;
}

void monitor(zmq::socket_t& socket, const std::string& endpoint, int events) {
  done([&] { return zmq_socket_monitor(socket.handle(), endpoint.c_str(), events); });
}

void set_options(zmq::socket_t& socket) {
  socket.set(zmq::sockopt::linger, 200);  // ms; the default waits for ever
  // Not ZeroMQ's heartbeats: one that is due on a connection that broke off while its input was
  // stopped ends the process. The kernel asks whether the other machine is there.
  socket.set(zmq::sockopt::tcp_keepalive, 1);
  socket.set(zmq::sockopt::tcp_keepalive_idle, 10);
  socket.set(zmq::sockopt::tcp_keepalive_intvl, 5);
  socket.set(zmq::sockopt::tcp_keepalive_cnt, 4);
  socket.set(zmq::sockopt::tcp_maxrt, 30'000);  // ms without an acknowledgement
  socket.set(zmq::sockopt::handshake_ivl, 5'000);
  socket.set(zmq::sockopt::maxmsgsize, std::int64_t{kMostPartBytes});
  socket.set(zmq::sockopt::zap_domain, "park");  // without it ZMTP 1 peers get through as messages
}

void read_always(zmq::socket_t& socket) { socket.set(zmq::sockopt::rcvhwm, 0); }

}  // namespace park::bridge
