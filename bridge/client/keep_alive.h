#pragma once

#include <thread>

#include "bridge/session/client_session.h"

namespace park::bridge {

/// Pings a server in the background, so that a session lives on while its user is busy elsewhere.
/// It uses a channel of its own, made when the first ping is due: short sessions pay nothing.
class KeepAlive {
 public:
  KeepAlive(const SessionKey&, std::chrono::milliseconds every, MakeChannel);
  ~KeepAlive();

 private:
  void run(const std::stop_token&) const;

  SessionKey key_;
  std::chrono::milliseconds every_;
  MakeChannel make_;
  std::jthread thread_;  // last
};

}  // namespace park::bridge
