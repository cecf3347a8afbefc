#include "bridge/isolation/pipe.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace park::bridge {
namespace {

/// Milliseconds for poll; -1: without end.
int left_of(std::optional<Pipe::Time> until) {
  if (!until) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now());
  return static_cast<int>(
      std::clamp<std::int64_t>(left.count(), 0, std::numeric_limits<int>::max()));
}

bool may_try_again() { return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

Pipe::~Pipe() { close(socket_); }

Pipe::Outcome Pipe::wait(short events, std::optional<Time> until) const {
  for (;;) {
    pollfd item{socket_, events, 0};
    const int ready = poll(&item, 1, left_of(until));
    if (ready > 0) return Outcome::done;
    if (ready == 0) return Outcome::late;
    if (errno != EINTR) return Outcome::closed;
  }
}

Pipe::Outcome Pipe::write_all(std::span<const std::byte> bytes, std::optional<Time> until) const {
  while (!bytes.empty()) {
    const ssize_t n = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && !may_try_again()) return Outcome::closed;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    if (n > 0) continue;
    if (const Outcome waited = wait(POLLOUT, until); waited != Outcome::done) return waited;
  }
  return Outcome::done;
}

Pipe::Outcome Pipe::read_all(std::span<std::byte> bytes, std::optional<Time> until) const {
  while (!bytes.empty()) {
    const ssize_t n = recv(socket_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n == 0 || (n < 0 && !may_try_again())) return Outcome::closed;
    if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
    if (n > 0) continue;
    if (const Outcome waited = wait(POLLIN, until); waited != Outcome::done) return waited;
  }
  return Outcome::done;
}

Pipe::Outcome Pipe::write(PipeMessage message, std::span<const std::byte> bytes,
                          std::optional<Time> until) {
  message.bytes = bytes.size();
  const Outcome head = write_all(std::as_bytes(std::span(&message, 1)), until);
  return head == Outcome::done ? write_all(bytes, until) : head;
}

Pipe::Outcome Pipe::read(PipeMessage& message, std::vector<std::byte>& bytes,
                         std::uint64_t most_bytes, std::optional<Time> until) {
  const Outcome head = read_all(std::as_writable_bytes(std::span(&message, 1)), until);
  if (head != Outcome::done) return head;
  if (message.bytes > most_bytes) return Outcome::closed;
  bytes.resize(message.bytes);
  return read_all(bytes, until);
}

}  // namespace park::bridge
