#pragma once

#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "bridge/server/policy_service.h"
#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "tests/bridge/tools/relay.h"

namespace park::bridge::test {

/// Something with `endpoint` and `run` on a thread of its own.
template <class Server>
class OnThread {
 public:
  template <class... Arguments>
  explicit OnThread(Arguments&&... arguments)
      : server_(std::forward<Arguments>(arguments)...),
        thread_([this](const std::stop_token& stop) { server_.run(stop); }) {}
  [[nodiscard]] std::string endpoint() const { return server_.endpoint(); }
  /// For what it allows from any thread.
  [[nodiscard]] Server& server() noexcept { return server_; }
  /// Ends it; its counts can be read then.
  [[nodiscard]] const Server& ended() {
    thread_.request_stop();
    thread_.join();
    return server_;
  }

 private:
  Server server_;
  std::jthread thread_;
};

using Relaying = OnThread<Relay>;

/// A server of environments: of one, or of all.
class Serving : public OnThread<Server> {
 public:
  Serving(const Registry& registry, const std::string& endpoint, const std::string& env = "",
          Limits limits = {})
      : OnThread(ServerOptions{.endpoint = endpoint, .limits = std::move(limits)},
                 [&registry, env] {
                   return std::make_unique<StreamService>(registry, StreamServiceOptions{env});
                 }) {}
};

/// A server of policies: of one, or of all.
class ServingPolicy : public OnThread<Server> {
 public:
  ServingPolicy(const Registry& registry, const std::string& endpoint,
                const std::string& policy = "", Limits limits = {})
      : OnThread(ServerOptions{.endpoint = endpoint, .limits = std::move(limits)},
                 [&registry, policy] {
                   return std::make_unique<PolicyService>(registry, PolicyServiceOptions{policy});
                 }) {}
};

}  // namespace park::bridge::test
