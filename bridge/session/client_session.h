#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bridge/codec/frame.h"
#include "bridge/session/session_table.h"

namespace park::bridge {

/// A client's way to a server: it may lose, repeat and delay messages, and come back after a break.
/// One thread.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(std::span<const std::byte> envelope) = 0;
  /// The next envelope, valid until the next call; nothing when `until` has passed.
  [[nodiscard]] virtual std::optional<std::span<const std::byte>> recv(Time until) = 0;
  [[nodiscard]] virtual Time now() = 0;
  /// Where it leads, for people.
  [[nodiscard]] virtual std::string endpoint() const = 0;
};
using MakeChannel = std::function<std::unique_ptr<Channel>()>;

struct ClientOptions {
  std::string name = "park";  ///< name of the program, for the server's log
  Bytes token{};
  /// Time without a reply after which a request is repeated; it doubles up to `repeat_most`.
  std::chrono::milliseconds repeat_first{200}, repeat_most{2'000};
};

/// A client's side of a session: numbers requests, repeats what was lost, and never waits beyond a
/// deadline. One thread.
class ClientSession {
 public:
  using Fill = std::function<void(wire::Envelope::Builder)>;

  /// The channel must outlive the session.
  ClientSession(Channel&, ClientOptions);

  /// Says hello until the server answers. Throws Failed{late} if no server does, and Failed with
  /// the reason of a refusal.
  void open(Time deadline);
  /// The contents of Welcome. REQUIRES open.
  [[nodiscard]] const Limits& limits() const noexcept { return limits_; }
  [[nodiscard]] std::uint16_t minor() const noexcept { return minor_; }
  [[nodiscard]] const std::string& server() const noexcept { return server_; }
  [[nodiscard]] const SessionKey& key() const noexcept { return key_; }

  /// Sends a request and returns its number. Throws Failed{tooMuch} and sends nothing in two cases.
  /// The window is full: the request that was sent a window ago has no reply yet. Or the message is
  /// larger than the server allows.
  std::uint64_t send(std::chrono::milliseconds useful, const Fill&);
  /// The reply to a request, valid until the next call. Throws Failed{late} if the reply has not
  /// come by the deadline; the caller may wait again. Throws Failed with the server's code and text
  /// if the request failed, and Failed{noSession} or {shuttingDown} if the session is over.
  [[nodiscard]] wire::Envelope::Reader wait(std::uint64_t sequence, Time deadline);
  /// send, then wait.
  [[nodiscard]] wire::Envelope::Reader call(Time deadline, const Fill&);
  /// Nobody will wait for its reply. It is repeated like the others until that comes, since the
  /// server does what follows it afterwards. REQUIRES open.
  void forget(std::uint64_t sequence) noexcept;
  /// Ends the session; waits for nothing.
  void close() noexcept;

  /// Requests without a reply.
  [[nodiscard]] std::size_t pending() const noexcept;
  /// Whether a request is one of them. REQUIRES open.
  [[nodiscard]] bool is_pending(std::uint64_t sequence) const noexcept;
  /// Requests that were sent again.
  [[nodiscard]] std::uint64_t repeated() const noexcept { return repeated_; }
  /// Number of received frames that were no message and were ignored.
  [[nodiscard]] std::uint64_t malformed() const noexcept { return malformed_; }

 private:
  /// One of the window's places: request n is at n modulo the window.
  struct Place {
    std::uint64_t sequence = 0;  // 0: free
    bool answered = false, forgotten = false;
    Bytes request, reply;
  };
  [[nodiscard]] Place& place(std::uint64_t sequence) { return window_[sequence % window_.size()]; }
  void receive(std::span<const std::byte>);
  /// Takes a message before there is a session, and one of the session. What they return ends what
  /// waits. They throw for what is no message.
  [[nodiscard]] std::optional<Failed> welcomed(wire::Envelope::Reader);
  [[nodiscard]] std::optional<Failed> heard(wire::Envelope::Reader, std::span<const std::byte>);
  /// Counts answers to messages that the server cannot read, one per round of repeats. What it
  /// returns ends what waits.
  [[nodiscard]] std::optional<Failed> unreadable(wire::Failure::Reader);
  void repeat_all();
  /// Waits for a message until then, or until it is time to repeat; whether one came.
  bool pump(Time deadline);
  [[nodiscard]] wire::Envelope::Reader take(Place&);

  Channel& channel_;
  ClientOptions options_;
  Limits limits_;
  std::uint16_t minor_ = 0;
  std::string server_;
  SessionKey key_{};
  bool open_ = false;
  std::uint64_t next_ = 1, repeated_ = 0, malformed_ = 0;
  std::vector<Place> window_;
  int unreadable_ = 0;  // rounds of repeats without a reply in which the server could not read
  bool told_ = false;   // in this round
  Time repeat_at_{};
  std::chrono::milliseconds repeat_after_{};
  EnvelopeWriter writer_;
  EnvelopeReader reader_, taken_;
  Bytes taken_bytes_;
};

}  // namespace park::bridge
