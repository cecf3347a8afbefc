#include "bridge/transport/under_way.h"

#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

#include "bridge/session/memory.h"

namespace park::bridge {
namespace {

// Greeting, handshake, heartbeats, and what encryption adds to a message.
constexpr std::uint64_t kAroundMessage = std::uint64_t{1} << 20;
// What a process needs for other messages of the largest size meanwhile: their copies.
constexpr std::uint64_t kCopies = 2;
// Of more than half an hour.
constexpr std::uint64_t kHeartbeats = std::uint64_t{1} << 16;

}  // namespace

bool endless(std::uint64_t bytes, std::uint64_t most_bytes, std::uint64_t resident_then,
             std::uint64_t resident_now, std::uint64_t messages) noexcept {
  return bytes > messages * most_bytes + kAroundMessage ||
         (resident_then != 0 && resident_now > resident_then + bytes + kCopies * most_bytes);
}

std::optional<std::uint64_t> bytes_read(int fd) noexcept {
  tcp_info info{};
  socklen_t size = sizeof info;
  if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size) != 0) return {};
  if (size < offsetof(tcp_info, tcpi_bytes_received) + sizeof info.tcpi_bytes_received) return {};
  int unread = 0;
  if (ioctl(fd, SIOCINQ, &unread) != 0 || unread < 0) return {};
  return info.tcpi_bytes_received -
         std::min<std::uint64_t>(info.tcpi_bytes_received, static_cast<std::uint64_t>(unread));
}

/// CURVE puts each frame into a command: its name, a nonce, a code and the flags.
std::uint64_t wire_bytes(std::size_t frame, bool encrypted) noexcept {
  constexpr std::uint64_t kCurve = 33, kMostShort = 255, kShort = 2, kLong = 9;
  const std::uint64_t bytes = frame + (encrypted ? kCurve : 0);
  return bytes + (bytes <= kMostShort ? kShort : kLong);
}

void UnderWay::connected(int fd) noexcept {
  fd_ = fd;
  mark_ = read_ = resident_ = 0;
}

void UnderWay::heard(std::uint64_t bytes) noexcept {
  mark_ += bytes;
  if (fd_ >= 0) read_ = bytes_read(fd_).value_or(read_);
}

/// Greeting, handshake and heartbeats were read too.
void UnderWay::drained() noexcept {
  mark_ = std::max(mark_, read_);
  resident_ = 0;
}

std::uint64_t UnderWay::bytes() const noexcept {
  if (fd_ < 0) return 0;
  const std::uint64_t read = bytes_read(fd_).value_or(mark_);
  return read < mark_ ? 0 : read - mark_;
}

bool UnderWay::cut() noexcept { return bytes() > kHeartbeats && ::shutdown(fd_, SHUT_RDWR) == 0; }

bool UnderWay::too_large(std::uint64_t messages) noexcept {
  const std::uint64_t under_way = bytes();
  if (under_way < kLargeMessage) return false;
  const std::uint64_t resident = resident_bytes();
  if (resident_ == 0) resident_ = resident;
  return endless(under_way, most_bytes_, resident_, resident, messages);
}

}  // namespace park::bridge
