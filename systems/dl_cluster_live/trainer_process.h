#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "systems/dl_cluster_live/messages.h"
#include "systems/process/child.h"

namespace park::dl_cluster_live {

/// The program park_trainer, which starts and ends the tasks of runs. It ends with this object and
/// with the thread that made it, and all its tasks with it.
class TrainerProcess {
 public:
  /// Waits until it takes orders. Its output goes to trainer.log in the folder. Throws
  /// Error{unavailable} where it is not there, is of another build or is not ready in time.
  TrainerProcess(const std::filesystem::path& folder, const std::stop_token&);
  ~TrainerProcess();
  TrainerProcess(const TrainerProcess&) = delete;
  TrainerProcess& operator=(const TrainerProcess&) = delete;

  /// Nothing happens where it has ended.
  void send(const Order&) const;
  /// The next report, or nothing within that time.
  [[nodiscard]] std::optional<Report> next(std::chrono::milliseconds most);
  /// Whether it and all its tasks have ended; known by `next`.
  [[nodiscard]] bool gone() const noexcept { return gone_; }
  /// The end of its output, for people.
  [[nodiscard]] std::string tail() const { return child_->tail(); }

 private:
  void close_socket();

  int socket_ = -1;
  bool gone_ = false;
  std::unique_ptr<process::Child> child_;
};

}  // namespace park::dl_cluster_live
