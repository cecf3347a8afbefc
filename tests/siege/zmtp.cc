// Sockets of the kernel without waiting calls: each call polls until its deadline. Above them the
// frames of ZMTP 3: a byte of flags, a length of 1 or 8 bytes (big end first), the body. Attacks
// use the functions that make bytes; canaries, evil servers and sessions use Zmtp.
#include "tests/siege/zmtp.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace park::siege {
namespace {

constexpr std::string_view kTcp = "tcp://", kIpc = "ipc://";

/// Waits for one of these events; false at the deadline.
bool wait_for(int socket, short events, Time until) {
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(until - Clock::now()).count();
    pollfd one{socket, events, 0};
    const int ready = poll(&one, 1, static_cast<int>(std::clamp<long>(left, 0, 3'600'000)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

/// An address of tcp or ipc.
struct Address {
  sockaddr_storage bytes{};
  socklen_t size = 0;
  int family = AF_INET;
};

Address address_of(const std::string& endpoint) {
  Address to;
  if (endpoint.starts_with(kIpc)) {
    auto* path = reinterpret_cast<sockaddr_un*>(&to.bytes);
    path->sun_family = AF_UNIX;
    const std::string name = endpoint.substr(kIpc.size());
    if (name.empty() || name.size() >= sizeof path->sun_path)
      throw Trouble("endpoint: \"" + endpoint + "\" has no path of 1 to 107 bytes");
    std::memcpy(path->sun_path, name.c_str(), name.size() + 1);
    to.size = sizeof(sockaddr_un);
    to.family = AF_UNIX;
    return to;
  }
  const std::size_t colon = endpoint.rfind(':');
  auto* net = reinterpret_cast<sockaddr_in*>(&to.bytes);
  net->sin_family = AF_INET;
  to.size = sizeof(sockaddr_in);
  std::string host = endpoint.substr(0, colon).substr(std::min(kTcp.size(), colon));
  if (host == "localhost") host = "127.0.0.1";
  const std::string port = endpoint.substr(colon + 1);
  const bool number = port == "*" || (!port.empty() && port.size() <= 5 &&
                                      port.find_first_not_of("0123456789") == std::string::npos);
  if (!endpoint.starts_with(kTcp) || !number ||
      inet_pton(AF_INET, host.c_str(), &net->sin_addr) != 1)
    throw Trouble("endpoint: \"" + endpoint +
                  "\" is none; allowed are tcp://A.B.C.D:PORT and ipc://PATH");
  net->sin_port = htons(static_cast<std::uint16_t>(port == "*" ? 0 : std::stoi(port)));
  return to;
}

int socket_for(const Address& address) {
  const int made = socket(address.family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (made < 0) throw Trouble(std::string("socket: ") + std::strerror(errno));
  return made;
}

std::uint64_t number_of(std::span<const std::byte> bytes) {
  std::uint64_t n = 0;
  for (const std::byte b : bytes) n = n << 8U | std::to_integer<std::uint64_t>(b);
  return n;
}

void append(Bytes& to, std::uint64_t number, unsigned bytes) {
  for (unsigned i = bytes; i-- > 0;) to.push_back(static_cast<std::byte>(number >> 8U * i & 255U));
}

void append(Bytes& to, std::string_view text) {
  for (const char c : text) to.push_back(static_cast<std::byte>(c));
}

}  // namespace

Bytes bytes_of(std::string_view text) {
  Bytes all;
  append(all, text);
  return all;
}

Wire::Wire(int socket) : socket_(socket) {
  const int one = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);  // no effect on ipc
}
Wire::~Wire() { close(); }
Wire::Wire(Wire&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
Wire& Wire::operator=(Wire&& other) noexcept {
  std::swap(socket_, other.socket_);
  return *this;
}

Wire Wire::connect(const std::string& endpoint, Time until) {
  const Address to = address_of(endpoint);
  for (;;) {
    Wire wire(socket_for(to));
    if (::connect(wire.socket_, reinterpret_cast<const sockaddr*>(&to.bytes), to.size) == 0)
      return wire;
    int error = errno;
    if (error == EINPROGRESS && wait_for(wire.socket_, POLLOUT, until)) {
      socklen_t size = sizeof error;
      getsockopt(wire.socket_, SOL_SOCKET, SO_ERROR, &error, &size);
      if (error == 0) return wire;
    }
    // A full queue of connections is a matter of time.
    if ((error != EAGAIN && error != EINPROGRESS) || Clock::now() >= until)
      throw Trouble(endpoint + ": " + std::strerror(error));
    poll(nullptr, 0, 1);
  }
}

bool Wire::send(std::span<const std::byte> bytes, Time until) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0)
      bytes = bytes.subspan(static_cast<std::size_t>(sent));
    else if (errno == EAGAIN && wait_for(socket_, POLLOUT, until))
      continue;
    else if (errno != EINTR)
      return false;
  }
  return true;
}

std::size_t Wire::recv(std::span<std::byte> into, Time until) {
  for (;;) {
    const ssize_t got = ::recv(socket_, into.data(), into.size(), 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno == EINTR) continue;
    if (errno != EAGAIN || !wait_for(socket_, POLLIN, until)) return 0;
  }
}

bool Wire::over() const {
  if (socket_ < 0) return true;
  std::byte one{};
  const ssize_t got = ::recv(socket_, &one, 1, MSG_PEEK);
  return got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
}

void Wire::receive_buffer(int bytes) {
  setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

void Wire::reset() {
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  close();
}

void Wire::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

Bytes greeting(std::string_view mechanism, std::uint8_t major) {
  Bytes all(10, std::byte{0});
  all.front() = std::byte{0xff};
  all[9] = std::byte{0x7f};
  all.push_back(std::byte{major});
  all.push_back(std::byte{1});
  append(all, mechanism.substr(0, 20));
  all.resize(64);
  return all;
}

Bytes frame_claiming(std::uint8_t flags, std::uint64_t claimed, std::span<const std::byte> body) {
  Bytes all;
  all.reserve(body.size() + 9);
  const bool is_long = claimed > 255;
  all.push_back(static_cast<std::byte>(flags | (is_long ? kLong : 0)));
  append(all, claimed, is_long ? 8 : 1);
  all.insert(all.end(), body.begin(), body.end());
  return all;
}

Bytes frame(std::uint8_t flags, std::span<const std::byte> body) {
  return frame_claiming(flags, body.size(), body);
}

Bytes command(std::string_view name, std::span<const std::byte> data) {
  Bytes body;
  append(body, name.size(), 1);
  append(body, name);
  body.insert(body.end(), data.begin(), data.end());
  return frame(kCommand, body);
}

Bytes ready(std::string_view socket_type, std::string_view identity) {
  Bytes data;
  for (const auto& [name, value] : std::array<std::pair<std::string_view, std::string_view>, 2>{
           {{"Socket-Type", socket_type}, {"Identity", identity}}}) {
    append(data, name.size(), 1);
    append(data, name);
    append(data, value.size(), 4);
    append(data, value);
  }
  return command("READY", data);
}

Zmtp Zmtp::dealer(const std::string& endpoint, Time until) {
  Zmtp made(Wire::connect(endpoint, until));
  if (!made.shake_hands("DEALER", until)) throw Trouble(endpoint + ": no handshake of ZMTP 3");
  return made;
}

bool Zmtp::shake_hands(std::string_view socket_type, Time until) {
  if (!wire_.send(greeting(), until) || !fill(64, until)) return false;
  if (in_[0] != std::byte{0xff} || in_[10] < std::byte{3}) return false;
  drop(64);
  if (!wire_.send(ready(socket_type), until) || !fill(2, until)) return false;
  const auto flags = std::to_integer<std::uint8_t>(in_[at_]);
  const std::size_t header = (flags & kLong) != 0 ? 9 : 2;
  if ((flags & kCommand) == 0 || !fill(header, until)) return false;
  const std::uint64_t size = number_of(std::span(in_).subspan(at_ + 1, header - 1));
  if (size > 4096 || !fill(header + size, until)) return false;
  drop(header + size);
  return true;
}

bool Zmtp::send(const Frames& message, Time until) {
  Bytes all;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const Bytes one = frame(i + 1 < message.size() ? kMore : 0, message[i]);
    all.insert(all.end(), one.begin(), one.end());
  }
  return wire_.send(all, until);
}

std::optional<Frames> Zmtp::recv(Time until) {
  for (;;) {
    if (!fill(2, until)) return {};
    const auto flags = std::to_integer<std::uint8_t>(in_[at_]);
    const std::size_t header = (flags & kLong) != 0 ? 9 : 2;
    if (!fill(header, until)) return {};
    const std::uint64_t size = number_of(std::span(in_).subspan(at_ + 1, header - 1));
    if (size > std::uint64_t{1} << 30 || !fill(header + size, until)) return {};
    const auto body = std::span(in_).subspan(at_ + header, size);
    if ((flags & kCommand) != 0) {
      if (!answer(body, until)) return {};
      drop(header + size);
      continue;
    }
    message_.emplace_back(body.begin(), body.end());
    drop(header + size);
    if ((flags & kMore) == 0) return std::exchange(message_, {});
  }
}

bool Zmtp::answer(std::span<const std::byte> body, Time until) {
  constexpr std::size_t kNameAndTtl = 7;
  if (body.size() < kNameAndTtl || body[1] != std::byte{'P'} || body[2] != std::byte{'I'})
    return true;
  return wire_.send(command("PONG", body.subspan(kNameAndTtl)), until);
}

bool Zmtp::fill(std::size_t bytes, Time until) {
  std::array<std::byte, 65536> block;
  while (in_.size() - at_ < bytes) {
    const std::size_t got = wire_.recv(block, until);
    if (got == 0) return false;
    in_.insert(in_.end(), block.begin(), block.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return true;
}

void Zmtp::drop(std::size_t bytes) {
  at_ += bytes;
  if (at_ < in_.size() && at_ < 1U << 16U) return;  // moved seldom
  in_.erase(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
}

Listener::Listener(const std::string& endpoint) : endpoint_(endpoint) {
  const Address at = address_of(endpoint);
  socket_ = socket_for(at);
  const int one = 1;
  setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  if (at.family == AF_UNIX) {
    path_ = endpoint.substr(kIpc.size());
    unlink(path_.c_str());
  }
  if (bind(socket_, reinterpret_cast<const sockaddr*>(&at.bytes), at.size) != 0 ||
      listen(socket_, 4096) != 0) {
    const std::string why = std::strerror(errno);
    ::close(socket_);
    throw Trouble("endpoint: " + endpoint + ": " + why);
  }
  if (at.family != AF_INET) return;
  sockaddr_in here{};
  socklen_t size = sizeof here;
  getsockname(socket_, reinterpret_cast<sockaddr*>(&here), &size);
  endpoint_ = endpoint.substr(0, endpoint.rfind(':') + 1) + std::to_string(ntohs(here.sin_port));
}

Listener::~Listener() {
  ::close(socket_);
  if (!path_.empty()) unlink(path_.c_str());
}

std::optional<Wire> Listener::accept(Time until) {
  if (!wait_for(socket_, POLLIN, until)) return {};
  const int got = accept4(socket_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (got < 0) return {};
  return Wire(got);
}

}  // namespace park::siege
