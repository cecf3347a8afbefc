#pragma once

#include <zmq.hpp>

namespace park::bridge {

/// What sockets of both sides have in common: nothing lingers at the end, a dead peer is noticed,
/// and peers that speak no ZMTP 3 (port scanners, browsers) are turned away.
void set_options(zmq::socket_t&);

}  // namespace park::bridge
