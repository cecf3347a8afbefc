#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/dl_cluster/config.h"
#include "systems/dl_cluster_live/messages.h"

namespace park::dl_cluster_live {

/// Two clocks: all but the fields that say "real" is on the clock of the cluster, which runs `scale`
/// times as fast as real time. So a minute of the simulator may be a second here.
struct DlClusterLiveConfig {
  std::int32_t cores = 2, jobs = 12;
  double scale = 60;
  double span_s = 7200;
  double most_work_s = 1800;
  std::string table{};
  std::string speeds = "oracle";
  double measure_s = 0.5;
  double round_s = 60;
  double limit_s = 86'400;
  double decision_s = 1;
  double checkpoint_s = 2;
  double stop_s = 20, stall_s = 30;

  bool operator==(const DlClusterLiveConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    fields_of_jobs(c, visit);
    fields_of_time(c, visit);
  }

  /// The rules between fields.
  static void check(const DlClusterLiveConfig&, Violations&);

 private:
  template <class Self, class Visit>
  static void fields_of_jobs(Self& c, Visit& visit);
  template <class Self, class Visit>
  static void fields_of_time(Self& c, Visit& visit);
};

template <class Self, class Visit>
void DlClusterLiveConfig::fields_of_jobs(Self& c, Visit& visit) {
  visit("cores", c.cores,
        FieldDoc{.doc = "processes that train at a time, each on a core of its own while the "
                        "machine has that many",
                 .min = 1,
                 .max = static_cast<double>(kMostTasks)});
  visit("jobs", c.jobs, FieldDoc{.doc = "jobs of an episode", .min = 1, .max = 1000});
  visit("scale", c.scale,
        FieldDoc{.doc = "seconds of the cluster's clock in a second of real time",
                 .min = 0.01,
                 .max = 1e6});
  visit("span_s", c.span_s,
        FieldDoc{.doc = "jobs arrive uniformly over this time", .unit = "s", .min = 0, .max = 1e8});
  visit("most_work_s", c.most_work_s,
        FieldDoc{.doc = "jobs that would take longer on one core are cut to this",
                 .unit = "s",
                 .min = 1,
                 .max = 1e9});
  visit("table", c.table,
        FieldDoc{.doc = "speeds of each kind of job by workers, a file of `park cluster profile "
                        "--exchange ring`; empty: they are measured before the first episode",
                 .names = Names::file});
  visit("speeds", c.speeds,
        FieldDoc{.doc = "what rows tell of speeds: those of the table, or nothing; then the leaf "
                        "type.speed is missing",
                 .choices = "oracle|none"});
  visit(
      "measure_s", c.measure_s,
      FieldDoc{
          .doc = "real time of each measurement of a speed", .unit = "s", .min = 0.01, .max = 600});
}

template <class Self, class Visit>
void DlClusterLiveConfig::fields_of_time(Self& c, Visit& visit) {
  visit("round_s", c.round_s,
        FieldDoc{.doc = "time between rounds of decisions", .unit = "s", .min = 1e-3, .max = 1e6});
  visit("limit_s", c.limit_s,
        FieldDoc{
            .doc = "an episode is truncated after this time", .unit = "s", .min = 1, .max = 1e9});
  visit("decision_s", c.decision_s,
        FieldDoc{.doc = "real time that a decision may take; later, and where an answer is "
                        "illegal, grants stay as they are until the next round",
                 .unit = "s",
                 .min = 1e-3,
                 .max = 600});
  visit("checkpoint_s", c.checkpoint_s,
        FieldDoc{.doc = "real time between two checkpoints of a job, what it loses at most where a "
                        "worker dies",
                 .unit = "s",
                 .min = 0.01,
                 .max = 3600});
  visit("stop_s", c.stop_s,
        FieldDoc{.doc = "real time that a job may take to write its checkpoint and stop; later its "
                        "workers are killed, which counts as a failure",
                 .unit = "s",
                 .min = 0.1,
                 .max = 3600});
  visit("stall_s", c.stall_s,
        FieldDoc{.doc = "real time without a step after which a job has failed",
                 .unit = "s",
                 .min = 0.1,
                 .max = 3600});
}

/// The configuration of the simulated cluster with the same rows.
[[nodiscard]] dl_cluster::DlClusterConfig simulated(const DlClusterLiveConfig&);
/// Numbers of workers that may be granted: 1, 2, ... cores, above four in steps of four.
[[nodiscard]] std::vector<std::int32_t> ladder_of(std::int32_t cores);

}  // namespace park::dl_cluster_live
