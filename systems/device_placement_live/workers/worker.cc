// One device. Data: its operations with the inputs that they still miss, those that are ready by their
// place, and tensors that came with the time at which their link lets them go. It runs the ready operation
// of the least place until a deadline on the monotonic clock, hands its tensors to operations here, and
// sends them to other workers with a release time: when the emulated link has carried them. Deadlines
// follow from begins and not from when the sleeper woke, so that late wakes do not add up.
#include "systems/device_placement_live/workers/worker.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <ctime>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <stdexcept>
#include <utility>

namespace park::device_placement_live {
namespace {

/// A tensor on a socket.
struct Message {
  std::int32_t first_edge = 0, last_edge = 0;  // its edges, to this device and to others
  double release_s = 0;
  Tensor tensor{};  // kind compute alone
};
constexpr std::size_t kHeader = offsetof(Message, tensor);
constexpr double kNever = std::numeric_limits<double>::infinity();

void sleep_until(double time_s) {
  timespec until{};
  until.tv_sec = static_cast<time_t>(time_s);
  until.tv_nsec = static_cast<long>((time_s - std::floor(time_s)) * 1e9);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

class Worker {
 public:
  Worker(const Step& step, std::int32_t device, const std::array<int, kMostDevices>& peers)
      : step_(step),
        device_(device),
        peers_(peers),
        missing_(step.operations.size(), 0),
        first_(step.operations.size() + 1, 0),
        ready_s_(step.operations.size(), 0) {
    for (const EdgeOrder& e : step.edges) ++missing_[at(e.to)], ++first_[at(e.from) + 1];
    for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
    if (computes()) made_.resize(step.operations.size());
    for (const OperationOrder& o : step.operations) left_ += o.device == device ? 1 : 0;
  }

  void run(double begin_s, WorkerResult& result) {
    free_s_ = begin_s;
    for (std::size_t i = 0; i < missing_.size(); ++i)
      if (missing_[i] == 0 && here(i)) make_ready(i, begin_s);
    sleep_until(begin_s);
    while (left_ > 0) {
      receive(0);
      release(monotonic_s());
      if (ready_.empty())
        wait();
      else
        run_next(result);
    }
    result.end_s = std::max(result.end_s, begin_s);
  }

 private:
  struct Later {
    bool operator()(const Message& a, const Message& b) const { return a.release_s > b.release_s; }
  };

  [[nodiscard]] bool computes() const { return step_.order.kind == OrderKind::compute; }
  [[nodiscard]] bool here(std::size_t node) const {
    return step_.operations[node].device == device_;
  }

  void make_ready(std::size_t node, double time_s) {
    ready_s_[node] = time_s;
    const std::int64_t key = step_.order.fifo != 0 ? arrivals_++ : step_.operations[node].place;
    ready_.emplace(key, node);
  }

  /// The first in order of those that were ready when the device could begin: a late wake knows of
  /// more.
  std::size_t take_next() {
    double could_s = kNever;
    for (const auto& [key, node] : ready_) could_s = std::min(could_s, ready_s_[node]);
    could_s = std::max(could_s, free_s_);
    const auto next = std::ranges::find_if(
        ready_, [&](const auto& one) { return ready_s_[one.second] <= could_s; });
    const std::size_t node = next->second;
    ready_.erase(next);
    return node;
  }

  void run_next(WorkerResult& result) {
    const std::size_t node = take_next();
    const double begin_s = std::max(free_s_, ready_s_[node]);
    double end_s = begin_s + step_.operations[node].cost_s;
    if (computes()) {
      compute(node, result);
      end_s = monotonic_s();
    } else {
      sleep_until(end_s);
    }
    free_s_ = end_s;
    result.end_s = monotonic_s();
    --left_;
    hand_on(node, end_s);
  }

  /// The inputs are added up by the number of their operation, so that the order of arrival does not
  /// count.
  void compute(std::size_t node, WorkerResult& result) {
    Tensor x{};
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>((i * 31 + node * 17) % 61) / 61 - 0.5f;
    for (const auto& [from, tensor] : made_[node])
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += tensor[i];
    made_[node].clear();
    run_kernels(static_cast<int>(node), step_.operations[node].kernels, x);
    output_ = x;
    std::uint64_t sum = 0xcbf29ce484222325u ^ node;
    for (const float v : x) {
      std::uint32_t bits = 0;
      std::copy_n(reinterpret_cast<const char*>(&v), sizeof bits, reinterpret_cast<char*>(&bits));
      sum = (sum ^ bits) * 0x100000001b3u;
    }
    result.outputs += sum;  // of all operations, in any order
  }

  /// The tensors of an operation: to operations here, and once to each other device.
  void hand_on(std::size_t node, double now_s) {
    for (std::size_t first = first_[node], end = first_[node + 1]; first < end;) {
      std::size_t last = first + 1;
      while (last < end && step_.edges[last].tensor == step_.edges[first].tensor) ++last;
      std::set<std::int32_t> sent;
      for (std::size_t e = first; e < last; ++e) {
        const std::int32_t to = step_.operations[at(step_.edges[e].to)].device;
        if (to == device_)
          take(e, now_s, output_);
        else if (sent.insert(to).second)
          send(to, e, first, last, now_s);
      }
      first = last;
    }
  }

  void send(std::int32_t to, std::size_t edge, std::size_t first, std::size_t last, double now_s) {
    double& link_free_s = link_free_s_[at(to)];
    link_free_s = std::max(link_free_s, now_s) + step_.edges[edge].transfer_s;
    const std::size_t link = at(device_) * at(step_.order.devices) + at(to);
    Message m;
    m.first_edge = static_cast<std::int32_t>(first);
    m.last_edge = static_cast<std::int32_t>(last);
    m.release_s = link_free_s + step_.links[link].latency_s;
    if (computes()) m.tensor = output_;
    const std::size_t bytes = computes() ? sizeof m : kHeader;
    while (::send(peers_[at(to)], &m, bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) {
      if (errno != EAGAIN && errno != EINTR) throw std::runtime_error("a peer is gone");
      receive(1);  // so that two full sockets do not wait for one another
    }
  }

  void take(std::size_t edge, double time_s, const Tensor& tensor) {
    const EdgeOrder& e = step_.edges[edge];
    const std::size_t node = at(e.to);
    if (computes()) made_[node][{e.from, e.tensor}] = tensor;
    ready_s_[node] = std::max(ready_s_[node], time_s);
    if (--missing_[node] == 0) make_ready(node, ready_s_[node]);
  }

  /// Takes what has come; waits for so many milliseconds for the first message.
  void receive(int most_ms) {
    std::array<pollfd, kMostDevices> all{};
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = {peers_[d], POLLIN, 0};  // -1 is left out
    if (poll(all.data(), all.size(), most_ms) <= 0) return;
    for (std::size_t d = 0; d < all.size(); ++d) {
      Message m;
      while (all[d].revents != 0 &&
             ::recv(all[d].fd, &m, sizeof m, MSG_DONTWAIT) >= static_cast<ssize_t>(kHeader))
        on_the_way_.push(m);
      // One that is done needs nothing any more; one that was killed ends the step for all.
      if ((all[d].revents & POLLHUP) != 0) peers_[d] = -1;
    }
  }

  void release(double now_s) {
    while (!on_the_way_.empty() && on_the_way_.top().release_s <= now_s) {
      const Message m = on_the_way_.top();
      on_the_way_.pop();
      for (std::int32_t e = m.first_edge; e < m.last_edge; ++e)
        if (here(at(step_.edges[at(e)].to))) take(at(e), m.release_s, m.tensor);
    }
  }

  /// Nothing is ready: until a tensor may go, or one comes.
  void wait() {
    const double next_s = on_the_way_.empty() ? kNever : on_the_way_.top().release_s;
    const double left_ms = (next_s - monotonic_s()) * 1e3;
    if (left_ms < 1) {
      if (left_ms > 0) sleep_until(next_s);
      return;
    }
    receive(static_cast<int>(std::min(left_ms, 50.0)));
  }

  const Step& step_;
  std::int32_t device_;
  std::array<int, kMostDevices> peers_;
  std::vector<std::int32_t> missing_;
  std::vector<std::size_t> first_;  // [operations + 1] of edges
  std::vector<double> ready_s_;
  std::set<std::pair<std::int64_t, std::size_t>> ready_;  // by place or by arrival
  std::priority_queue<Message, std::vector<Message>, Later> on_the_way_;
  std::vector<std::map<std::pair<std::int32_t, std::int32_t>, Tensor>> made_;  // inputs of each
  Tensor output_{};
  std::array<double, kMostDevices> link_free_s_{};
  double free_s_ = 0;
  std::int64_t arrivals_ = 0;
  std::size_t left_ = 0;
};

}  // namespace

double monotonic_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void run_worker(const Step& step, std::int32_t device, const std::array<int, kMostDevices>& peers,
                double begin_s, WorkerResult& result) {
  Worker(step, device, peers).run(begin_s, result);
}

}  // namespace park::device_placement_live
