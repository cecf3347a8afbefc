// Serves every environment with a fault of docs/conformance.md, for tests of clients in any
// language:
//   park_fake_server FAULT ENDPOINT
// prints `ready ENDPOINT` and serves until its standard input ends. Then it prints a line for each
// thing that its client did against the protocol; its exit status is 1 where there is one.
#include <unistd.h>

#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "agents/heuristic/heuristics.h"
#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/faults.h"

namespace {

using namespace park;
using namespace park::bridge;

int serve(const std::string& fault, const std::string& endpoint) {
  Registry registry;
  envs::register_all(registry);
  Server server({.endpoint = "tcp://127.0.0.1:*", .limits = {}}, [&registry] {
    return std::make_unique<StreamService>(registry, StreamServiceOptions{});
  });
  std::vector<std::string> wrong;
  test::Relay relay(endpoint, server.endpoint(), test::fault_of(fault, wrong));
  {
    const std::jthread serving([&](const std::stop_token& stop) { server.run(stop); });
    const std::jthread relaying([&](const std::stop_token& stop) { relay.run(stop); });
    std::cout << "ready " << relay.endpoint() << std::endl;
    char byte = 0;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
  }
  for (const std::string& line : wrong) std::cout << line << '\n';
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3) {
    try {
      return serve(argv[1], argv[2]);
    } catch (const std::exception& error) {
      std::cerr << "error: " << error.what() << '\n';
      return 2;
    }
  }
  std::cerr << "usage: park_fake_server FAULT ENDPOINT\nfaults:";
  for (const std::string& name : test::fault_names()) std::cerr << ' ' << name;
  std::cerr << '\n';
  return 2;
}
