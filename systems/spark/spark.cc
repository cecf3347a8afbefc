#include "systems/spark/spark.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/server/server.h"
#include "bridge/transport/endpoint_file.h"
#include "bridge/transport/keys.h"
#include "bridge/transport/named_field.h"
#include "park/envs/dag_scheduling/layout.h"
#include "systems/spark/applications.h"
#include "systems/spark/metrics_server.h"
#include "systems/spark/service_manager.h"

namespace park::spark {
namespace {

constexpr std::int64_t kStagesPerJob = 64, kEdgesPerJob = 256;  // on average, of many
// Each application that waits for a decision has a thread.
constexpr std::uint32_t kWorkers = 16;

/// Throws Failed where fields contradict each other or the keys cannot be read.
bridge::ServerOptions server_options(const SparkConfig& c) {
  bridge::ServerOptions options{
      .endpoint = c.endpoint, .name = "park spark", .limits = {}, .workers = kWorkers};
  if (c.share > c.executors)
    throw bridge::Failed(
        bridge::Code::INVALID_CONFIG,
        "share: " + std::to_string(c.share) + ", executors allows " + std::to_string(c.executors));
  if (c.key.empty() != c.allow.empty())
    throw bridge::Failed(bridge::Code::INVALID_CONFIG, "key, allow: an agent has both or none");
  if (c.key.empty()) return options;
  options.keys = bridge::naming("key", [&] { return bridge::read_key_file(c.key); });
  options.allowed = bridge::naming("allow", [&] { return bridge::read_allowed_keys(c.allow); });
  return options;
}

}  // namespace

ReportLimits limits_of(const SparkConfig& c) {
  const auto jobs = static_cast<std::uint32_t>(c.jobs);
  return {.executors = static_cast<std::uint32_t>(c.executors),
          .jobs = jobs,
          .stages = static_cast<std::uint32_t>(jobs * kStagesPerJob),
          .edges = static_cast<std::uint32_t>(jobs * kEdgesPerJob)};
}

std::shared_ptr<const KnownDurations> known_durations_of(const SparkConfig& c) {
  if (c.durations.empty()) return nullptr;
  return read_known_durations(c.durations);
}

Spec Spark::spec(const Config& c) {
  const ReportLimits limits = limits_of(c);
  return dag_scheduling::DagLayout(
             dag_scheduling::DagSizes{.executors = static_cast<double>(limits.executors),
                                      .jobs = limits.jobs,
                                      .stages = limits.stages,
                                      .edges = limits.edges})
      .spec({.name = kName,
             .summary = "schedule the stages of a stock Apache Spark, which asks through a plugin",
             .reference =
                 "Mao et al., Learning Scheduling Algorithms for Data Processing Clusters, SIGCOMM "
                 "2019, section 6.1",
             .traits = {
                 .system = true, .replayable = false, .twin = dag_scheduling::kDagSchedulingName}});
}

void Spark::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  const Spec spec = Spark::spec(config_);
  std::stop_source over;
  const std::stop_callback stopped(stop, [&over] { over.request_stop(); });
  try {
    Applications all(episodes, decider, spec, limits_of(config_), known_durations_of(config_),
                     [&over] { over.request_stop(); }, config_.log,
                     {.executors = static_cast<std::uint32_t>(config_.share),
                      .moving_delay_s = config_.moving_delay_s});
    const bridge::ServerOptions options = server_options(config_);
    bridge::Server server(options, [&all] { return std::make_unique<SparkService>(all); });
    std::optional<bridge::OwnEndpointFile> told;
    bridge::naming("endpoint_file", [&] {
      told.emplace(
          config_.endpoint_file,
          bridge::EndpointFile{
              .endpoint = server.endpoint(), .server_key = options.keys.public_key, .token = {}});
    });
    std::optional<MetricsServer> metrics;
    if (config_.metrics_port > 0)
      metrics.emplace(static_cast<std::uint16_t>(config_.metrics_port),
                      [&all] { return all.status().metrics(); });
    const ServiceManager manager([&all] { return all.is_alive(); });
    server.run(over.get_token());
  } catch (const bridge::Failed& failed) {
    throw Error(Errc::invalid_config, failed.what());
  }
}

}  // namespace park::spark
