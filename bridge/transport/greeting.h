#pragma once

#include <string>
#include <zmq.hpp>

#include "bridge/session/client_session.h"

namespace park::bridge {

/// The security mechanism, such as CURVE or NULL, that the server behind tcp://HOST:PORT tells
/// first of all; empty where none tells it until then. ZeroMQ tells that two sides differ in it
/// only where it is the client who is quicker to close their connection.
[[nodiscard]] std::string mechanism_of(zmq::context_t&, const std::string& endpoint, Time until);

}  // namespace park::bridge
