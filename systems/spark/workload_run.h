#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "park/core/system_env.h"
#include "systems/spark/applications.h"
#include "systems/spark/local_cluster.h"

namespace park::spark {

struct WorkloadRunOptions {
  LocalClusterOptions cluster;
  std::filesystem::path plugin;       ///< jar of the plugin
  std::filesystem::path data;         ///< a folder of Parquet files for each table of TPC-H
  std::filesystem::path queries;      ///< q1.sql to q22.sql
  std::filesystem::path arrivals;     ///< CSV with the header time_s,job
  std::filesystem::path durations{};  ///< SparkConfig::durations
  /// A folder for Spark's event logs, that of the n-th application in its sub-folder n; empty:
  /// there are none.
  std::filesystem::path logs;
  /// Where the offers are added that went by Spark's own order; may be null.
  std::atomic<std::uint64_t>* fallbacks = nullptr;
};

/// A cluster on this machine and an application that runs queries as they arrive, once for each
/// episode, with the decisions taken here.
class WorkloadRun final : public SystemEnv {
 public:
  explicit WorkloadRun(WorkloadRunOptions options) : options_(std::move(options)) {}
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  void play(Applications&, const std::atomic<bool>& done, const std::stop_token&) const;

  WorkloadRunOptions options_;
};

}  // namespace park::spark
