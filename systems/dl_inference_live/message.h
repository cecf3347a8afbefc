#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace park::inference {

/// A request is one part of a ZeroMQ message; the numbers are little-endian:
///     0   u32  0x464e4950 ("PINF")     4  u8  version 1     5  u8  Wish     6  u16  model
///     8   u64  id, the client's own   16  f32[]  a sample, or nothing for the server's own
/// A reply is one part, too:
///     0   u32  0x464e4950     4  u8  version 1     5  u8  Status     6  u16  batch
///     8   u64  id            16  u32  flags, 1: the batch was chosen by the server's own rule
///    20   f32  dispatch_s    24  f64  wait_s     32  f64  service_s     40  the result
/// The result is f32[] of a request that is done, else text.
enum class Wish : std::uint8_t {
  infer = 1,
  models = 2,  ///< JSON: the models and their latencies
  counts = 3,  ///< JSON: the server's counts
  table = 4,   ///< CSV: the latencies, as dl_inference reads them
};
enum class Status : std::uint8_t {
  done = 0,     ///< the request was served; of the other wishes: the text follows
  full = 1,     ///< rejected: the server has as many requests as it may have
  refused = 2,  ///< not a request; the text says why, in one line
  failed = 3,   ///< the model failed; likewise
};
constexpr std::size_t kRequestHead = 16, kReplyHead = 40;  ///< bytes before sample and result

struct Request {
  Wish wish = Wish::infer;
  std::uint16_t model = 0;
  std::uint64_t id = 0;
  std::span<const std::byte> sample{};  ///< of the message
};

struct Reply {
  Status status = Status::done;
  std::uint16_t batch = 0;
  std::uint64_t id = 0;
  bool own_rule = false;
  /// For which the device stood still before the batch while requests waited.
  float dispatch_s = 0;
  double wait_s = 0;     ///< from the arrival at the server to the start of the batch
  double service_s = 0;  ///< of the batch
  std::span<const std::byte> result{};
};

using MessageBytes = std::vector<std::byte>;
[[nodiscard]] MessageBytes write_request(const Request&);
[[nodiscard]] MessageBytes write_reply(const Reply&);
[[nodiscard]] MessageBytes write_text(Status, std::uint64_t id, const std::string& text);

/// Reads any bytes. Returns what is wrong with them in one line, or "". The id is read where there
/// is one. Spans point into the message.
[[nodiscard]] std::string read_request(std::span<const std::byte>, Request&);
/// False: it is no reply.
[[nodiscard]] bool read_reply(std::span<const std::byte>, Reply&);

/// The text of a result.
[[nodiscard]] std::string text_of(const Reply&);

}  // namespace park::inference
