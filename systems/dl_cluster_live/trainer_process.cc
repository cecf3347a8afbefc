#include "systems/dl_cluster_live/trainer_process.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "park/core/data_path.h"
#include "park/core/error.h"

namespace park::dl_cluster_live {
namespace {

constexpr std::chrono::seconds kReady{120};  // loading LibTorch on a busy machine
constexpr std::chrono::milliseconds kLookForStop{50};

/// Libraries of matrices use one thread: a task has one core.
std::vector<std::string> one_thread_each() {
  std::vector<std::string> all;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string one(*at);
    if (!one.starts_with("OMP_") && !one.starts_with("OPENBLAS_") && !one.starts_with("MKL_"))
      all.push_back(one);
  }
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"})
    all.push_back(std::string(name) + "=1");
  return all;
}

std::filesystem::path trainer_program() {
  std::filesystem::path path = library_dir() / kTrainerProgram;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw Error(Errc::unavailable, "the training of jobs is not available: there is no " +
                                       path.string() +
                                       "; build Park with LibTorch and PARK_AGENTS=ON");
  return path;
}

}  // namespace

TrainerProcess::TrainerProcess(const std::filesystem::path& folder, const std::stop_token& stop) {
  const std::filesystem::path program = trainer_program();
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    throw Error(Errc::io, std::string("no socket for the trainer: ") + std::strerror(errno));
  socket_ = ends[0];
  try {
    child_ = std::make_unique<process::Child>(std::vector<std::string>{program.string()},
                                              one_thread_each(), folder / "trainer.log", ends[1]);
  } catch (...) {
    close(ends[1]);
    close_socket();
    throw;
  }
  close(ends[1]);
  const auto until = std::chrono::steady_clock::now() + kReady;
  std::optional<Report> first;
  while (!first && !gone_ && !stop.stop_requested() && std::chrono::steady_clock::now() < until)
    first = next(kLookForStop);
  if (stop.stop_requested() || (first && first->status == kMessageVersion)) return;
  const std::string said = tail();
  close_socket();
  throw Error(Errc::unavailable,
              first ? program.string() + " is of another build of Park"
                    : program.string() + " is not ready; the end of what it said:\n" + said);
}

TrainerProcess::~TrainerProcess() { close_socket(); }

void TrainerProcess::close_socket() {
  if (socket_ >= 0) close(socket_);
  socket_ = -1;
}

void TrainerProcess::send(const Order& order) const {
  static_cast<void>(::send(socket_, &order, sizeof order, MSG_NOSIGNAL));
}

std::optional<Report> TrainerProcess::next(std::chrono::milliseconds most) {
  pollfd one{socket_, POLLIN, 0};
  if (gone_ || poll(&one, 1, static_cast<int>(most.count())) <= 0) return {};
  Report report;
  const ssize_t n = recv(socket_, &report, sizeof report, 0);
  if (n == static_cast<ssize_t>(sizeof report)) return report;
  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN)) gone_ = true;
  return {};
}

}  // namespace park::dl_cluster_live
