#include "bridge/transport/zmq_channel.h"

#include <algorithm>
#include <array>

#include "bridge/codec/failure.h"
#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

/// Drops the rest of a message that has more frames than this protocol knows.
bool drained(zmq::socket_t& socket, zmq::message_t& frame) {
  const bool more = frame.more();
  while (frame.more())
    if (!socket.recv(frame, zmq::recv_flags::dontwait)) break;
  return !more;
}

}  // namespace

ZmqChannel::ZmqChannel(zmq::context_t& context, std::string endpoint)
    : endpoint_(std::move(endpoint)), socket_(context, zmq::socket_type::dealer) {
  set_options(socket_);
  socket_.set(zmq::sockopt::immediate, true);  // queues nothing for a server that is not there
  socket_.set(zmq::sockopt::reconnect_ivl, 100);
  socket_.set(zmq::sockopt::reconnect_ivl_max, 2000);
  try {
    socket_.connect(endpoint_);
  } catch (const zmq::error_t& error) {
    throw Failed(Code::INVALID_CONFIG,
                 "endpoint: \"" + endpoint_ +
                     "\" is none; allowed are ipc://PATH and tcp://HOST:PORT (" + error.what() +
                     ")");
  }
}

void ZmqChannel::send(std::span<const std::byte> envelope) {
  const auto begin = preamble();
  // What cannot be sent now is lost; the session repeats it.
  if (!socket_.send(zmq::buffer(begin), zmq::send_flags::sndmore | zmq::send_flags::dontwait))
    return;
  static_cast<void>(
      socket_.send(zmq::buffer(envelope.data(), envelope.size()), zmq::send_flags::dontwait));
}

std::optional<std::span<const std::byte>> ZmqChannel::recv(Time until) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now());
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
    constexpr std::chrono::milliseconds kLongest{60'000};
    poll(items, std::clamp(left, std::chrono::milliseconds(0), kLongest));
    if ((items[0].revents & ZMQ_POLLIN) == 0) {
      if (now() >= until) return {};
      continue;
    }
    if (!socket_.recv(first_, zmq::recv_flags::dontwait) || !first_.more()) continue;
    if (!socket_.recv(second_, zmq::recv_flags::dontwait)) continue;
    if (const auto major = major_of(bytes_of(first_)); major && *major != kMajor)
      throw Failed(Code::UNSUPPORTED, "the server speaks version " + std::to_string(*major) +
                                          ", this client version " + std::to_string(kMajor));
    if (drained(socket_, second_)) return bytes_of(second_);
  }
}

}  // namespace park::bridge
