#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "bridge/server/service.h"
#include "bridge/server/workers.h"
#include "bridge/session/session_table.h"

namespace park::bridge {

/// A server without its socket: sessions, what they own, and who does their requests. Workers do
/// them, except for small messages of a session whose steps are quick and never wait: these are
/// done where they come in. So no session waits for another's environment, as long as there is a worker
/// that is free. One thread at a time owns it; `wake` is called by workers.
class Dispatcher {
 public:
  using MakeService = std::function<std::unique_ptr<Service>()>;
  struct Options {
    Limits limits;
    std::string name;
    std::uint32_t workers = 2;
  };
  struct Calls {
    SessionTable::Send send;
    std::function<void()> wake;  ///< finished work waits for `finish_done`; from any thread
    /// Calls a function that does a request where it came in. False: it took so long that another
    /// thread owns the dispatcher now. Empty: it is called, however long it takes.
    std::function<bool(const std::function<void()>&)> apart{};
    std::function<bool(const Bytes& route)> connected{};  ///< as SessionTable has it
  };
  Dispatcher(Options, MakeService, Calls);

  /// A message that came by a route. False: another thread owns the dispatcher now.
  bool receive(const Bytes& route, std::span<const std::span<const std::byte>> frames, Time now);
  /// Sends the replies of the work that workers have done.
  void finish_done();
  /// As SessionTable has it.
  Time expire(Time now) { return table_.expire(now); }
  void shut_down(const std::string& reason) { table_.shut_down(reason); }
  void disconnect(const Bytes& route, const std::string& reason) {
    table_.disconnect(route, reason);
  }
  [[nodiscard]] const SessionCounts& counts() const noexcept { return table_.counts(); }

 private:
  class SessionWork;
  void work(const SessionKey&, std::span<const std::byte> frame, wire::Envelope::Reader);
  /// Does the request that waits in quick_; as `receive`.
  bool do_quick();
  void finish(const SessionKey&, SessionWork&);
  void ended(const SessionKey&);

  Options options_;
  MakeService make_;
  Calls calls_;
  SessionTable table_;
  std::map<SessionKey, std::shared_ptr<SessionWork>> sessions_;
  Time arrival_;                             // of the message that is being received
  std::shared_ptr<SessionWork> quick_;       // its request is to be done where it came in
  std::mutex mutex_;                         // of done_
  std::vector<SessionKey> done_, finished_;  // whose oldest request has its reply
  Workers workers_;                          // last: its threads use the rest
};

}  // namespace park::bridge
