#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// ZMTP 3 (rfc.zeromq.org/spec/23) on plain sockets, so that a peer can also break its rules.
namespace park::siege {

using Clock = std::chrono::steady_clock;
using Time = Clock::time_point;
using Bytes = std::vector<std::byte>;
using Frames = std::vector<Bytes>;
using std::chrono::milliseconds;

/// What the program itself cannot do, such as connecting to a server that is not there.
class Trouble : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] Bytes bytes_of(std::string_view text);

/// The bytes of a connection over tcp or ipc. Every call ends at its deadline. One thread.
class Wire {
 public:
  /// Takes a descriptor of a connected socket.
  explicit Wire(int socket);
  ~Wire();
  Wire(Wire&& other) noexcept;
  Wire& operator=(Wire&& other) noexcept;

  /// Throws Trouble where nobody listens, or the endpoint is none.
  [[nodiscard]] static Wire connect(const std::string& endpoint, Time until);
  /// False: the connection is over, or the deadline passed before all was taken.
  bool send(std::span<const std::byte> bytes, Time until);
  /// What is there, at most the size of `into`; 0: the connection is over or the deadline passed.
  [[nodiscard]] std::size_t recv(std::span<std::byte> into, Time until);
  /// Whether the other side has ended the connection. Reads nothing.
  [[nodiscard]] bool over() const;
  /// How many bytes the kernel keeps for a reader that does not read.
  void receive_buffer(int bytes);
  /// Ends it by a reset in place of an orderly end.
  void reset();
  void close();

 private:
  int socket_ = -1;
};

/// Bits of a frame's first byte.
inline constexpr std::uint8_t kMore = 1, kLong = 2, kCommand = 4;

/// The 64 bytes that each side sends first.
[[nodiscard]] Bytes greeting(std::string_view mechanism = "NULL", std::uint8_t major = 3);
/// A frame; long ones have a length of 8 bytes. `claimed` is the length that it states.
[[nodiscard]] Bytes frame(std::uint8_t flags, std::span<const std::byte> body);
[[nodiscard]] Bytes frame_claiming(std::uint8_t flags, std::uint64_t claimed,
                                   std::span<const std::byte> body);
/// A command: its name and its data.
[[nodiscard]] Bytes command(std::string_view name, std::span<const std::byte> data);
/// The command READY of the mechanism NULL.
[[nodiscard]] Bytes ready(std::string_view socket_type, std::string_view identity = "");

/// A connection that speaks ZMTP with the mechanism NULL.
class Zmtp {
 public:
  explicit Zmtp(Wire wire) : wire_(std::move(wire)) {}
  /// Connects and shakes hands as a DEALER. Throws Trouble.
  [[nodiscard]] static Zmtp dealer(const std::string& endpoint, Time until);

  /// False: the other side is none of the protocol, or is late.
  [[nodiscard]] bool shake_hands(std::string_view socket_type, Time until);
  bool send(const Frames& message, Time until);
  bool send_raw(std::span<const std::byte> bytes, Time until) { return wire_.send(bytes, until); }
  /// The next message; answers PING. Nothing: the connection is over or the deadline passed.
  [[nodiscard]] std::optional<Frames> recv(Time until);
  [[nodiscard]] Wire& wire() noexcept { return wire_; }

 private:
  /// Reads until that many bytes are there.
  [[nodiscard]] bool fill(std::size_t bytes, Time until);
  void drop(std::size_t bytes);
  bool answer(std::span<const std::byte> body, Time until);

  Wire wire_;
  Bytes in_;
  std::size_t at_ = 0;  // of in_: what has been taken
  Frames message_;      // the parts so far
};

/// Accepts connections at an endpoint.
class Listener {
 public:
  /// tcp://127.0.0.1:PORT, with * for a free port, or ipc://PATH. Throws Trouble.
  explicit Listener(const std::string& endpoint);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  [[nodiscard]] const std::string& endpoint() const noexcept { return endpoint_; }
  [[nodiscard]] std::optional<Wire> accept(Time until);

 private:
  std::string endpoint_, path_;
  int socket_ = -1;
};

}  // namespace park::siege
