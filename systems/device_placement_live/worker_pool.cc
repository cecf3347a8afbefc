#include "systems/device_placement_live/worker_pool.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "park/core/data_path.h"
#include "park/core/error.h"

namespace park::device_placement_live {
namespace {

constexpr int kLookMs = 50;

std::vector<std::string> one_thread() {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string one(*at);
    if (!one.starts_with("OMP_") && !one.starts_with("OPENBLAS_")) all.push_back(one);
  }
  all.emplace_back("OMP_NUM_THREADS=1");
  all.emplace_back("OPENBLAS_NUM_THREADS=1");
  return all;
}

std::filesystem::path program() {
  std::filesystem::path path = library_dir() / kWorkersProgram;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error(Errc::unavailable, "the workers of a placement are not available: there is no " +
                                       path.string() +
                                       "; build Park with LibTorch and PARK_AGENTS=ON");
  return path;
}

std::filesystem::path scratch_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "park-placement-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Error(Errc::io, "no folder in " + name);
  return name;
}

}  // namespace

WorkerPool::WorkerPool(std::stop_token stop) : stop_(std::move(stop)) {
  const std::filesystem::path path = program();
  folder_ = scratch_folder();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(Errc::io, std::string("no socket for workers: ") + std::strerror(errno));
  socket_ = ends[0];
  try {
    child_ = std::make_unique<process::Child>(std::vector<std::string>{path.string()}, one_thread(),
                                              folder_ / "workers.log", ends[1]);
  } catch (...) {
    close(ends[1]);
    close(socket_);
    throw;
  }
  close(ends[1]);
  if (read().status != kOrderVersion) fail("the program of workers is of another build of Park");
}

WorkerPool::~WorkerPool() {
  close(socket_);
  child_.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void WorkerPool::fail(const std::string& why) const {
  throw Error(Errc::unavailable, "device_placement_live: " + why);
}

void WorkerPool::write(const void* from, std::size_t bytes) {
  const auto* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t n = ::send(socket_, at, bytes, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      fail("the program of workers has ended; the end of what it said:\n" + child_->tail());
    at += n, bytes -= static_cast<std::size_t>(n);
  }
}

StepReport WorkerPool::read() {
  StepReport report;
  auto* at = reinterpret_cast<char*>(&report);
  for (std::size_t have = 0; have < sizeof report;) {
    if (stop_.stop_requested()) fail("stopped");
    pollfd one{socket_, POLLIN, 0};
    if (poll(&one, 1, kLookMs) <= 0) continue;
    const ssize_t n = ::recv(socket_, at + have, sizeof report - have, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      fail("the program of workers has ended; the end of what it said:\n" + child_->tail());
    have += static_cast<std::size_t>(n);
  }
  return report;
}

StepReport WorkerPool::run(const Order& order) {
  write(&order.head, sizeof order.head);
  const auto send = [this](const auto& list) {
    if (!list.empty()) write(list.data(), list.size() * sizeof list[0]);
  };
  send(order.operations);
  send(order.edges);
  send(order.links);
  const StepReport report = read();
  if (report.failed_device >= 0)
    fail("the worker of device " + std::to_string(report.failed_device) + " ended with status " +
         std::to_string(report.status));
  return report;
}

}  // namespace park::device_placement_live
