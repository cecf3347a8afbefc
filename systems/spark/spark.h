#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "park/core/config.h"
#include "park/core/system_env.h"
#include "park/envs/dag_scheduling/layout.h"
#include "systems/spark/cluster_report.h"

namespace park::spark {

struct SparkConfig {
  std::string endpoint = "tcp://127.0.0.1:5570";
  std::string endpoint_file{};
  std::int32_t executors = 1000;
  std::int32_t jobs = 10'000;
  std::string durations{};
  std::string key{};
  std::string allow{};
  std::int32_t metrics_port = 0;
  std::string log{};
  std::int32_t share = 0;
  double moving_delay_s = 0;

  bool operator==(const SparkConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("endpoint", c.endpoint,
          FieldDoc{.doc = "where drivers find it: ipc://PATH is for C++ alone, so "
                          "tcp://127.0.0.1:PORT, with * for a free port",
                   .names = Names::endpoint});
    visit("endpoint_file", c.endpoint_file,
          FieldDoc{.doc = "path of a file that tells the endpoint while it is there; a driver may "
                          "name it in place of the endpoint",
                   .names = Names::file});
    visit("executors", c.executors,
          FieldDoc{.doc = "the most slots of a cluster: what runs one task at a time",
                   .min = 1,
                   .max = 100'000});
    visit(
        "jobs", c.jobs,
        FieldDoc{.doc = "the most logical jobs in the system at once", .min = 1, .max = 1'000'000});
    visit("durations", c.durations,
          FieldDoc{.doc = "path of a workload: of a job with the name of one of its jobs, policies "
                          "are told its durations from the start, as in the simulator; empty: "
                          "what has been measured, and guesses",
                   .names = Names::file});
    visit("key", c.key,
          FieldDoc{.doc = "path of the agent's keys, from park key, for drivers on other machines; "
                          "empty: it is not encrypted, and bound to this machine alone",
                   .names = Names::file});
    visit("allow", c.allow,
          FieldDoc{.doc = "path of a file with the public keys of the drivers that are let in; "
                          "with key only",
                   .names = Names::file});
    visit("metrics_port", c.metrics_port,
          FieldDoc{.doc = "port on 127.0.0.1 of /metrics for Prometheus; 0: there is none",
                   .min = 0,
                   .max = 65'535});
    visit("log", c.log,
          FieldDoc{.doc = "path of a file to which a line of JSON is appended for each application "
                          "that begins or ends, and for trouble; empty: none",
                   .names = Names::file});
    visit("share", c.share,
          FieldDoc{.doc = "executors of one slot each that the applications share, as many as the "
                          "cluster has; 0: each application has those that Spark gives it",
                   .min = 0,
                   .max = 100'000});
    visit("moving_delay_s", c.moving_delay_s,
          FieldDoc{.doc = "seconds that a shared executor takes from one application to another, "
                          "as policies are told; with share only",
                   .min = 0,
                   .max = dag_scheduling::DagLayout::kMostDelay});
  }
};

/// The most that an agent can see at once.
[[nodiscard]] ReportLimits limits_of(const SparkConfig&);
/// The durations of the config's workload; null if it has none. Throws Error{io} or {bad_file}.
[[nodiscard]] std::shared_ptr<const KnownDurations> known_durations_of(const SparkConfig&);

/// Stock Spark applications whose scheduling decisions are asked here: the real twin of
/// dag_scheduling. The plugin of systems/spark/jvm, which runs in each driver, finds this server
/// and asks. An application is an episode; where applications share executors, one lasts until all
/// of them are gone. docs/spark.md says how to attach one.
///
/// Reward: minus the integral of the number of logical jobs in the system, by the driver's clock.
class Spark final : public SystemEnv {
 public:
  using Config = SparkConfig;
  static constexpr const char* kName = "spark";
  [[nodiscard]] static Spec spec(const Config&);

  explicit Spark(Config config) : config_(std::move(config)) {}
  void run(Episodes&, Decider&, std::stop_token) override;

 private:
  Config config_;
};

}  // namespace park::spark
