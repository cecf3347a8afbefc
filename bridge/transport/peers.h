#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>
#include <zmq.hpp>

#include "bridge/session/session_table.h"

namespace park::bridge {

/// The connections of a server's ROUTER socket. Over TCP it ends those whose message does not end,
/// and those of which too much waits. ZeroMQ bounds each part of a message, but not their number,
/// and keeps all parts until the last one is there. It reads all that comes. With keys it ends
/// those whose key is not let in any more. The thread of the socket owns it.
///
/// What a connection has under way is what ZeroMQ has read of it (TCP_INFO) without the messages
/// that were taken. Many small parts need more memory, so the growth of the process counts too. A
/// connection that is ended wrongly loses a message, which changes nothing. A Unix socket tells no
/// bytes; only its own user can connect to it.
///
/// One of which many small messages wait is ended within two looks. Until what it has sent is
/// taken, nobody else can connect.
///
/// A connection that takes one of the last descriptors is ended, so that the process can open files.
/// Where it has none left, connections that wait to be accepted are closed: ZeroMQ would try again
/// without a pause. A reserved descriptor makes that possible.
class Peers {
 public:
  using Allowed = std::function<bool(const std::string& key)>;

  /// Before the socket binds. A message may have `most_bytes`, those under way of all connections
  /// eight times as many. `allowed` is empty for a server without keys. Throws zmq::error_t.
  Peers(zmq::context_t&, zmq::socket_t& router, std::uint64_t most_bytes, Allowed allowed);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// A part of a whole message that came by a route, and its bytes on the connection. Without
  /// bytes: the socket itself limits how much waits. False if its sender is not let in any more.
  [[nodiscard]] bool heard(zmq::message_t& part, const Bytes& route,
                           std::optional<std::uint64_t> bytes = {});
  /// Asks about the keys of all connections again; returns the routes of those that it ends.
  [[nodiscard]] std::vector<Bytes> check_keys();

  /// Whether the connection is there by which messages of a route came.
  [[nodiscard]] bool has(const Bytes& route) const { return routes_.contains(route); }

  /// What to poll beside the socket, for take_events: a descriptor that can be read.
  [[nodiscard]] int events_fd() const noexcept { return events_fd_; }
  void take_events();
  /// How long the socket may wait at most: connections are looked at so often.
  [[nodiscard]] std::chrono::milliseconds longest_wait() const noexcept;
  /// Notes what connections have sent, if it is time to. Then whole messages are taken from the
  /// socket, and `drained` says that none is left.
  void look(Time now);
  void drained() { judge(true); }

 private:
  struct Peer {
    bool heard = false, ended = false;      // heard: since the last look
    bool counted = false;                   // its messages have bytes
    std::uint64_t messages = 0, bytes = 0;  // taken since the last look
    // Bytes: those of taken messages and of what is no message, and those at the last look.
    std::uint64_t mark = 0, read = 0;
    std::uint64_t resident = 0;  // bytes of the process when it had become large; 0: it is not
    std::string key;             // Z85, once a message came
    Bytes route;                 // likewise
  };
  [[nodiscard]] static std::uint64_t under_way(const Peer&) noexcept;
  void look_at(int fd, Peer&);
  void judge(bool all_taken);
  [[nodiscard]] static bool floods(const Peer&) noexcept;
  void end_floods();
  [[nodiscard]] bool is_allowed(const Peer&) const;
  void end(int fd, Peer&);
  void accepted(int fd);
  void disconnected(int fd);
  void reserve();

  zmq::socket_t& router_;
  zmq::socket_t events_;
  int events_fd_ = -1;
  int reserve_ = -1;  // a descriptor; -1: it is used to accept and close
  std::uint64_t most_bytes_;
  Allowed allowed_;
  std::unordered_map<int, Peer> peers_;  // by descriptor, which the kernel chooses
  std::set<Bytes> routes_;               // of those that were heard
  Time look_at_{}, judge_at_{};
  std::uint64_t resident_ = 0;          // bytes of the process at this look; 0: not known yet
  std::chrono::nanoseconds worked_{0};  // by this process, when it looked last
  bool looked_ = false, ended_one_ = false;
  bool flooded_ = false;  // messages of floods may wait: whoever connects could begin the next one
};

}  // namespace park::bridge
