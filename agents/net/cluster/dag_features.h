// Hand-made features of a cluster's state: which there are, and how a network reads those of a job,
// a stage, an amount and a class.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/batch.h"
#include "park/core/space.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::agents {

/// What times and work are measured in.
enum class TimeUnit : std::uint8_t {
  second,    ///< log(1 + seconds); tasks far below 1 s all look alike
  row_task,  ///< log of multiples of a mean task of the row, which has no seconds at all
};

/// Groups of features that an ablation may leave out, as a field's choices (FieldDoc). The graph is
/// chains below a stage, what it unlocks, and when its parents end. Ranks are a job's place among
/// the others. Caps are executors against the work of a job. Waves are rounds in which a stage's
/// tasks run. The cluster is what all jobs have in common.
inline constexpr const char* kFeatureGroups = "none|graph|ranks|caps|waves|cluster";

/// Which features there are.
struct DagFeaturesOptions {
  /// False: every feature that comes from how long tasks take is 0; numbers of tasks stay.
  bool durations = true;
  TimeUnit unit = TimeUnit::second;
  /// Adds kArrivals features: the mean time between arrivals so far, and the load that it means with
  /// jobs like those present. Mao et al. (SIGCOMM 2019, Table 2) call the first one a hint. It is the
  /// arrival time of the newest job present, over its number. Both are 0 as long as all jobs have
  /// come at once.
  bool arrivals = false;
  /// Adds kFit features of a stage. Two are what a task needs of the largest executor. Two are the
  /// share of executors that can run it, of all and of those that this round hands out.
  bool classes = false;
  /// Adds kDeadline features of a job. They are the time until its deadline, the share of all
  /// executors that its work needs until then, and whether it is late. The environment has to tell
  /// deadlines.
  bool deadlines = false;
  /// A group of kFeatureGroups, of which every feature is 0.
  std::string_view without = "none";
};

/// Places of features in what DagFeatures writes.
struct FeaturePlaces {
  std::vector<std::size_t> cluster, more, arrivals, job, deadline, stage, amount;
};

/// Hand-made features of a cluster's state, for networks that score stages and limits of
/// dag_scheduling or its twin. Quantities of executors are relative to the size of the cluster;
/// work and times are logarithms. One network therefore serves clusters and jobs of any size.
///
/// With TimeUnit::row_task the unit is the mean duration of a task over all tasks that are not
/// launched, each stage weighted by its tasks. Where all are launched, the mean is over the tasks
/// that run. Multiplying every time of a row changes nothing then, in so far as no logarithm is cut
/// off. What a job of some work should hold is measured by its share of the work instead of by
/// seconds. The kMore further features of the cluster are the delays and its size.
class DagFeatures {
 public:
  static constexpr std::size_t kJob = 18, kStage = 15, kCluster = 8;
  static constexpr std::size_t kAmount = 10;   ///< features of a number of executors
  static constexpr std::size_t kClass = 6;     ///< features of a class of executors
  static constexpr std::size_t kFit = 4;       ///< features of a stage with `classes`
  static constexpr std::size_t kDeadline = 3;  ///< features of a job with `deadlines`

  /// Throws Error{invalid_space} if the observation is not that of a cluster, and
  /// Error{invalid_config} if there is no such group, or if it tells no deadlines.
  explicit DagFeatures(const Spec&, const DagFeaturesOptions& = {});

  /// Prepares what the stages of a row have in common. The batch must stay as it is.
  void read(const Batch& observation);
  /// The place in the arena of stages of a row's stage.
  [[nodiscard]] std::size_t place(std::size_t row, std::int32_t stage) const noexcept {
    return static_cast<std::size_t>(batch_->offsets(layout_.stages)[row] + stage);
  }

  /// The place in the arena of jobs of the job of a stage, by its place.
  [[nodiscard]] std::size_t job_of(std::size_t row, std::size_t stage) const noexcept;

