#pragma once

#include <cstdint>
#include <string>

namespace park::cli {

/// The port of an endpoint tcp://127.0.0.1:PORT; 8000, OpenEnv's, where it is *. Throws
/// Error{invalid_config} for any other endpoint.
[[nodiscard]] std::uint16_t openenv_port(const std::string& endpoint);

/// Makes this process the OpenEnv server of an environment: park_sdk.openenv in Python, by the
/// program that PARK_PYTHON names or python3. A signal, the exit status and --with-parent are then
/// those of that server. Throws Failure where there is no such program.
[[noreturn]] void become_openenv_server(const std::string& env, std::uint16_t port);

}  // namespace park::cli
