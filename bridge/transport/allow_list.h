#pragma once

#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

namespace park::bridge {

/// Lets only clients in whose public keys are known: the handler of ZeroMQ's authentication
/// protocol (ZAP, RFC 27). Without it a CURVE server encrypts, but accepts any key. Messages have
/// their client's key as property User-Id.
class AllowList {
 public:
  /// Before a socket of the context binds. The keys are Z85.
  AllowList(zmq::context_t&, const std::vector<std::string>& keys);

  /// From any thread. Connections that are there continue: ending those of other keys is the caller's.
  void replace(const std::vector<std::string>& keys);
  [[nodiscard]] bool has(const std::string& key) const;

 private:
  void run(const std::stop_token&);
  void answer();

  mutable std::mutex mutex_;    // of the keys
  std::set<std::string> keys_;  // Z85
  zmq::socket_t socket_;        // of the thread, after the constructor
  std::jthread thread_;         // last
};

}  // namespace park::bridge
