#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace park::bridge {

/// Bytes that ZeroMQ has read from a connection; nothing for one that is not over TCP, or over.
[[nodiscard]] std::optional<std::uint64_t> bytes_read(int fd) noexcept;

// From so many bytes on a message under way is large: then the growth of the process counts.
constexpr std::uint64_t kLargeMessage = std::uint64_t{1} << 20;
/// Whether what is under way, of so many bytes, is more than `messages` of `most_bytes` can be.
/// Many small parts need more memory than their bytes. `resident_then` are the bytes of the process
/// when the message had become large (0: it has not), `resident_now` those of today.
[[nodiscard]] bool endless(std::uint64_t bytes, std::uint64_t most_bytes,
                           std::uint64_t resident_then, std::uint64_t resident_now,
                           std::uint64_t messages = 1) noexcept;

/// What a frame of so many bytes takes on its connection.
[[nodiscard]] std::uint64_t wire_bytes(std::size_t frame, bool encrypted) noexcept;

// So many messages of the largest size may wait to be taken.
constexpr std::uint64_t kMessagesWaiting = 8;

/// What ZeroMQ keeps of a client's connection: messages that wait, and parts of one without an end.
/// It bounds each part of a message, but not their number, and reads all that comes. As with Peers,
/// many small parts count by the growth of the process, and a Unix socket tells no bytes.
class UnderWay {
 public:
  /// A message may have `most_bytes`.
  explicit UnderWay(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  /// The connection's descriptor; -1: there is none.
  void connected(int fd) noexcept;
  /// A whole message was taken, of so many bytes on the connection.
  void heard(std::uint64_t bytes) noexcept;
  /// No other message waited after that one.
  void drained() noexcept;
  /// Ends the connection where more than heartbeats is kept; false: it did not.
  bool cut() noexcept;
  /// Whether it is more than so many messages may have. REQUIRES for one message that none is
  /// waiting, before the call and after it.
  [[nodiscard]] bool too_large(std::uint64_t messages) noexcept;

 private:
  [[nodiscard]] std::uint64_t bytes() const noexcept;

  std::uint64_t most_bytes_;
  int fd_ = -1;
  std::uint64_t mark_ = 0;      // bytes of what was taken, and of what is no message
  std::uint64_t read_ = 0;      // bytes read when the last whole message was taken
  std::uint64_t resident_ = 0;  // bytes of the process when the message had become large
};

}  // namespace park::bridge
