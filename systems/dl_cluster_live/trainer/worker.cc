// One task of a run. Workers of an all-reduce keep the same parameters: every step adds up their
// gradients, and with them a flag, so that all stop after the same step. The first worker reports
// and writes checkpoints. Where there are servers, each keeps a part of the parameters; a worker
// sends it the gradient of that part and gets the parameters back. The trainer forks the process
// and calls work.
#include "systems/dl_cluster_live/trainer/worker.h"

#include <ATen/Parallel.h>
#include <sched.h>
#include <sys/socket.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <exception>
#include <memory>
#include <string>
#include <torch/csrc/distributed/c10d/FileStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <vector>

#include "systems/dl_cluster_live/checkpoint.h"
#include "systems/dl_cluster_live/trainer/model.h"

namespace park::dl_cluster_live {
namespace {

constexpr double kRate = 0.01;  // of gradient descent

volatile std::sig_atomic_t g_stop = 0;

double clock_of(clockid_t id) {
  timespec t{};
  clock_gettime(id, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::unique_ptr<c10d::ProcessGroupGloo> join(const Order& order, std::int32_t rank) {
  const std::string meeting =
      std::string(order.folder.data()) + "/meeting." + std::to_string(order.run);
  const int size = order.workers + order.servers;
  auto options = c10d::ProcessGroupGloo::Options::create(
      std::chrono::milliseconds(static_cast<std::int64_t>(order.timeout_s * 1e3)));
  options->devices.push_back(c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1"));
  options->threads = 1;
  return std::make_unique<c10d::ProcessGroupGloo>(
      c10::make_intrusive<c10d::FileStore>(meeting, size), rank, size, options);
}

class Task {
 public:
  Task(const Order& order, std::int32_t rank)
      : order_(order),
        rank_(rank),
        folder_(order.folder.data()),
        model_(make_model(order.kind, order.seed)),
        flat_(model_->parameters()) {
    restore();
    if (order.workers + order.servers > 1) group_ = join(order, rank);
    if (rank_ == 0) say(ReportWhat::started);
    reported_s_ = written_s_ = monotonic_s();
  }

  void all_reduce() {
    const std::int64_t n = flat_.numel();
    at::Tensor sum = at::zeros({n + 1});
    const at::Tensor gradient = sum.narrow(0, 0, n);
    bool stop = false;
    while (step_ < order_.steps && !stop) {
      model_->gradient(step_, rank_, order_.workers, gradient);
      sum[n] = g_stop != 0 ? 1.0F : 0.0F;
      if (group_) add_up(sum);
      stop = sum[n].item<float>() > 0;
      descend(flat_, gradient);
      done_step();
    }
    if (rank_ != 0) return outlast_first();
    write();
    say(step_ < order_.steps ? ReportWhat::stopped : ReportWhat::finished);
  }

  void serve(std::int32_t server) {
    at::Tensor part = part_of(flat_, server);
    at::Tensor sum = at::empty_like(part), one = at::empty_like(part);
    for (; step_ < order_.steps; ++step_) {
      sum.zero_();
      for (std::int32_t w = 0; w < order_.workers; ++w) {
        std::vector<at::Tensor> from{one};
        group_->recv(from, w, 0)->wait();
        sum.add_(one);
      }
      descend(part, sum);
      std::vector<at::Tensor> to{part};
      for (std::int32_t w = 0; w < order_.workers; ++w) group_->send(to, w, 1)->wait();
    }
  }

  void use_servers() {
    const at::Tensor gradient = at::zeros_like(flat_);
    while (step_ < order_.steps) {
      model_->gradient(step_, rank_, order_.workers, gradient);
      for (std::int32_t s = 0; s < order_.servers; ++s) {
        std::vector<at::Tensor> to{part_of(gradient, s)};
        group_->send(to, order_.workers + s, 0)->wait();
      }
      for (std::int32_t s = 0; s < order_.servers; ++s) {
        std::vector<at::Tensor> from{part_of(flat_, s)};
        group_->recv(from, order_.workers + s, 1)->wait();
      }
      done_step();
    }
    if (rank_ == 0) say(ReportWhat::finished);
  }

 private:
  /// The part of a row of parameters that a server keeps.
  [[nodiscard]] at::Tensor part_of(const at::Tensor& row, std::int32_t server) const {
    const std::int64_t n = row.numel(), begin = n * server / order_.servers;
    return row.narrow(0, begin, n * (server + 1) / order_.servers - begin);
  }

  void add_up(at::Tensor& sum) {
    std::vector<at::Tensor> all{sum};
    group_->allreduce(all)->wait();
  }

  /// The first worker may still be reading what this one sent, and a process that ends may take that
  /// back. So it waits for what never comes, until the first worker ends and with it the group.
  void outlast_first() {
    try {
      std::vector<at::Tensor> from{at::zeros({1})};
      group_->recv(from, 0, 2)->wait();
    } catch (const std::exception&) {
      return;
    }
  }

  static void descend(at::Tensor& parameters, const at::Tensor& gradient) {
    const at::NoGradGuard guard;
    parameters.sub_(gradient, kRate);
  }

  void restore() {
    const auto from = read_checkpoint(folder_);
    if (!from) return;
    if (from->kind != order_.kind || from->seed != order_.seed ||
        from->parameters.size() != static_cast<std::size_t>(flat_.numel()))
      throw std::runtime_error("the checkpoint is that of another job");
    const at::NoGradGuard guard;
    std::copy(from->parameters.begin(), from->parameters.end(), flat_.data_ptr<float>());
    step_ = from->step;
  }

  void done_step() {
    ++step_;
    if (rank_ != 0) return;
    const double now_s = monotonic_s();
    if (now_s - reported_s_ >= order_.report_s) {
      reported_s_ = now_s;
      say(ReportWhat::progress);
    }
    if (order_.servers == 0 && now_s - written_s_ >= order_.checkpoint_s) {
      written_s_ = now_s;
      write();
    }
  }

  void write() const {
    write_checkpoint(folder_, order_.run, {.kind = order_.kind, .seed = order_.seed, .step = step_},
                     {flat_.data_ptr<float>(), static_cast<std::size_t>(flat_.numel())});
  }

  void say(ReportWhat what) const {
    tell({.what = what,
          .run = order_.run,
          .rank = rank_,
          .step = step_,
          .time_s = monotonic_s(),
          .cpu_s = clock_of(CLOCK_THREAD_CPUTIME_ID)});
  }

  const Order& order_;
  std::int32_t rank_;
  std::string folder_;
  std::unique_ptr<Model> model_;
  at::Tensor flat_;  // the model's parameters
  std::unique_ptr<c10d::ProcessGroupGloo> group_;
  std::int64_t step_ = 0;
  double reported_s_ = 0, written_s_ = 0;
};

void pin(std::int32_t cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  sched_setaffinity(0, sizeof set, &set);
}

}  // namespace

double monotonic_s() { return clock_of(CLOCK_MONOTONIC); }

void tell(const Report& report) {
  const int flags = MSG_NOSIGNAL | (report.what == ReportWhat::progress ? MSG_DONTWAIT : 0);
  static_cast<void>(send(kSocket, &report, sizeof report, flags));
}

void stop_on_term() {
  struct sigaction action {};
  action.sa_handler = [](int) { g_stop = 1; };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGTERM, &action, nullptr);
}

int work(const Order& order, std::int32_t rank) {
  try {
    if (order.pinned != 0) pin(order.cpus[static_cast<std::size_t>(rank)]);
    at::set_num_threads(1);
    Task task(order, rank);
    if (rank >= order.workers)
      task.serve(rank - order.workers);
    else if (order.servers > 0)
      task.use_servers();
    else
      task.all_reduce();
    // Threads of Gloo are still there: the caller ends the process without waiting for them.
    static_cast<void>(std::fflush(nullptr));
    return 0;
  } catch (const std::exception& e) {
    static_cast<void>(std::fprintf(stderr, "run %d, task %d: %s\n", order.run, rank, e.what()));
    return 1;
  }
}

}  // namespace park::dl_cluster_live
