#include "park/judge/channel.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace park::judge {

Channel::~Channel() { close(socket_); }

Channel::Outcome Channel::wait(short events, Clock::time_point until) const {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return Outcome::late;
    pollfd one{.fd = socket_, .events = events, .revents = 0};
    if (poll(&one, 1, static_cast<int>(std::min<long long>(left, 60'000))) > 0)
      return Outcome::done;
  }
}

Channel::Outcome Channel::send(Frame kind, std::string_view body, Clock::time_point until) {
  const std::uint32_t header[2]{static_cast<std::uint32_t>(kind),
                                static_cast<std::uint32_t>(body.size())};
  out_.assign(reinterpret_cast<const char*>(header), kFrameHeader);
  out_.append(body);
  for (std::size_t at = 0; at < out_.size();) {
    const ssize_t n =
        ::send(socket_, out_.data() + at, out_.size() - at, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      at += static_cast<std::size_t>(n);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Outcome::closed;
    if (const Outcome ready = wait(POLLOUT, until); ready != Outcome::done) return ready;
  }
  return Outcome::done;
}

Channel::Outcome Channel::read_all(std::span<char> to, Clock::time_point until) const {
  while (!to.empty()) {
    const ssize_t n = recv(socket_, to.data(), to.size(), MSG_DONTWAIT);
    if (n > 0) {
      to = to.subspan(static_cast<std::size_t>(n));
      continue;
    }
    if (n == 0) return Outcome::closed;
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return Outcome::closed;
    if (const Outcome ready = wait(POLLIN, until); ready != Outcome::done) return ready;
  }
  return Outcome::done;
}

Channel::Outcome Channel::receive(Frame& kind, std::string& body, std::size_t most,
                                  Clock::time_point until) {
  std::uint32_t header[2]{};
  if (const Outcome o = read_all({reinterpret_cast<char*>(header), kFrameHeader}, until);
      o != Outcome::done)
    return o;
  if (header[1] > most) return Outcome::wrong;
  kind = static_cast<Frame>(header[0]);
  body.resize(header[1]);
  return read_all(body, until);
}

}  // namespace park::judge
