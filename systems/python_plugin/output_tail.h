#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace park::python_plugin {

/// A pipe for what a process writes, of which the end is kept. Thread-safe.
class OutputTail {
 public:
  /// Throws Error{io}.
  OutputTail();
  ~OutputTail();
  OutputTail(const OutputTail&) = delete;
  OutputTail& operator=(const OutputTail&) = delete;

  /// What the process opens for writing. REQUIRES that release_writer was not called.
  [[nodiscard]] std::filesystem::path path() const;
  /// From then on it ends with the last process that writes.
  void release_writer();
  /// The last line that is not empty, cut to what people read; "" without one. Waits for so long
  /// until all writers have ended.
  [[nodiscard]] std::string last_line(std::chrono::milliseconds wait = {}) const;

 private:
  void read_all(const std::stop_token&);

  int read_end_ = -1, write_end_ = -1;
  mutable std::mutex mutex_;
  mutable std::condition_variable ended_;
  std::string tail_;
  bool over_ = false;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace park::python_plugin
