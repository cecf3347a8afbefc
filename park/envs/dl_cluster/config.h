// The configuration of both models. fields lists the fields in four parts: the cluster, the jobs,
// their trace, time. Fields that belong to one model say so, and check refuses most of them with the other. The
// functions give the numbers that depend on the model. Everything in this folder includes it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::dl_cluster {

/// Bounds that the configuration guarantees, and with them the bounds of the observation.
inline constexpr std::int32_t kMostNodes = 4096, kMostJobs = 100'000;
inline constexpr std::int32_t kMostTasksOfAJob = 64;  ///< workers, or servers, model=ps
inline constexpr std::int32_t kMostGpus = 4096;       ///< of a job, model=allreduce
inline constexpr double kMostSeconds = 1e12;          ///< times
inline constexpr double kMostWork = 1e15;             ///< epochs, or seconds at one GPU

/// The defaults of model=ps are the small setting of DL2, those of model=allreduce a cluster of 64
/// GPUs. A number 0 of nodes and of jobs means that of the model.
struct DlClusterConfig {
  std::string model = "ps";
  std::string semantics = "correct";
  std::string speeds = "oracle";
  std::string table = "psworker";
  std::int32_t nodes = 0, jobs = 0;
  std::int32_t window = 0;
  std::int32_t node_cpus = 8, node_gpus = 0;
  std::int32_t max_workers = 16, max_servers = 16;
  std::int32_t request_workers = 4, request_servers = 4;
  std::int32_t max_gpus = 64;
  std::string ladder = "fours";
  std::string arrivals = "daily";
  std::int32_t per_slot = 3;
  std::vector<std::int32_t> pattern{};
  double span_s = 28'800;
  std::string trace{};
  std::string trace_start = "random";
  std::string trace_times = "stretched";
  double most_work_s = 0;
  double max_epochs = 80'000;
  double slot_s = 1200, round_s = 60;
  double change_s = 30;
  double power = 0;
  double speed_noise = 0, work_error = 0;
  std::string reward = "semantics";
  double max_slots = 20'000;
  double horizon_s = kInf;

  bool operator==(const DlClusterConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    fields_of_cluster(c, visit);
    fields_of_jobs(c, visit);
    fields_of_trace(c, visit);
    fields_of_time(c, visit);
  }

  /// The rules between fields.
  static void check(const DlClusterConfig&, Violations&);

  [[nodiscard]] bool is_ps() const noexcept { return model == "ps"; }
  [[nodiscard]] bool is_compat() const noexcept { return semantics == "compat"; }
  [[nodiscard]] bool pays_paper_reward() const noexcept {
    return reward == "paper" || (reward == "semantics" && is_ps() && is_compat());
  }
  [[nodiscard]] std::int32_t node_count() const noexcept {
    return nodes > 0 ? nodes : is_ps() ? 48 : 16;
  }
  [[nodiscard]] std::int32_t job_count() const noexcept {
    return jobs > 0 ? jobs : is_ps() ? 60 : 160;
  }
  [[nodiscard]] std::int32_t window_size() const noexcept {
    return window > 0 && window < job_count() ? window : job_count();
  }
  /// GPU slots of a node (model=ps), or its GPUs.
  [[nodiscard]] std::int32_t gpus_of_a_node() const noexcept {
    return node_gpus > 0 ? node_gpus : is_ps() ? 8 : 4;
  }
  /// The most GPUs that a job of model=allreduce may get.
  [[nodiscard]] std::int32_t gpus_of_a_job() const noexcept;
  /// Time between regular decisions.
  [[nodiscard]] double period_s() const noexcept { return is_ps() ? slot_s : round_s; }
  /// The files that the inputs are made of.
  [[nodiscard]] std::vector<std::filesystem::path> files() const;

