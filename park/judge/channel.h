#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>

namespace park::judge {

/// What goes over the socket of a candidate's process. Numbers are little-endian. A frame is its
/// kind (u32), the length of its body (u32), and the body.
enum class Frame : std::uint32_t {
  confined = 1,   ///< from the runner: the rules hold; the candidate's code follows
  ready = 2,      ///< the code is loaded
  refused = 3,    ///< body: why it cannot be loaded
  questions = 4,  ///< to the candidate; body: u32 rows, then the rows (contract.h)
  answers = 5,    ///< body: u32 rows, then the answers
  hello = 6,      ///< to a runner of Python; body: what it needs
  no_rules = 7    ///< from the runner: the rules cannot be applied; body: why
};

inline constexpr std::size_t kFrameHeader = 8;

/// One end of a socket, which it closes. One thread.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Outcome : std::uint8_t { done, closed, late, wrong };

  explicit Channel(int socket) noexcept : socket_(socket) {}
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  [[nodiscard]] Outcome send(Frame, std::string_view body, Clock::time_point until);
  /// A body longer than `most` is wrong.
  [[nodiscard]] Outcome receive(Frame&, std::string& body, std::size_t most,
                                Clock::time_point until);

 private:
  [[nodiscard]] Outcome wait(short events, Clock::time_point until) const;
  [[nodiscard]] Outcome read_all(std::span<char>, Clock::time_point until) const;

  int socket_;
  std::string out_;
};

}  // namespace park::judge
