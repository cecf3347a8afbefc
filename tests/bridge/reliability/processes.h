#pragma once

#include <sys/wait.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/transport/endpoint_file.h"
#include "tests/kit/subprocess.h"

namespace park::bridge::test {

/// A folder that goes with its owner.
class Folder {
 public:
  Folder() {
    char name[] = "/tmp/park-reliability-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::string ipc() const { return "ipc://" + file("socket"); }

 private:
  std::filesystem::path path_;
};

/// Waits until a child that was told to stop or die has done so, with all its threads: a signal
/// takes its time. It can still be waited for afterwards.
inline void wait_for_standstill(pid_t child) {
  const auto latest = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  siginfo_t news{};
  while (waitid(P_PID, static_cast<id_t>(child), &news, WSTOPPED | WEXITED | WNOWAIT | WNOHANG) ==
             0 &&
         news.si_pid == 0 && std::chrono::steady_clock::now() < latest)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

/// `park serve` in a process of its own.
class ServerProcess {
 public:
  /// The words follow `park serve`.
  ServerProcess(const Folder& folder, std::vector<std::string> words, int lease_s = 1)
      : process_(all_words(folder, std::move(words), lease_s)) {
    if (process_.wait_for_error_text("Ctrl-C ends it"))
      endpoint_ = read_endpoint_file(folder.file("endpoint")).endpoint;
  }
  ~ServerProcess() { wake(); }

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  void signal(int number) const {
    process_.signal(number);
    wait_for_standstill(process_.pid());
  }
  cli::Finished end() {
    process_.signal(SIGINT);
    return process_.finish(20);
  }
  /// After SIGSTOP.
  void wake() const { process_.signal(SIGCONT); }

 private:
  static std::vector<std::string> all_words(const Folder& folder, std::vector<std::string> words,
                                            int lease_s) {
    words.insert(words.begin(), {"serve", "--lease", std::to_string(lease_s), "--overwrite",
                                 "--endpoint-file", folder.file("endpoint")});
    return words;
  }
  cli::Subprocess process_;
  std::string endpoint_;
};

}  // namespace park::bridge::test
