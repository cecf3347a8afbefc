#include "systems/spark/workload_run.h"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "bridge/codec/failure.h"
#include "bridge/server/server.h"
#include "park/core/error.h"
#include "systems/spark/spark.h"

namespace park::spark {
namespace {

constexpr std::chrono::milliseconds kLook{50};

using Conf = std::map<std::string, std::string>;

/// Settings that have Spark write its event log into a new folder.
Conf logging_to(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  return {{"spark.eventLog.enabled", "true"},
          {"spark.eventLog.dir", "file://" + folder.string()},
          {"spark.eventLog.compress", "false"},
          {"spark.eventLog.rolling.enabled", "false"}};
}

/// Waits for its end. Throws Error{unavailable} where that is not a good one.
void finish(process::Child& driver, const std::stop_token& stop) {
  while (!driver.status() && !stop.stop_requested()) std::this_thread::sleep_for(kLook);
  if (!stop.stop_requested() && driver.status() != 0)
    throw Error(Errc::unavailable, "the application ended with status " +
                                       std::to_string(*driver.status()) +
                                       "; the end of what it said:\n" + driver.tail());
}

}  // namespace

void WorkloadRun::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  SparkConfig config;
  config.durations = options_.durations.string();
  const Spec spec = Spark::spec(config);
  std::atomic<bool> done = false;
  Applications all(episodes, decider, spec, limits_of(config), known_durations_of(config),
                   [&done] { done = true; });
  play(all, done, stop);
  if (options_.fallbacks != nullptr) *options_.fallbacks += all.fallbacks();
}

void WorkloadRun::play(Applications& all, const std::atomic<bool>& done,
                       const std::stop_token& stop) const {
  bridge::Server server({.endpoint = "tcp://127.0.0.1:*", .name = "park spark", .limits = {}},
                        [&all] { return std::make_unique<SparkService>(all); });
  const std::jthread serving([&server](const std::stop_token& end) { server.run(end); });
  LocalCluster cluster(options_.cluster, stop);
  for (int n = 1; !done && !stop.stop_requested(); ++n) {
    const std::string name = "application" + std::to_string(n);
    Conf conf;
    if (!options_.logs.empty()) conf = logging_to(options_.logs / std::to_string(n));
    conf["spark.plugins"] = "park.spark.ParkPlugin";
    conf["spark.park.agent"] = server.endpoint();
    const auto driver = cluster.submit(
        name, options_.plugin, "park.spark.Workload",
        {options_.data.string(), options_.queries.string(), options_.arrivals.string(),
         (options_.cluster.folder / (name + ".json")).string()},
        conf);
    finish(*driver, stop);
  }
}

}  // namespace park::spark
