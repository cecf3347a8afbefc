#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/transport/endpoint_file.h"
#include "tests/cli/subprocess.h"

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

/// Waits until a process that was stopped or killed does nothing any more: signals take their time.
inline void wait_for_standstill(pid_t pid) {
  const auto still = [](const std::filesystem::path& thread) {
    std::ifstream file(thread / "stat");
    std::string text;
    if (!std::getline(file, text)) return true;
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string::npos ||
           std::string("TZX").find(text.at(name_end + 2)) != std::string::npos;
  };
  const std::filesystem::path threads = "/proc/" + std::to_string(pid) + "/task";
  for (int tries = 0; tries < 5'000; ++tries) {
    std::error_code gone;
    bool all = true;
    for (const auto& thread : std::filesystem::directory_iterator(threads, gone))
      all = all && still(thread.path());
    if (all) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
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
  ~ServerProcess() { process_.signal(SIGCONT); }

  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  void signal(int number) const {
    process_.signal(number);
    wait_for_standstill(process_.pid());
  }
  cli::Finished end() {
    process_.signal(SIGINT);
    return process_.finish(20);
  }
  cli::Subprocess& process() { return process_; }

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
