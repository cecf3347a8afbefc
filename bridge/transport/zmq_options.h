#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <zmq.hpp>

namespace park::bridge {

[[nodiscard]] inline std::span<const std::byte> bytes_of(const zmq::message_t& m) {
  return {static_cast<const std::byte*>(m.data()), m.size()};
}

/// Waits until one of the items is ready, or for so long; a signal ends it early.
void poll(std::span<zmq::pollitem_t>, std::chrono::milliseconds);

/// What sockets of both sides have in common: nothing lingers at the end, a dead peer is noticed,
/// and peers that speak no ZMTP 3 (port scanners, browsers) are turned away.
void set_options(zmq::socket_t&);

}  // namespace park::bridge
