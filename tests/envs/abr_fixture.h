#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/env.h"
#include "park/core/text.h"
#include "park/envs/abr/abr.h"

namespace park::test {

/// A folder with files of those names and texts, gone at the end of the scope.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::initializer_list<std::pair<std::string, std::string>> files = {}) {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("park-abr-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
    for (const auto& [name, text] : files) write(name, text);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  void write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

/// Steps one abr by hand.
class AbrPlayer {
 public:
  explicit AbrPlayer(std::string_view text)
      : config(parse_config<envs::AbrConfig>(parse_text(text))),
        spec(envs::Abr::spec(config)),
        env(config),
        observation_(spec.observation),
        action_(spec.action) {
    action_.resize(1);
  }

  void reset(const Episode& episode) {
    observation_.clear();
    env.reset(episode, observation_.append());
  }
  Outcome step(int quality) {
    action_.row(0).scalar(action_.field<std::int32_t>("quality")) = quality;
    observation_.clear();
    return env.step(std::as_const(action_).row(0), observation_.append());
  }
  /// Plays to the end; the policy gets the number of the decision.
  std::vector<Outcome> play(const Episode& episode, const std::function<int(std::size_t)>& policy) {
    reset(episode);
    std::vector<Outcome> all;
    do all.push_back(step(policy(all.size())));
    while (all.back().end == End::none);
    return all;
  }

  template <class T = double>
  [[nodiscard]] std::vector<double> values(std::string_view leaf) const {
    const auto v = observation_.row(0)[observation_.field<T>(leaf)];
    return {v.begin(), v.end()};
  }
  template <class T = double>
  [[nodiscard]] double value(std::string_view leaf) const {
    return values<T>(leaf)[0];
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec.metrics.size());
    env.metrics(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (spec.metrics[i].name == name) return all[i];
    throw Error(Errc::unknown_name, std::string(name));
  }

  envs::AbrConfig config;
  Spec spec;
  envs::Abr env;

 private:
  Batch observation_, action_;
};

}  // namespace park::test