 private:
  template <class Self, class Visit>
  static void fields_of_cluster(Self& c, Visit& visit);
  template <class Self, class Visit>
  static void fields_of_jobs(Self& c, Visit& visit);
  template <class Self, class Visit>
  static void fields_of_trace(Self& c, Visit& visit);
  template <class Self, class Visit>
  static void fields_of_time(Self& c, Visit& visit);
};

template <class Self, class Visit>
void DlClusterConfig::fields_of_cluster(Self& c, Visit& visit) {
  visit("model", c.model,
        FieldDoc{.doc = "how jobs train: with parameter servers and workers, in slots; or by ring "
                        "all-reduce on GPUs, with grants that stay",
                 .choices = "ps|allreduce"});
  visit("semantics", c.semantics,
        FieldDoc{.doc = "model=ps: compat places tasks as DL2's code does and changes grants at "
                        "no cost; correct places first fit, has a least speed and charges changes",
                 .choices = "compat|correct"});
  visit("speeds", c.speeds,
        FieldDoc{.doc = "what rows tell of speeds: the true ones, a fit of measured ones, or "
                        "nothing; then the leaf type.speed is missing",
                 .choices = "oracle|fitted|none"});
  visit(
      "table", c.table,
      FieldDoc{.doc = "speeds by type, servers and workers; a file of `park data speeds`, or "
                      "DL2's config_speed.txt. model=allreduce has speeds of its own where it is "
                      "psworker; else the k-th of its five types has those of the k-th type, over "
                      "and over, at one server",
               .names = Names::file,
               .bundled = "psworker|cpu"});
  visit("nodes", c.nodes,
        FieldDoc{.doc = "nodes; 0: 48 (ps) or 16 (allreduce)", .min = 0, .max = kMostNodes});
  visit("node_cpus", c.node_cpus,
        FieldDoc{.doc = "model=ps: CPU slots of a node", .min = 1, .max = 1024});
  visit("node_gpus", c.node_gpus,
        FieldDoc{.doc = "GPU slots of a node, four of which are a GPU (ps; 0: 8), or its GPUs "
                        "(allreduce; 0: 4)",
                 .min = 0,
                 .max = 1024});
  visit("max_workers", c.max_workers,
        FieldDoc{.doc = "model=ps: most workers of a job", .min = 1, .max = kMostTasksOfAJob});
  visit("max_servers", c.max_servers,
        FieldDoc{.doc = "model=ps: most servers of a job", .min = 1, .max = kMostTasksOfAJob});
  visit("max_gpus", c.max_gpus,
        FieldDoc{.doc = "model=allreduce: most GPUs of a job", .min = 1, .max = kMostGpus});
  visit("ladder", c.ladder,
        FieldDoc{.doc = "model=allreduce: numbers of GPUs that may be granted: 1, 2 and the "
                        "multiples of four, or all",
                 .choices = "fours|all"});
}

