#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "systems/process/child.h"

namespace park::spark {

struct LocalClusterOptions {
  std::filesystem::path spark;           ///< a folder with jars/, such as SPARK_HOME
  std::filesystem::path folder;          ///< for logs and work
  std::uint32_t workers = 2, cores = 2;  ///< cores of each worker; an executor has one
  std::string executor_memory = "512m";
  std::filesystem::path properties{};  ///< more settings, as in spark-defaults.conf; empty: none
};

/// A standalone cluster of a stock Spark on loopback addresses: a Master and Workers. They end with
/// this object. Workers and executors have a lower priority. Driver and agent get a core when they
/// need one, as on a machine of their own.
class LocalCluster {
 public:
  /// Waits until all is there. Throws Error{unavailable} or {io}.
  LocalCluster(LocalClusterOptions, const std::stop_token&);

  /// Starts a driver by spark-submit, in client mode.
  [[nodiscard]] std::unique_ptr<process::Child> submit(
      const std::string& name, const std::filesystem::path& jar, const std::string& main,
      const std::vector<std::string>& arguments, const std::map<std::string, std::string>& conf);

 private:
  [[nodiscard]] std::unique_ptr<process::Child> java(const std::string& name,
                                                     const std::string& heap,
                                                     std::vector<std::string> words,
                                                     const std::vector<std::string>& prefix = {});

  LocalClusterOptions options_;
  std::vector<std::string> environment_;
  std::string master_;
  std::vector<std::unique_ptr<process::Child>> children_;
};

}  // namespace park::spark
