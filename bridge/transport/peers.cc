// Connections by descriptor. ZeroMQ's monitor tells when one begins and ends, and every message the
// descriptor that it came by. look notes how much each connection has sent; the owner then takes
// all whole messages; drained judges: what a connection has sent beside them is a message that has
// not ended. Where messages come faster than they are taken, they wait and count too. A process
// that has not worked has received nothing, so that an idle server looks at nothing. Server's loop
// calls it.
#include "bridge/transport/peers.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <limits>
#include <optional>
#include <utility>

#include "bridge/session/memory.h"
#include "bridge/transport/under_way.h"
#include "bridge/transport/zmq_options.h"

namespace park::bridge {
namespace {

constexpr std::chrono::milliseconds kNextLook{20};
// ZeroMQ receives at most some MB in this time.
constexpr std::chrono::milliseconds kLittleWork{1};
constexpr const char* kKeyProperty = "User-Id";  // that AllowList gives
// After so long connections are judged though whole messages are still waiting.
constexpr std::chrono::milliseconds kLongestDrain{500};

// Descriptors that connections leave to the files of environments and policies.
constexpr rlim_t kSpare = 8;

/// Whether a descriptor is one of the last: the kernel gives the least that is free.
bool is_spare(int fd) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
         static_cast<rlim_t>(fd) + kSpare >= limit.rlim_cur;
}

std::chrono::nanoseconds work_of_process() noexcept {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

Peers::Peers(zmq::context_t& context, zmq::socket_t& router, std::uint64_t most_bytes,
             Allowed allowed)
    : router_(router),
      events_(context, zmq::socket_type::pair),
      most_bytes_(most_bytes),
      allowed_(std::move(allowed)) {
  static std::atomic<std::uint64_t> number{0};
  const std::string at = "inproc://peers" + std::to_string(number++);
  monitor(router_, at, ZMQ_EVENT_ACCEPTED | ZMQ_EVENT_ACCEPT_FAILED | ZMQ_EVENT_DISCONNECTED);
  events_.set(zmq::sockopt::linger, 0);
  events_.set(zmq::sockopt::rcvhwm, 0);  // ZeroMQ's thread would wait where there is no room
  connect_to(events_, at);
  events_fd_ = events_.get(zmq::sockopt::fd);
  take_events();  // ZeroMQ signals events only to a reader that has found none
  reserve();
}

Peers::~Peers() {
  zmq_socket_monitor(router_.handle(), nullptr, 0);
  if (reserve_ >= 0) ::close(reserve_);
}

void Peers::reserve() {
  if (reserve_ < 0) reserve_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void Peers::accepted(int fd) {
  Peer& peer = peers_[fd] = Peer{};
  reserve();  // if that is possible, there are descriptors again
  if (reserve_ < 0 || is_spare(fd) || flooded_) end(fd, peer);
}

void Peers::disconnected(int fd) {
  const auto peer = peers_.extract(fd);
  if (!peer.empty()) routes_.erase(peer.mapped().route);
}

bool Peers::heard(zmq::message_t& part, const Bytes& route, std::optional<std::uint64_t> bytes) {
  const int fd = zmq_msg_get(part.handle(), ZMQ_SRCFD);
  auto found = peers_.find(fd);
  if (found == peers_.end()) {
    if (flooded_) return false;  // most likely what is left of a flood
    take_events();
    found = peers_.find(fd);
    if (found == peers_.end()) return !allowed_;  // it is over by now
  }
  Peer& peer = found->second;
  peer.heard = true;
  peer.counted = bytes.has_value();
  peer.mark += bytes.value_or(0);
  peer.bytes += bytes.value_or(0);
  ++peer.messages;
  if (peer.route.empty()) routes_.insert(peer.route = route);
  if (peer.ended) return false;
  if (!allowed_) return true;
  if (!peer.key.empty()) return true;
  const char* const key = zmq_msg_gets(part.handle(), kKeyProperty);
  peer.key = key == nullptr ? "" : key;
  if (is_allowed(peer)) return true;
  end(fd, peer);
  return false;
}

bool Peers::is_allowed(const Peer& peer) const { return !peer.key.empty() && allowed_(peer.key); }

std::vector<Bytes> Peers::check_keys() {
  std::vector<Bytes> routes;
  for (auto& [fd, peer] : peers_) {
    if (!allowed_ || is_allowed(peer)) continue;
    if (!peer.route.empty()) routes.push_back(peer.route);
    end(fd, peer);  // also one that has said nothing: who it is is not known, it may come again
  }
  return routes;
}

/// Without the option its peer could wait for a minute for room that never comes: the kernel would
/// keep the connection half open.
void Peers::end(int fd, Peer& peer) {
  peer.ended = true;
  ended_one_ = true;
  const linger reset{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset));
  ::shutdown(fd, SHUT_RDWR);
}

void Peers::take_events() {
  while (const std::optional<SocketEvent> event = receive_event(events_)) {
    const auto [kind, value] = *event;  // a descriptor, or why there is none
    if (kind == ZMQ_EVENT_ACCEPTED)
      accepted(value);
    else if (kind == ZMQ_EVENT_DISCONNECTED)
      disconnected(value);
    else if ((value == EMFILE || value == ENFILE) && reserve_ >= 0)
      ::close(std::exchange(reserve_, -1));
  }
}

std::chrono::milliseconds Peers::longest_wait() const noexcept {
  return peers_.empty() ? std::chrono::milliseconds::max() : kNextLook;
}

void Peers::look(Time now) {
  if (peers_.empty() || now < look_at_) return;
  look_at_ = now + kNextLook;
  reserve();
  if (looked_ && now >= judge_at_) {
    for (auto& [fd, peer] : peers_) look_at(fd, peer);
    judge(false);
  }
  if (looked_) return end_floods();
  if (ended_one_) {
    ended_one_ = false;
    give_back_memory(std::numeric_limits<std::uint64_t>::max());
  }
  const std::chrono::nanoseconds worked = work_of_process();
  if (worked - worked_ < kLittleWork) return;
  worked_ = worked;
  judge_at_ = now + kLongestDrain;
  looked_ = true;
  resident_ = 0;
  for (auto& [fd, peer] : peers_) {
    peer.heard = false;
    peer.messages = peer.bytes = 0;
    look_at(fd, peer);
  }
}

void Peers::look_at(int fd, Peer& peer) {
  peer.read = peer.ended ? 0 : bytes_read(fd).value_or(0);
  peer.mark = std::min(peer.mark, peer.read);
  if (under_way(peer) < kLargeMessage) {
    peer.resident = 0;
    return;
  }
  if (resident_ == 0) resident_ = resident_bytes();
  if (peer.resident == 0) peer.resident = resident_;
}

std::uint64_t Peers::under_way(const Peer& peer) noexcept {
  return peer.ended || peer.read < peer.mark ? 0 : peer.read - peer.mark;
}

/// A client has few messages under way, so that a large number of bytes is that of large ones.
bool Peers::floods(const Peer& peer) noexcept {
  constexpr std::uint64_t kSmall = 256;  // bytes of a message, on the average
  return peer.counted && peer.heard && under_way(peer) > kLargeMessage &&
         peer.bytes < kSmall * peer.messages;
}

void Peers::end_floods() {
  for (auto& [fd, peer] : peers_) {
    if (!peer.heard || peer.ended) continue;
    look_at(fd, peer);
    if (!floods(peer)) continue;
    end(fd, peer);
    flooded_ = true;
  }
}

/// Whole messages of one that was heard may wait. Where all are taken none does: what else was
/// read was greeting, handshake, heartbeats or the beginning of its next message.
void Peers::judge(bool all_taken) {
  if (!looked_) return;
  looked_ = false;
  if (all_taken) flooded_ = false;
  std::uint64_t all = 0, most = 0;
  int largest = -1;
  for (auto& [fd, peer] : peers_) {
    if (peer.heard && (all_taken || !peer.counted)) {
      peer.mark = std::max(peer.mark, peer.read);
      peer.resident = 0;
    }
    const std::uint64_t bytes = under_way(peer);
    if (bytes == 0) continue;
    all += bytes;
    const std::uint64_t messages = peer.heard ? kMessagesWaiting : 1;
    if (endless(bytes, most_bytes_, peer.resident, resident_, messages)) {
      end(fd, peer);
    } else if (bytes > most) {
      most = bytes;
      largest = fd;
    }
  }
  if (all > kMessagesWaiting * most_bytes_ && largest >= 0) end(largest, peers_[largest]);
}

}  // namespace park::bridge
