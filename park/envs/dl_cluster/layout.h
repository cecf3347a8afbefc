// The observation, the action and the metrics of a training cluster. Both models have the same
// leaves: a configuration is a number of workers and of servers that a job may hold. With
// model=ps these are the pairs up to the limits, and types are the types of the table. With
// model=allreduce they are the rungs of the ladder without servers, and a type is a type of job at
// one stage of its training. The environment declares its spec with a ClusterLayout; policies bind
// one. Only speeds=none changes the leaves: type.speed is missing.
#pragma once

#include <cstdint>
#include <optional>

#include "park/core/layout.h"
#include "park/envs/dl_cluster/config.h"

namespace park::dl_cluster {

inline constexpr const char* kDlClusterName = "dl_cluster";
inline constexpr const char* kSpeedLeaf = "type.speed";

/// What a move does.
enum class MoveKind : std::int32_t { end, worker, server, both, grant };

/// The limits that the spaces of a cluster depend on. The defaults are the widest.
struct ClusterSizes {
  bool ps = true, speeds = true;
  std::int64_t jobs = kMostJobs, window = kMostJobs;  ///< of an episode, of a row
  std::int64_t nodes = kMostNodes, types = 4096, moves = std::int64_t{1} << 30;
  std::int64_t configurations = 0, resources = 0;
  double workers = kMostGpus, servers = kMostTasksOfAJob;
};

struct ClusterLayout : Layout {
  explicit ClusterLayout(const ClusterSizes& s)
      : sizes(s), configurations{s.configurations}, resources{s.resources} {}
  /// For bind_layout.
  explicit ClusterLayout(const Spec& received)
      : Layout(received), sizes{.speeds = received.observation.find(kSpeedLeaf) != nullptr} {}

  static constexpr double kMostSpeed = 1e15;    ///< work per second
  static constexpr double kMostResource = 1e9;  ///< slots, or GPUs, of the cluster
  static constexpr double kMostService = 1e18;  ///< task-seconds of a job
  static constexpr double kMostChanges = 1e9;

  ClusterSizes sizes;
  Axis configurations, resources;

  GroupOf jobs{observation, "jobs", sizes.window};
  GroupOf types{observation, "types", sizes.types};
  GroupOf nodes{observation, "nodes", sizes.nodes};
  GroupOf moves{observation, "moves", sizes.moves};

  LeafOf<double> time_s{observation,
                        "cluster.time_s",
                        {.high = kMostSeconds, .unit = "s", .doc = "time since the first arrival"}};
  LeafOf<std::uint8_t> keeps{
      observation,
      "cluster.keeps_grants",
      {.high = 1, .doc = "1: grants stay until they are changed; 0: every slot begins without"}};
  LeafOf<std::uint8_t> compat{
      observation,
      "cluster.compat",
      {.high = 1,
       .doc = "1: tasks go to the least loaded node alone, and the schedulers of the paper end a "
              "slot where the first one does not fit"}};
  LeafOf<float> capacity{observation,
                         "cluster.capacity",
                         {.shape = {resources},
                          .high = kMostResource,
                          .doc = "CPU and GPU slots of all nodes, or their GPUs; fixed"}};
  LeafOf<float> free{observation,
                     "cluster.free",
                     {.shape = {resources}, .high = kMostResource, .doc = "of these not granted"}};
  LeafOf<float> config_workers{observation,
                               "config.workers",
                               {.shape = {configurations},
                                .high = sizes.workers,
                                .unit = "workers",
                                .doc = "workers (GPUs) of each configuration; fixed"}};
  LeafOf<float> config_servers{observation,
                               "config.servers",
                               {.shape = {configurations},
                                .high = sizes.servers,
                                .unit = "servers",
                                .doc = "parameter servers of each configuration; fixed"}};

  LeafOf<float> type_worker{
      types,
      "type.worker_demand",
      {.shape = {resources}, .high = kMostResource, .doc = "what a worker takes; fixed"}};
  LeafOf<float> type_server{
      types,
      "type.server_demand",
      {.shape = {resources}, .high = kMostResource, .doc = "what a server takes; fixed"}};
  std::optional<LeafOf<float>> type_speed =
      sizes.speeds ? std::optional(declare_speed()) : std::nullopt;

  LeafOf<float> node_free{nodes,
                          "node.free",
                          {.shape = {resources},
                           .high = kMostResource,
                           .doc = "slots, or GPUs, of the node that are not granted"}};

