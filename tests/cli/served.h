#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {

/// A server in a process of its own, and where it listens.
class Served {
 public:
  explicit Served(std::vector<std::string> more)
      : file_(scratch_path("endpoint.json")), process_(words(std::move(more))) {
    EXPECT_TRUE(process_.wait_for_error_text("Ctrl-C ends it"));
    endpoint_ = nlohmann::json::parse(read_text(file_)).at("endpoint");
  }
  [[nodiscard]] const std::string& endpoint() const { return endpoint_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  void signal(int number) { process_.signal(number); }
  /// Waits until it has said so on stderr.
  bool tells(const std::string& text) { return process_.wait_for_error_text(text, 20); }
  Finished end(int signal) {
    process_.signal(signal);
    return process_.finish(20);
  }

 private:
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> more) const {
    more.insert(more.begin(), "serve");
    more.insert(more.end(), {"--endpoint-file", file_});
    return more;
  }

  std::string file_;
  Subprocess process_;
  std::string endpoint_;
};

}  // namespace park::cli
