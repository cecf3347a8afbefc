#include "cli/serve/openenv.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/frame/names.h"
#include "park/command/numbers.h"
#include "park/command/output.h"
#include "park/core/error.h"
#include "systems/python_plugin/interpreter.h"

namespace park::cli {

std::uint16_t openenv_port(const std::string& endpoint) {
  constexpr std::string_view kHost = "tcp://127.0.0.1:";
  constexpr std::uint16_t kPort = 8000;
  const bool local = endpoint.starts_with(kHost);
  const std::string port = local ? endpoint.substr(kHost.size()) : "";
  if (port == "*") return kPort;
  const auto number = whole_number<std::uint64_t>(port);
  if (!number || *number < 1 || *number > 65535)
    throw Error(Errc::invalid_config,
                endpoint +
                    ": --openenv listens at tcp://127.0.0.1:PORT; in a container use "
                    "python3 -m park_sdk.openenv --host");
  return static_cast<std::uint16_t>(*number);
}

void become_openenv_server(const std::string& env, std::uint16_t port) {
  const std::string python = python_plugin::interpreter();
  std::vector<std::string> words = {python, "-m",     "park_sdk.openenv",
                                    env,    "--port", std::to_string(port)};
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execvp(pointers[0], pointers.data());
  throw Failure(python + ": cannot be started (" +
                std::error_code(errno, std::generic_category()).message() +
                "); --openenv needs Python with park_sdk and openenv-core");
}

}  // namespace park::cli
