#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli::infer_test {

using Json = nlohmann::json;

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Two models that sleep; the first one's name is found in the arguments of the server.
inline std::string two_models(const std::string& name, const std::string& more) {
  return "dl_inference_live(models=[model(kind=delay,name=" + name +
         ",a_s=0.002,b_s=0.0005,max_batch=8),model(kind=delay,name=slow,a_s=0.004,max_batch=4)]," +
         more + ")";
}

inline std::string own_name(const std::string& test) { return test + std::to_string(getpid()); }

/// Processes that have all of these texts in their arguments.
inline std::vector<pid_t> processes(const std::vector<std::string>& texts) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const std::string arguments = read_text((entry.path() / "cmdline").string());
    if (std::ranges::all_of(texts, [&](const std::string& t) { return has(arguments, t); }))
      found.push_back(static_cast<pid_t>(std::stol(name)));
  }
  return found;
}

/// Waits for the server process of `park run` with this model; 0 where none comes.
inline pid_t server_of(const std::string& model) {
  for (int i = 0; i < 1200; ++i) {
    if (const auto all = processes({"serve", model}); !all.empty()) return all.front();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return 0;
}

inline bool all_gone(const std::string& model) {
  for (int i = 0; i < 200; ++i) {
    if (processes({model}).empty()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

inline double mean(const Json& result, const char* metric) {
  return result.at("metrics").at(metric).at("mean");
}

/// A server that runs by itself.
class InferServer {
 public:
  explicit InferServer(const std::string& env, const std::vector<std::string>& more = {})
      : file_(scratch_path("infer.json")), process_(words(env, file_, more)) {
    EXPECT_TRUE(process_.wait_for_error_text("Ctrl-C ends it"));
  }
  [[nodiscard]] const std::string& file() const { return file_; }
  /// Its counts, as it ends.
  Json end() {
    process_.signal(SIGINT);
    const Finished done = process_.finish(20);
    EXPECT_EQ(done.code, 0) << done.err;
    return Json::parse(done.out);
  }

 private:
  static std::vector<std::string> words(const std::string& env, const std::string& file,
                                        const std::vector<std::string>& more) {
    std::vector<std::string> all{
        "infer",           "serve", env,     "--endpoint", "tcp://127.0.0.1:*",
        "--endpoint-file", file,    "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::string file_;
  Subprocess process_;
};

}  // namespace park::cli::infer_test
