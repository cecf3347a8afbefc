#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace park::bridge {

/// What goes between a server and a session's process, each with bytes behind it.
struct PipeMessage {
  enum class Kind : std::uint32_t {
    request,  ///< bytes: an envelope
    retract,  ///< as Service has it; its reply is a text
    reply,    ///< bytes: an envelope
    failed,   ///< code: of Failed; bytes: its text
    error,    ///< code: of Error; bytes: its text
    broken,   ///< bytes: the text of another exception
  };
  Kind kind = Kind::request;
  std::uint32_t code = 0;
  std::uint64_t bytes = 0;
  std::uint64_t owned = 0;  ///< of an answer: what the session has allocated and not freed
};

/// One end of a pair of connected sockets, which it closes. One thread.
class Pipe {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class Outcome { done, closed, late };

  explicit Pipe(int socket) noexcept : socket_(socket) {}
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  /// `until` nothing: as long as the other end is open.
  [[nodiscard]] Outcome write(PipeMessage, std::span<const std::byte>, std::optional<Time> until);
  /// More than `most_bytes` count as closed.
  [[nodiscard]] Outcome read(PipeMessage&, std::vector<std::byte>&, std::uint64_t most_bytes,
                             std::optional<Time> until);

 private:
  [[nodiscard]] Outcome wait(short events, std::optional<Time> until) const;
  [[nodiscard]] Outcome write_all(std::span<const std::byte>, std::optional<Time> until) const;
  [[nodiscard]] Outcome read_all(std::span<std::byte>, std::optional<Time> until) const;

  int socket_;
};

}  // namespace park::bridge
