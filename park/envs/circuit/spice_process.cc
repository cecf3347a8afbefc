// The parent's side of a simulator process. start writes the program (worker_image.h) to a file in
// memory, runs it with one end of a pair of sockets, and waits for its first answer. run sends a
// request and receives what follows, each step with the same deadline. A fork of this program
// inherits the socket but not the process: owner_ tells whose it is. SpicePool owns these objects.
#include "park/envs/circuit/spice_process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "park/core/error.h"
#include "park/envs/circuit/worker_image.h"

namespace park::circuit {
namespace {

constexpr std::chrono::seconds kStart{20};
constexpr std::uint32_t kGraceS = 5;  // until a process that nobody waits for ends itself

[[noreturn]] void fail_start(const std::string& why) {
  throw Error(Errc::unavailable, "ngspice (libngspice0) cannot be used: " + why);
}

/// A file in memory with the program; shared by all processes that are started.
int program() {
  static const int file = [] {
    const std::span<const std::byte> image = worker_image();
    if (image.empty()) fail_start("this build was made without its headers (libngspice0-dev)");
    const int fd = memfd_create("park-ngspice", MFD_CLOEXEC);
    if (fd < 0) fail_start(std::strerror(errno));
    for (std::size_t at = 0; at < image.size();) {
      const ssize_t n = write(fd, image.data() + at, image.size() - at);
      if (n <= 0) fail_start(std::strerror(errno));
      at += static_cast<std::size_t>(n);
    }
    // Above the numbers that a child gives to its socket and its standard streams.
    const int high = fcntl(fd, F_DUPFD_CLOEXEC, 64);
    if (high < 0) fail_start(std::strerror(errno));
    close(fd);
    return high;
  }();
  return file;
}

/// What a simulator process needs of the environment of this one, in fixed memory.
class Surroundings {
 public:
  Surroundings() {
    const char* path = std::getenv("LD_LIBRARY_PATH");
    if (path == nullptr || std::strlen(path) + sizeof "LD_LIBRARY_PATH=" > path_.size()) return;
    std::snprintf(path_.data(), path_.size(), "LD_LIBRARY_PATH=%s", path);
    all_[3] = path_.data();
  }
  [[nodiscard]] char* const* get() noexcept { return all_.data(); }

 private:
  std::array<char, 4096> path_{};
  std::array<char, 16> locale_{"LC_ALL=C"};
  std::array<char, 24> threads_{"OMP_THREAD_LIMIT=1"}, home_{"HOME=/nonexistent"};
  std::array<char*, 5> all_{locale_.data(), threads_.data(), home_.data(), nullptr, nullptr};
};

pid_t spawn(int socket) {
  std::array<char, 32> path{}, name{"park-ngspice"};
  std::snprintf(path.data(), path.size(), "/proc/self/fd/%d", program());
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, socket, kSpiceSocket);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: Ctrl-C is for this program, which ends it.
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  std::array<char*, 2> words{name.data(), nullptr};
  Surroundings surroundings;
  pid_t pid = -1;
  const int problem =
      posix_spawn(&pid, path.data(), &files, &attributes, words.data(), surroundings.get());
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  errno = problem;
  return problem == 0 ? pid : -1;
}

}  // namespace

SpiceProcess::~SpiceProcess() { stop(); }

void SpiceProcess::stop() noexcept {
  if (socket_ >= 0) close(socket_);
  if (pid_ > 0 && owner_ == getpid()) {
    kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  socket_ = -1;
  pid_ = -1;
}

void SpiceProcess::start() {
  if (pid_ > 0 && owner_ == getpid() && runs_ < most_runs_) return;
  stop();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    fail_start(std::strerror(errno));
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  owner_ = getpid();
  runs_ = 0;
  socket_ = ends[0];
  pid_ = spawn(ends[1]);
  const int reason = errno;
  close(ends[1]);
  if (pid_ < 0) {
    stop();
    fail_start(std::strerror(reason));
  }
  SpiceReply hello;
  hello.failure = receive(std::chrono::steady_clock::now() + kStart, hello);
  if (hello.failure == Failure::none) return;
  stop();
  fail_start(hello.text.empty() ? "its process ends at once" : hello.text);
}

void SpiceProcess::run(const std::string& request, std::chrono::duration<double> deadline,
                       SpiceReply& reply) {
  start();
  ++runs_;
  reply.values.clear();
  reply.text.clear();
  const Time until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::steady_clock::duration>(deadline);
  const RequestHead head{static_cast<std::uint32_t>(request.size()),
                         static_cast<std::uint32_t>(deadline.count()) + kGraceS};
  reply.failure = send(&head, sizeof head, until);
  if (reply.failure == Failure::none) reply.failure = send(request.data(), request.size(), until);
  if (reply.failure == Failure::none) reply.failure = receive(until, reply);
  if (reply.failure >= Failure::quit) stop();
}

Failure SpiceProcess::receive(Time until, SpiceReply& reply) {
  ReplyHead head;
  if (const Failure f = receive(&head, sizeof head, until); f != Failure::none) return f;
  reply.values.resize(head.values);
  reply.text.resize(head.bytes);
  Failure f = receive(reply.values.data(), head.values * sizeof(double), until);
  if (f == Failure::none) f = receive(reply.text.data(), head.bytes, until);
  if (f != Failure::none) return f;
  switch (head.status) {
    case SpiceStatus::ok:
      return Failure::none;
    case SpiceStatus::refused:
      return Failure::refused;
    case SpiceStatus::incomplete:
      return Failure::incomplete;
    case SpiceStatus::quit:
      return Failure::quit;
  }
  return Failure::crashed;
}

bool SpiceProcess::wait_for(short events, Time until) const {
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    if (left.count() < 0) return false;
    pollfd look{socket_, events, 0};
    const int most_ms = static_cast<int>(std::min<std::int64_t>(left.count() + 1, 1'000'000));
    const int n = poll(&look, 1, most_ms);
    if (n > 0) return true;
    if (n < 0 && errno != EINTR) return true;  // what follows tells
  }
}

Failure SpiceProcess::receive(void* to, std::size_t bytes, Time until) const {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = recv(socket_, at, bytes, 0);
    if (n > 0) {
      at += n;
      bytes -= static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(POLLIN, until)) return Failure::deadline;
    } else {
      return Failure::crashed;
    }
  }
  return Failure::none;
}

Failure SpiceProcess::send(const void* from, std::size_t bytes, Time until) const {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::send(socket_, at, bytes, MSG_NOSIGNAL);
    if (n > 0) {
      at += n;
      bytes -= static_cast<std::size_t>(n);
    } else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
      if (!wait_for(POLLOUT, until)) return Failure::deadline;
    } else {
      return Failure::crashed;
    }
  }
  return Failure::none;
}

}  // namespace park::circuit
