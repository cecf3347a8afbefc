// What a server knows of its sessions: the Limits that it states, and a Session for each key. A
// Session has a window of requests and replies, and knows who opened it. The dispatcher calls
// `receive` for each message, `finish` for each reply and `expire` now and then; the table answers
// through its Calls.
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
  std::uint32_t most_of_connection = 64;  ///< sessions that one connection has opened
  /// A session without a request ends after so long where three quarters of the places are taken.
  /// One without a connection does where three quarters of the places or of the bytes are.
  std::chrono::milliseconds unused{2'000};
  /// Limits of what sessions keep: one session, and all together. They count replies for
  /// repetition, requests in progress, and what `finish` is told of the session's own memory. The
  /// sessions that one connection opened keep at most as much as is free for others.
  std::uint64_t most_session_bytes = std::uint64_t{1} << 30;
  std::uint64_t most_server_bytes = std::uint64_t{4} << 30;
  Bytes token{};  ///< required in Hello; empty: none
};

/// Counts what went wrong, for people.
struct SessionCounts {
  std::uint64_t opened = 0, expired = 0, refused = 0, malformed = 0, repeated = 0, out_of_order = 0;
};

/// Bytes of a request, and of what its session owns elsewhere after it.
struct RequestBytes {
  std::uint64_t request = 0, owned = 0;
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
    /// Whether the connection of a route is still there. Empty: all are.
    std::function<bool(const Bytes& route)> connected{};
  };

  SessionTable(Limits, std::string server, Calls);

  /// Takes a message that came by a route: the frames after the route's own. Never throws. An
  /// invalid message is counted, and answered if its sender is known to speak this protocol.
  void receive(const Bytes& route, std::span<const std::span<const std::byte>> frames, Time now);
  /// The reply to a request that `work` got, a whole envelope; kept for repetitions. Nothing
  /// happens where the session is over by now.
  void finish(const SessionKey&, std::uint64_t sequence, std::span<const std::byte> envelope,
              const RequestBytes& = {});
  /// Ends the sessions whose lease is over, unused ones where places are short, and those without a
  /// connection where places or bytes are. Returns when to call it again at the latest. Cheap before that
  /// time.
  Time expire(Time now);
  /// Ends the sessions whose last message came by that route.
  void disconnect(const Bytes& route, const std::string& reason);
  /// Tells every session that the server ends, and ends it.
  void shut_down(const std::string& reason);

  [[nodiscard]] std::size_t size() const noexcept { return sessions_.size(); }
  /// What all sessions keep.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] const SessionCounts& counts() const noexcept { return counts_; }
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }

 private:
  struct KeyHash {
    std::size_t operator()(const SessionKey&) const noexcept;
  };
  /// What the sessions are whose Hello came by one route.
  struct Opened {
    std::uint32_t sessions = 0;
    std::uint64_t bytes = 0;
  };
  using OpenedBy = std::map<Bytes, Opened>;
  struct Session {
    Bytes route;
    OpenedBy::iterator opened_by;
    Nonce nonce{};  // of its Hello
    Time opened, heard;
    std::uint64_t begun = 0;  // the last request that was given to work
    std::map<std::uint64_t, Bytes> replies;
    std::uint32_t working = 0;  // requests without a reply
    // Bytes of requests without a reply, of replies, and elsewhere.
    std::uint64_t requests = 0, kept = 0, owned = 0;

    [[nodiscard]] std::uint64_t bytes() const noexcept { return requests + kept + owned; }
  };
  using Sessions = std::unordered_map<SessionKey, Session, KeyHash>;

  void hello(const Bytes& route, wire::Hello::Reader, Time now);
  /// Why there is no place for a session of a route; empty if there is one.
  [[nodiscard]] std::string no_place(const Bytes& route, Time now);
  [[nodiscard]] bool places_are_short() const noexcept;
  [[nodiscard]] bool bytes_are_short() const noexcept;
  [[nodiscard]] bool is_lost(const Session&) const;
  /// Counts what a session keeps now, which was `before`.
  void count_bytes(const Session&, std::uint64_t before);
  void welcome(const Bytes& route, const SessionKey&, wire::Hello::Reader);
  void request(Sessions::iterator, std::span<const std::byte> frame, wire::Envelope::Reader);
  /// Why a request would take a session, or all, beyond their bytes; empty if it would not.
  [[nodiscard]] std::string beyond_bytes(const Session&, std::uint64_t size,
                                         wire::Envelope::Reader) const;
  /// Keeps the reply, and returns what it keeps.
  const Bytes& keep(Session&, std::uint64_t sequence, std::span<const std::byte> envelope);
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
  OpenedBy opened_by_;
  std::uint64_t bytes_ = 0;  // of the sessions
  Time look_{};              // expire has nothing to do before
  SessionCounts counts_;
  EnvelopeReader reader_;
  EnvelopeWriter writer_;
};

}  // namespace park::bridge