  [[nodiscard]] std::size_t rows() const noexcept { return cluster_.size(); }
  [[nodiscard]] std::size_t jobs() const noexcept { return job_.size(); }
  [[nodiscard]] std::size_t jobs(std::size_t row) const noexcept {
    return static_cast<std::size_t>(cluster_[row].jobs);
  }
  static constexpr std::size_t kMore = 4;      ///< features of the cluster with TimeUnit::row_task
  static constexpr std::size_t kArrivals = 2;  ///< features of the cluster with `arrivals`
  /// Features of a job, by its place, and of all jobs of the row: [each()].
  [[nodiscard]] std::size_t each() const noexcept {
    return kJob + kCluster + (unit_ == TimeUnit::row_task ? kMore : 0) +
           (arrivals_ ? kArrivals : 0) + (deadlines_ ? kDeadline : 0);
  }
  void job(std::size_t row, std::size_t job, float* out) const;
  /// Features of a stage, by its place, beside those of its job: [of_stage()].
  [[nodiscard]] std::size_t of_stage() const noexcept { return kStage + (classes_ ? kFit : 0); }
  void stage(std::size_t row, std::size_t stage, float* out) const;
  /// Features of giving `count` executors to that stage, of at most `most`: [kAmount].
  void amount(std::size_t row, std::size_t stage, std::int32_t count, std::int32_t most,
              float* out) const;
  /// Features of taking the executors from a class: [kClass].
  void executor_class(std::size_t row, std::size_t stage, std::size_t number, float* out) const;
  /// Executors that the stage can get now, all of one class: at least 1.
  [[nodiscard]] std::int32_t most(std::size_t row, std::size_t stage) const;

 private:
  struct Cluster {
    std::array<float, kCluster> features{};
    std::array<float, kMore> more{};
    std::array<float, kArrivals> arrivals{};
    float executors = 0, source = 0, jobs = 0;
    float unit_s = 1;       ///< of TimeUnit::row_task
    float mean_work_s = 0;  ///< of a job of the row, in all
    std::int64_t first_job = 0;
  };

  void read_row(std::size_t row);
  [[nodiscard]] float unit_of(std::size_t first_stage, std::size_t end_stage) const;
  void read_more(ConstRow, Cluster&) const;
  void read_arrivals(ConstRow, Cluster&) const;
  /// The logarithm of a time, or of work, in the unit.
  [[nodiscard]] float log_time(const Cluster&, float seconds) const;
  /// How many executors a job has, against what a job of its work should have.
  [[nodiscard]] float of_usual(const Cluster&, float held, float work_s) const;
  void read_graph(std::size_t row);
  void read_jobs(std::size_t row, Cluster&);
  [[nodiscard]] float demand(std::size_t stage) const noexcept;
  /// The executors of a class that this round hands out to a stage; 0 where it may not be chosen.
  [[nodiscard]] float offered(ConstRow, std::size_t stage, std::size_t number) const;
  [[nodiscard]] std::array<float, kFit> fit(std::size_t row, std::size_t stage) const;
  [[nodiscard]] std::array<float, kDeadline> deadline(std::size_t row, std::size_t job) const;

  bool durations_, arrivals_, classes_, deadlines_;
  TimeUnit unit_;
  FeaturePlaces left_out_;  ///< these stay 0
  dag_scheduling::DagLayout layout_;

  // Columns of all stages and jobs of the batch that was read, as the arenas hold them.
  struct View {
    std::span<const float> tasks, mean_s, path_s, left, running, committed, moving;
    std::span<const float> job_work_s, job_left_s, job_tasks, job_executors, job_demand, job_stages;
    std::span<const float> last_s, job_stage_count;
    std::span<const std::int32_t> stage_job, least, largest, edge_parent, edge_child;
    std::span<const std::uint8_t> runnable, mask, class_mask, job_source;
    std::span<const double> arrival_s;
  };
  const Batch* batch_ = nullptr;
  View v_;
  std::vector<Cluster> cluster_;              // [B]
  std::vector<std::array<float, kJob>> job_;  // [jobs of all rows]
  std::vector<float> path_left_s_;            // [jobs of all rows]
  std::vector<std::pair<float, std::size_t>> by_work_;
  // Features of the graph [stages of all rows]: longest chain of unfinished stages below, and tasks
  // of children that wait for no other parent. The third is the time until the parents may have
  // finished.
  std::vector<float> depth_, unlocks_, wait_s_;
  std::vector<std::int32_t> parents_left_;
};

}  // namespace park::agents
