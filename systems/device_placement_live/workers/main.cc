// The program of workers: reads orders from its standard input, a stream socket, and forks a process for
// each device of a step. Sockets between all pairs of them are made before; what they leave behind is in
// shared memory. It computes nothing itself but kernels that it measures in a child, so a fork copies one
// thread. Workers die with it, and it dies with the supervisor (systems/process/child.h). A worker that
// fails ends its step: the others are killed, and the report names it.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "systems/device_placement_live/step_order.h"
#include "systems/device_placement_live/workers/kernel.h"
#include "systems/device_placement_live/workers/worker.h"

namespace park::device_placement_live {
namespace {

constexpr double kLeadS = 0.05;  // from the forks to the begin of a step
constexpr int kWorkerFailed = 70;
constexpr int kSocketBytes = 4 << 20;
constexpr int kMeasurements = 40, kKernelsOfOne = 20;

struct Shared {
  std::array<WorkerResult, kMostDevices> results{};
  double kernel_s = 0, spread = 0;
};

bool read_all(void* to, std::size_t bytes) {
  auto* at = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t n = read(STDIN_FILENO, at, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, bytes -= static_cast<std::size_t>(n);
  }
  return true;
}

template <class T>
bool read_list(std::vector<T>& to, std::int32_t count) {
  to.resize(static_cast<std::size_t>(count));
  return read_all(to.data(), to.size() * sizeof(T));
}

void tell(const StepReport& report) {
  if (write(STDIN_FILENO, &report, sizeof report) != static_cast<ssize_t>(sizeof report)) _exit(1);
}

/// The sockets of one step: [from][to], closed with it.
class Sockets {
 public:
  explicit Sockets(std::int32_t devices) : devices_(devices) {
    for (auto& row : ends_) row.fill(-1);
    for (std::int32_t a = 0; a < devices; ++a)
      for (std::int32_t b = a + 1; b < devices; ++b) {
        std::array<int, 2> pair{-1, -1};
        if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair.data()) != 0) _exit(1);
        for (const int end : pair) {
          setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSocketBytes, sizeof kSocketBytes);
          setsockopt(end, SOL_SOCKET, SO_RCVBUF, &kSocketBytes, sizeof kSocketBytes);
        }
        of(a)[static_cast<std::size_t>(b)] = pair[0];
        of(b)[static_cast<std::size_t>(a)] = pair[1];
      }
  }
  ~Sockets() { keep(-1); }
  Sockets(const Sockets&) = delete;
  Sockets& operator=(const Sockets&) = delete;

  /// Closes all but those of a device.
  void keep(std::int32_t device) {
    for (std::int32_t d = 0; d < devices_; ++d)
      if (d != device)
        for (int& end : of(d))
          if (end >= 0) close(std::exchange(end, -1));
  }
  std::array<int, kMostDevices>& of(std::int32_t device) {
    return ends_[static_cast<std::size_t>(device)];
  }

 private:
  std::int32_t devices_;
  std::array<std::array<int, kMostDevices>, kMostDevices> ends_{};
};

/// Forks; the child runs and ends.
template <class Run>
pid_t child(Run run) {
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  try {
    run();
    _exit(0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    _exit(kWorkerFailed);
  }
}

/// Waits for all; the first one that fails ends the others. REQUIRES that all were forked.
void wait_for(std::vector<pid_t> pids, StepReport& report) {
  for (std::size_t left = pids.size(); left > 0; --left) {
    int state = 0;
    pid_t ended = -1;
    do ended = waitpid(-1, &state, 0);
    while (ended < 0 && errno == EINTR);
    const int status = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    const auto found = std::find(pids.begin(), pids.end(), ended);
    if (found == pids.end()) continue;
    *found = -1;
    if (status == 0) continue;
    report.failed_device = static_cast<std::int32_t>(found - pids.begin());
    report.status = status;
    for (const pid_t other : pids)
      if (other > 0) kill(other, SIGKILL);
    for (std::size_t i = 1; i < left; ++i) waitpid(-1, &state, 0);
    return;
  }
}

StepReport run_step(const Step& step, Shared& shared) {
  shared = {};
  StepReport report;
  std::vector<pid_t> pids;
  const double begin_s = monotonic_s() + kLeadS;
  {
    Sockets sockets(step.order.devices);
    for (std::int32_t d = 0; d < step.order.devices; ++d)
      pids.push_back(child([&] {
        sockets.keep(d);
        run_worker(step, d, sockets.of(d), begin_s, shared.results[static_cast<std::size_t>(d)]);
      }));
  }
  wait_for(std::move(pids), report);
  double end_s = begin_s;
  for (std::int32_t d = 0; d < step.order.devices; ++d) {
    const WorkerResult& r = shared.results[static_cast<std::size_t>(d)];
    end_s = std::max(end_s, r.end_s);
    report.outputs += r.outputs;
  }
  report.step_s = end_s - begin_s;
  return report;
}

/// Times one kernel again and again.
StepReport measure_kernel(Shared& shared) {
  shared = {};
  StepReport report;
  wait_for({child([&] {
             Tensor x{};
             run_kernels(1, kKernelsOfOne, x);
             std::vector<double> times;
             for (int i = 0; i < kMeasurements; ++i) {
               const double begin_s = monotonic_s();
               run_kernels(1, kKernelsOfOne, x);
               times.push_back((monotonic_s() - begin_s) / kKernelsOfOne);
             }
             std::sort(times.begin(), times.end());
             const auto part = [&](double p) {
               return times[static_cast<std::size_t>(p * (kMeasurements - 1))];
             };
             shared.kernel_s = part(0.5);
             shared.spread = (part(0.9) - part(0.1)) / part(0.5);
           })},
           report);
  report.kernel_s = shared.kernel_s;
  report.spread = shared.spread;
  return report;
}

int run() {
  void* memory =
      mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return 1;
  Shared& shared = *new (memory) Shared;
  tell({.status = kOrderVersion});  // ready
  Step step;
  while (read_all(&step.order, sizeof step.order)) {
    if (step.order.version != kOrderVersion) return 1;
    if (step.order.kind == OrderKind::kernel) {
      tell(measure_kernel(shared));
      continue;
    }
    if (!read_list(step.operations, step.order.operations) ||
        !read_list(step.edges, step.order.edges) ||
        !read_list(step.links, step.order.devices * step.order.devices))
      return 1;
    tell(run_step(step, shared));
  }
  return 0;
}

}  // namespace
}  // namespace park::device_placement_live

int main() { return park::device_placement_live::run(); }
