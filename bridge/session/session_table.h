#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bridge/codec/frame.h"

namespace park::bridge {

using Time = std::chrono::steady_clock::time_point;
using Bytes = std::vector<std::byte>;
/// Random and unguessable: it is the right to use the session.
using SessionKey = std::array<std::byte, 16>;
/// 16 bytes of the operating system's randomness, also for a nonce.
[[nodiscard]] SessionKey random_key();
/// A client's own number for its Hello.
using Nonce = std::array<std::byte, 16>;

/// The limits of a server. Welcome sends them to the client.
struct Limits {
  std::uint32_t window = 8;  ///< requests of a session without a reply
  std::chrono::milliseconds lease{30'000}, heartbeat{5'000};
  std::uint64_t most_bytes = std::uint64_t{64} << 20;  ///< limit of a message
  std::uint32_t most_slots = 4096;                     ///< limit of a session
  std::uint32_t most_sessions = 4096;
  Bytes token{};  ///< required in Hello; empty: none
};

/// Counts what went wrong, for people.
struct SessionCounts {
  std::uint64_t opened = 0, expired = 0, refused = 0, malformed = 0, repeated = 0, out_of_order = 0;
};

/// The sessions of a server: who may ask what, and what was answered. It has no sockets, no threads
/// and no clock, so that every order of events can be tested. What it owes the other side goes
/// through `Send`; what has to be done goes to `Work`.
///
/// A request counts once: a copy of a request in progress is ignored, a copy of an answered one
/// gets the same bytes again. Requests of a session are executed in the order of their numbers. A
/// request that comes too early is ignored, since its client repeats it after the missing one.
class SessionTable {
 public:
  /// Sends a frame to where a session's last message came from.
  using Send = std::function<void(const Bytes& route, std::span<const std::byte> envelope)>;
  /// A new request, as its frame and as the frame's contents, both valid during the call; finish
  /// gives its reply, then or later.
  using Work = std::function<void(const SessionKey&, std::span<const std::byte> frame,
                                  wire::Envelope::Reader)>;
  /// A session that is over: what it owns is to be freed.
  using Ended = std::function<void(const SessionKey&)>;
  struct Calls {
    Send send;
    Work work;
    Ended ended;
    std::function<SessionKey()> new_key;
  };

  SessionTable(Limits, std::string server, Calls);

  /// Takes a message that came by a route: the frames after the route's own. Never throws. An
  /// invalid message is counted, and answered if its sender is known to speak this protocol.
  void receive(const Bytes& route, std::span<const std::span<const std::byte>> frames, Time now);
  /// The reply to a request that `work` got, a whole envelope; kept for repetitions. Nothing
  /// happens where the session is over by now.
  void finish(const SessionKey&, std::uint64_t sequence, std::span<const std::byte> envelope);
  /// Ends the sessions whose lease is over; returns when to call it again at the latest.
  Time expire(Time now);
  /// Tells every session that the server ends, and ends it.
  void shut_down(const std::string& reason);

  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }
  [[nodiscard]] const SessionCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

 private:
  struct KeyHash {
    std::size_t operator()(const SessionKey&) const noexcept;
  };
  struct Session {
    Bytes route;
    Nonce nonce{};  // of its Hello
    Time heard;
    std::uint64_t begun = 0;  // the last request that was given to work
    std::map<std::uint64_t, Bytes> replies;
    std::uint32_t working = 0;  // requests without a reply
  };
  using Sessions = std::unordered_map<SessionKey, Session, KeyHash>;

  void hello(const Bytes& route, wire::Hello::Reader, Time now);
  void welcome(const Bytes& route, const SessionKey&, wire::Hello::Reader);
  void request(Sessions::iterator, std::span<const std::byte> frame, wire::Envelope::Reader);
  void end(Sessions::iterator, const std::string& reason);
  void refuse(const Bytes& route, Code, const std::string& text);
  void fail(const Bytes& route, const SessionKey&, std::uint64_t sequence, Code,
            const std::string& text);
  void reply(const Bytes& route, const SessionKey&, std::uint64_t sequence,
             const std::function<void(wire::Envelope::Builder)>&);

  Limits limits_;
  std::string server_;
  Calls calls_;
  Sessions sessions_;
  std::map<Nonce, SessionKey> nonces_;  // of the sessions
  SessionCounts counts_;
  EnvelopeReader reader_;
  EnvelopeWriter writer_;
};

}  // namespace park::bridge
