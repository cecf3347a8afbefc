#pragma once

#include <string>
#include <zmq.hpp>

#include "bridge/session/client_session.h"

namespace park::bridge {

/// The security mechanism, such as CURVE or NULL, that the server at tcp://HOST:PORT sends first;
/// empty if no server sends one in time. ZeroMQ reports different mechanisms of the two sides only
/// if the client closes the connection first.
[[nodiscard]] std::string mechanism_of(zmq::context_t&, const std::string& endpoint, Time until);

}  // namespace park::bridge
