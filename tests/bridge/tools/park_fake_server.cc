// Serves every environment with a fault of docs/conformance.md, for tests of clients in any
// language:
//   park_fake_server FAULT ENDPOINT
// prints `ready ENDPOINT` and serves until its standard input ends. Then it prints a line for each
// thing that its client did against the protocol; its exit status is 1 where there is one.
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/faults.h"

namespace {

using namespace park;
using namespace park::bridge;

const Registry& environments() {
  static const Registry all = [] {
    Registry registry;
    envs::register_all(registry);
    return registry;
  }();
  return all;
}

/// A server from its beginning to its end.
class Serving {
 public:
  explicit Serving(ServerOptions options)
      : server_(
            std::move(options),
            [] { return std::make_unique<StreamService>(environments(), StreamServiceOptions{}); }),
        thread_([this](const std::stop_token& stop) { server_.run(stop); }) {}
  [[nodiscard]] const std::string& endpoint() const noexcept { return server_.endpoint(); }

 private:
  Server server_;
  std::jthread thread_;
};

/// The same, behind a fault.
class Faulty {
 public:
  Faulty(const std::string& endpoint, test::Fault fault)
      : server_({.endpoint = "tcp://127.0.0.1:*", .limits = {}}),
        relay_(endpoint, server_.endpoint(), std::move(fault)),
        thread_([this](const std::stop_token& stop) { relay_.run(stop); }) {}
  [[nodiscard]] const std::string& endpoint() const noexcept { return relay_.endpoint(); }

 private:
  Serving server_;
  test::Relay relay_;
  std::jthread thread_;
};

void ready(const std::string& endpoint) { std::cout << "ready " << endpoint << std::endl; }

/// Whether standard input ends before `over` is set.
bool ends_before(const std::atomic<bool>& over) {
  constexpr int kLookMs = 20;
  while (!over) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char byte = 0;
    if (poll(&input, 1, kLookMs) > 0 && read(STDIN_FILENO, &byte, 1) <= 0) return true;
  }
  return false;
}

void wait_for_end() {
  const std::atomic<bool> never = false;
  ends_before(never);
}

/// Lets nobody in who has no key.
void serve_with_key(const std::string& endpoint) {
  const Serving server({.endpoint = endpoint,
                        .limits = {},
                        .keys = new_key_pair(),
                        .allowed = {new_key_pair().public_key}});
  ready(server.endpoint());
  wait_for_end();
}

/// Is gone without a word at the third step; then another one is in its place.
void restart(std::string endpoint) {
  std::atomic<bool> over = false;
  {
    const Faulty first(endpoint, test::until_third_step([&over] { over = true; }));
    endpoint = first.endpoint();
    ready(endpoint);
    if (ends_before(over)) return;
  }
  const Serving second({.endpoint = endpoint, .limits = {}});
  wait_for_end();
}

int serve(const std::string& fault, const std::string& endpoint) {
  if (fault == "curve") return serve_with_key(endpoint), 0;
  if (fault == "restart") return restart(endpoint), 0;
  std::vector<std::string> wrong;
  {
    const Faulty server(endpoint, test::fault_of(fault, wrong));
    ready(server.endpoint());
    wait_for_end();
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
  std::cerr << "usage: park_fake_server FAULT ENDPOINT\nfaults: curve restart";
  for (const std::string& name : test::fault_names()) std::cerr << ' ' << name;
  std::cerr << '\n';
  return 2;
}
