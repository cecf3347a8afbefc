// What the environment and a simulator process say to each other, over a socket: a head, then what
// follows it. Both are parts of one build on one machine, so numbers go as they are in memory.
#pragma once

#include <cstdint>

namespace park::circuit {

/// Separates the four sections of the text of a request. They are the lines of the netlist, names
/// of values at the operating point, the analysis over frequencies (nothing: none), and names of
/// its vectors. A line each.
inline constexpr char kSection = '\x1e';

/// Followed by `bytes` of text.
struct RequestHead {
  std::uint32_t bytes = 0;
  std::uint32_t limit_s = 0;  ///< the process ends itself after that time
};

enum class SpiceStatus : std::uint32_t {
  ok,
  refused,     ///< the simulator reported an error
  incomplete,  ///< a value is missing or is not finite
  quit,        ///< the simulator wanted to end the process, which then ends
};

/// Followed by `values` f64 and `bytes` of text, which says what is wrong. Values: those at the
/// operating point; the number of frequencies; the frequencies in Hz; real and imaginary part of
/// each vector at each.
struct ReplyHead {
  SpiceStatus status = SpiceStatus::ok;
  std::uint32_t values = 0;
  std::uint32_t bytes = 0;
};

/// The process has its socket there.
inline constexpr int kSpiceSocket = 3;
inline constexpr std::uint32_t kMostRequestBytes = 16u << 20;

}  // namespace park::circuit
