#pragma once

#include <set>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

namespace park::bridge {

/// Lets only clients in whose public keys are known: the handler of ZeroMQ's authentication
/// protocol (ZAP, RFC 27). Without it a CURVE server encrypts, but accepts any key.
class AllowList {
 public:
  /// Before a socket of the context binds. The keys are Z85.
  AllowList(zmq::context_t&, const std::vector<std::string>& keys);

 private:
  void run(const std::stop_token&);
  void answer();

  std::set<std::string> keys_;  // in binary
  zmq::socket_t socket_;        // of the thread, after the constructor
  std::jthread thread_;         // last
};

}  // namespace park::bridge