template <class Self, class Visit>
void DlClusterConfig::fields_of_jobs(Self& c, Visit& visit) {
  visit(
      "jobs", c.jobs,
      FieldDoc{
          .doc = "jobs of an episode; 0: 60 (ps) or 160 (allreduce)", .min = 0, .max = kMostJobs});
  visit("window", c.window,
        FieldDoc{.doc = "jobs that a row shows, the first by arrival; 0: all",
                 .min = 0,
                 .max = kMostJobs});
  visit("arrivals", c.arrivals,
        FieldDoc{.doc = "model=ps: jobs that arrive in a slot: per_slot with a daily low, exactly "
                        "per_slot, Poisson with that mean, or those of pattern up to per_slot",
                 .choices = "daily|uniform|poisson|pattern"});
  visit("per_slot", c.per_slot,
        FieldDoc{.doc = "model=ps: jobs per slot", .unit = "jobs", .min = 1, .max = 1000});
  visit("pattern", c.pattern,
        FieldDoc{.doc = "arrivals=pattern: jobs of each slot, over and over, from one of the "
                        "first five on",
                 .unit = "jobs",
                 .min = 0,
                 .max = 1e6});
  visit("span_s", c.span_s,
        FieldDoc{.doc = "model=allreduce: jobs arrive uniformly over this time",
                 .unit = "s",
                 .min = 0,
                 .max = 1e8});
  visit("most_work_s", c.most_work_s,
        FieldDoc{.doc = "model=allreduce: jobs that would take longer on one GPU are cut to this; "
                        "0: none are",
                 .unit = "s",
                 .min = 0,
                 .max = 1e9});
  visit(
      "max_epochs", c.max_epochs,
      FieldDoc{.doc = "model=ps: a job's epochs are its type's share of it", .min = 1, .max = 1e9});
  visit("request_workers", c.request_workers,
        FieldDoc{.doc = "model=ps: workers that users ask for", .min = 1, .max = kMostTasksOfAJob});
  visit("request_servers", c.request_servers,
        FieldDoc{.doc = "model=ps: servers that users ask for", .min = 1, .max = kMostTasksOfAJob});
  visit("power", c.power,
        FieldDoc{.doc = "model=allreduce: above 0 every type has the goodput GPUs^power, wherever "
                        "its GPUs are",
                 .min = 0,
                 .max = 1});
  visit("speed_noise", c.speed_noise,
        FieldDoc{.doc = "speeds are multiplied by a factor uniform in 1 -+ this, drawn for each "
                        "job and period",
                 .min = 0,
                 .max = 0.9});
  visit("work_error", c.work_error,
        FieldDoc{.doc = "a job's true work is its estimate times a factor uniform in 1 -+ this",
                 .min = 0,
                 .max = 0.9});
}

template <class Self, class Visit>
void DlClusterConfig::fields_of_trace(Self& c, Visit& visit) {
  visit("trace", c.trace,
        FieldDoc{.doc = "model=allreduce: file of recorded jobs, as `park data jobs` writes it; "
                        "arrivals, requests and run times are its own, types are drawn",
                 .names = Names::file});
  visit("trace_start", c.trace_start,
        FieldDoc{.doc = "the trace's job that an episode begins with: drawn from its inputs, or "
                        "the first; after the last one comes the first",
                 .choices = "random|first"});
  visit("trace_times", c.trace_times,
        FieldDoc{.doc = "arrivals of the trace: stretched, so that as many jobs as an episode has "
                        "arrive in span_s in the mean; or as recorded",
                 .choices = "stretched|recorded"});
}

template <class Self, class Visit>
void DlClusterConfig::fields_of_time(Self& c, Visit& visit) {
  visit("slot_s", c.slot_s,
        FieldDoc{.doc = "model=ps: length of a slot", .unit = "s", .min = 1, .max = 1e6});
  visit("round_s", c.round_s,
        FieldDoc{.doc = "model=allreduce: time between rounds of decisions",
                 .unit = "s",
                 .min = 1,
                 .max = 1e6});
  visit("change_s", c.change_s,
        FieldDoc{.doc = "time without progress after a job's grant has changed; not with "
                        "semantics=compat",
                 .unit = "s",
                 .min = 0,
                 .max = 1e6});
  visit("reward", c.reward,
        FieldDoc{.doc = "jct: minus the integral of the jobs in the system, in job-hours; lost: "
                        "the same plus the hours that the work that was done takes jobs that are "
                        "alone at their best speed; paper: sum over jobs of the share of their "
                        "work that a period did; semantics: paper for model=ps,semantics=compat, "
                        "else jct",
                 .choices = "semantics|jct|lost|paper"});
  visit("max_slots", c.max_slots,
        FieldDoc{
            .doc = "an episode is truncated after so many slots, or rounds", .min = 1, .max = 1e6});
  visit("horizon_s", c.horizon_s,
        FieldDoc{.doc = "mean of the memoryless horizon of training", .unit = "s", .min = 1e-9});
}

}  // namespace park::dl_cluster
