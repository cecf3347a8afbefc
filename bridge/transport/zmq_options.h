#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <zmq.hpp>

namespace park::bridge {

[[nodiscard]] inline std::span<const std::byte> bytes_of(const zmq::message_t& m) {
  return {static_cast<const std::byte*>(m.data()), m.size()};
}

/// Waits until one of the items is ready, or for so long; a signal ends it early.
void poll(std::span<zmq::pollitem_t>, std::chrono::milliseconds);

/// Takes a frame that is there; false if none is. Signals are no errors here and in the
/// functions below, which they are in the calls of ZeroMQ even where these do not wait.
bool receive_now(zmq::socket_t&, zmq::message_t& frame);

/// Sends a frame without waiting for a queue; false if it cannot be sent now. Throws
/// zmq::error_t (EHOSTUNREACH of routers whose peer has gone).
bool send_now(zmq::socket_t&, std::span<const std::byte> frame, bool more = false);

/// Throw zmq::error_t.
void bind_to(zmq::socket_t&, const std::string& endpoint);
void connect_to(zmq::socket_t&, const std::string& endpoint);

/// What a monitor tells of a connection: a ZMQ_EVENT_ of zmq.h, with a descriptor or a reason.
struct SocketEvent {
  std::uint16_t kind = 0;
  std::int32_t value = 0;
};
/// Takes an event of a monitor that is there; nothing if none is.
[[nodiscard]] std::optional<SocketEvent> receive_event(zmq::socket_t& events);

/// Sends events of a socket (ZMQ_EVENT_ of zmq.h) to an endpoint in this process. Throws
/// zmq::error_t.
void monitor(zmq::socket_t&, const std::string& endpoint, int events);

/// The largest part of a message that a client takes.
constexpr std::uint64_t kMostPartBytes = std::uint64_t{64} << 20;

/// Sets the common options of the sockets of both sides. Nothing lingers at the end, and a dead
/// machine is noticed. Peers that speak no ZMTP 3 (port scanners, browsers) are rejected.
void set_options(zmq::socket_t&);

/// Lets the socket read however many messages wait. One with a limit stops to read there. Where the
/// connection then breaks off, a ping behind those messages ends the process (libzmq 4.3.4 and
/// 4.3.5). The owner has to limit what waits.
void read_always(zmq::socket_t&);

}  // namespace park::bridge