  LeafOf<std::int32_t> job_id{jobs,
                              "job.id",
                              {.high = static_cast<double>(sizes.jobs) - 1,
                               .doc = "its number in the episode, by arrival"}};
  LeafOf<std::int32_t> job_type{
      jobs,
      "job.type",
      {.doc = "its type, with model=allreduce at the present stage of its training",
       .index_of = "types"}};
  LeafOf<float> age_s{
      jobs, "job.age_s", {.high = kMostSeconds, .unit = "s", .doc = "time since its arrival"}};
  LeafOf<float> remaining{
      jobs,
      "job.remaining",
      {.high = 1, .doc = "share of its estimated work that is left; 0 beyond the estimate"}};
  LeafOf<float> remaining_work{jobs,
                               "job.remaining_work",
                               {.high = kMostWork,
                                .unit = "work",
                                .doc = "the same in epochs, or in seconds on one GPU; divided by "
                                       "type.speed it is a time"}};
  LeafOf<float> share{
      jobs, "job.share", {.high = 1, .doc = "its dominant share of the capacity of the cluster"}};
  LeafOf<float> workers{
      jobs,
      "job.workers",
      {.high = sizes.workers, .unit = "workers", .doc = "workers (GPUs) granted"}};
  LeafOf<float> servers{
      jobs, "job.servers", {.high = sizes.servers, .unit = "servers", .doc = "servers granted"}};
  LeafOf<float> last_workers{jobs,
                             "job.last_workers",
                             {.high = sizes.workers,
                              .unit = "workers",
                              .doc = "held when time last passed; another grant costs time"}};
  LeafOf<float> last_servers{
      jobs, "job.last_servers", {.high = sizes.servers, .unit = "servers", .doc = "likewise"}};
  LeafOf<float> request_workers{
      jobs,
      "job.request_workers",
      {.high = sizes.workers, .unit = "workers", .doc = "what its user asks for; fixed"}};
  LeafOf<float> request_servers{
      jobs, "job.request_servers", {.high = sizes.servers, .unit = "servers", .doc = "likewise"}};
  LeafOf<float> attained_s{jobs,
                           "job.attained_s",
                           {.high = kMostService,
                            .unit = "s",
                            .doc = "attained service: workers and servers times the time"}};
  LeafOf<float> changes{
      jobs, "job.changes", {.high = kMostChanges, .doc = "how often its grant has changed"}};

  LeafOf<std::int32_t> move_job{
      moves, "move.job", {.doc = "the job that the move is for; any for end", .index_of = "jobs"}};
  LeafOf<std::int32_t> move_kind{
      moves,
      "move.kind",
      {.high = 4,
       .doc = "0: ends the slot or round; 1, 2, 3: one worker more, one server more, one of both "
              "on one node; 4: the job gets move.workers in place of what it has"}};
  LeafOf<float> move_workers{
      moves,
      "move.workers",
      {.high = sizes.workers, .unit = "workers", .doc = "workers (GPUs) of the job afterwards"}};
  LeafOf<float> move_servers{
      moves,
      "move.servers",
      {.high = sizes.servers, .unit = "servers", .doc = "servers of the job afterwards"}};
  LeafOf<std::uint8_t> move_mask{
      moves, "mask.move", {.high = 1, .doc = "may be taken; every move that is listed may"}};

  LeafOf<std::int32_t> move{action, "move", {.doc = "the move that is taken", .index_of = "moves"}};

  MetricOf avg_jct_s{
      metrics,
      "avg_jct_s",
      {.unit = "s",
       .doc = "mean time from arrival to completion over the jobs that have arrived; one that the "
              "episode leaves undone counts to its end"}};
  std::optional<MetricOf> avg_jct_slots = sizes.ps ? std::optional(declare_slots()) : std::nullopt;
  MetricOf p50_jct_s{
      metrics,
      "p50_jct_s",
      {.unit = "s",
       .doc = "the smallest time that at least 50 % of the jobs completed do not exceed"}};
  MetricOf p99_jct_s{metrics, "p99_jct_s", {.unit = "s", .doc = "the same for 99 %"}};
  MetricOf bound_jct_s{metrics,
                       "bound_jct_s",
                       {.unit = "s",
                        .doc = "mean over all jobs of the completion time alone at the best speed "
                               "of any configuration: no policy comes below it, but for noise"}};
  MetricOf makespan_s{
      metrics,
      "makespan_s",
      {.unit = "s", .doc = "time from the first arrival to the end of the episode"}};
  MetricOf worst_fairness{
      metrics,
      "worst_fairness",
      {.doc =
           "finish-time fairness, the worst job: its completion time over that alone on an equal "
           "share of the cluster, among the mean number of jobs during its life"}};
  MetricOf changes_per_job{
      metrics, "changes_per_job", {.doc = "how often a job's grant has changed, mean of all jobs"}};
  MetricOf granted_hours{
      metrics,
      "granted_hours",
      {.unit = "h", .doc = "workers (GPUs) granted times the time, all jobs together"}};
  MetricOf utilisation{
      metrics,
      "utilisation",
      {.lower_is_better = false,
       .doc = "share of the GPUs (CPU slots with model=ps) granted, over the time of the episode"}};
  MetricOf jobs_done{
      metrics, "jobs_done", {.unit = "jobs", .lower_is_better = false, .doc = "jobs completed"}};

 private:
  [[nodiscard]] LeafOf<float> declare_speed() {
    return {types,
            kSpeedLeaf,
            {.shape = {configurations},
             .high = kMostSpeed,
             .unit = "work/s",
             .doc = "work per second in each configuration: epochs, or seconds on one GPU; the "
                    "truth (speeds=oracle) or a fit (speeds=fitted); fixed"}};
  }
  [[nodiscard]] MetricOf declare_slots() const {
    return {metrics, "avg_jct_slots", {.unit = "slots", .doc = "avg_jct_s in slots of slot_s"}};
  }
};

}  // namespace park::dl_cluster
