#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "bridge/server/dispatcher.h"
#include "bridge/session/session_table.h"
#include "bridge/transport/keys.h"

namespace park::bridge {

struct ServerOptions {
  std::string endpoint;  ///< as for BoundEndpoint
  std::string name = "park";
  Limits limits;
  KeyPair keys{};                      ///< keys of CURVE; empty: not encrypted
  std::vector<std::string> allowed{};  ///< public keys of clients, with keys
  std::uint32_t workers = 2;           ///< threads for requests that take longer than a message
};

/// Serves sessions over a ROUTER socket, which the thread of `run` and a second one own in turn.
class Server {
 public:
  using MakeService = Dispatcher::MakeService;
  /// Binds. Throws Failed as BoundEndpoint, and {notAllowed} where the port is taken, and for keys
  /// without a list or a list without keys.
  Server(ServerOptions, MakeService);
  ~Server();

  /// Where clients connect to: with the port that was free.
  [[nodiscard]] const std::string& endpoint() const noexcept;
  /// Serves until a stop is requested; then says farewell to every session. Once.
  void run(const std::stop_token&);
  /// Replaces the list of the clients that are let in, from any thread. Connections and sessions of
  /// others end. REQUIRES a server with keys.
  void allow(const std::vector<std::string>& keys);
  [[nodiscard]] const SessionCounts& counts() const noexcept;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace park::bridge
