// All heuristics of the environment. Each answers one row at a time through ClusterView: it ranks
// jobs, then picks a stage inside the job, and returns an Assignment. Most remember nothing; Fifo
// with `compat` counts what each job of a slot was given. WeightedShare is the rule that the fair
// policies have in common. register_policies at the end adds them to a registry.
#include "park/envs/dag_scheduling/policies.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/dag_scheduling/cluster_view.h"

namespace park::dag_scheduling {
namespace {

/// A policy that sees its row as a ClusterView.
class ClusterPolicy : public RowPolicy {
 protected:
  explicit ClusterPolicy(const Spec& spec) : view_(spec) {}
  /// The answer to the row in view. `slot`: for policies that remember.
  virtual Assignment assign(ClusterView&, std::uint32_t slot) = 0;

 private:
  void choose(const Ask& ask, ConstRow observation, Row action) final {
    view_.look(observation);
    view_.write(assign(view_, ask.slot), action);
  }

  ClusterView view_;
};

struct FifoConfig {
  std::int32_t cap = 0;
  bool compat = false;
  bool operator==(const FifoConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("cap", self.cap,
          FieldDoc{.doc = "most executors that other jobs pass to a job; 0: as many as there are",
                   .min = 0,
                   .max = 1e6});
    visit("compat", self.compat,
          FieldDoc{.doc = "the cap counts all that were ever passed to the job, as in Decima's "
                          "released code, where the count never goes down"});
  }
};

/// First in, first out: Spark's default (Mao et al. 2019, sec. 7.1 (1); SparkAgent of the released
/// simulator). Executors stay with the source job while it has a legal stage; all of them go there.
/// Then the first job by arrival that is below its cap gets what its stage demands. Inside a job:
/// the stage that has been runnable for the longest time, else the first legal one. Where every
/// job with a legal stage is at its cap, the first one by arrival gets the executors.
/// Class of executors: best fit.
class Fifo final : public ClusterPolicy {
 public:
  using Config = FifoConfig;
  static PolicyInfo info() {
    return {.name = "fifo",
            .summary = "jobs in order of arrival, each with all executors that it can use",
            .reference = "Mao et al. 2019, sec. 7.1 (1); Spark's default scheduler",
            .environments = {"dag_scheduling"}};
  }
  Fifo(const Config& config, const Spec& spec) : ClusterPolicy(spec), config_(config) {}

  void start(std::uint32_t slot, const Episode&, Rng) override {
    if (slot >= passed_.size()) passed_.resize(slot + 1);
    passed_[slot].clear();
  }

 private:
  Assignment assign(ClusterView& view, std::uint32_t slot) override {
    if (view.source())
      if (const auto stage = view.pick_longest_ready(*view.source())) return view.give(*stage);
    for (std::size_t job = 0; job < view.jobs(); ++job) {
      const std::int32_t room = cap(view) - counted(view, job, slot);
      if (room <= 0) continue;
      if (const auto stage = view.pick_longest_ready(job)) {
        const Assignment given = view.give(*stage, room);
        count(view, job, slot, given);
        return given;
      }
    }
    return view.first_legal();
  }

  [[nodiscard]] std::int32_t cap(const ClusterView& view) const {
    return config_.cap > 0 ? config_.cap : view.executors();
  }
  /// What the cap is compared with.
  [[nodiscard]] std::int32_t counted(const ClusterView& view, std::size_t job,
                                     std::uint32_t slot) const {
    if (!config_.compat) return view.kept(job);
    const auto at = std::ranges::lower_bound(passed_[slot], view.id(job), {}, &Passed::job);
    return at == passed_[slot].end() || at->job != view.id(job) ? 0 : at->executors;
  }
  void count(const ClusterView& view, std::size_t job, std::uint32_t slot,
             const Assignment& given) {
    if (!config_.compat) return;
    std::vector<Passed>& all = passed_[slot];
    auto at = std::ranges::lower_bound(all, view.id(job), {}, &Passed::job);
    if (at == all.end() || at->job != view.id(job)) at = all.insert(at, {view.id(job), 0});
    at->executors = std::min(at->executors + given.limit - view.kept(job), kMaxPassed);
  }

  static constexpr std::int32_t kMaxPassed = 1'000'000'000;  // beyond every cap
  struct Passed {
    std::size_t job;
    std::int32_t executors;
  };

  Config config_;
  std::vector<std::vector<Passed>> passed_;  // [slots], by job, where compat
};

/// Shortest job first, inside a job the critical path first (Mao et al. 2019, sec. 7.1 (2)). Jobs
/// by ascending total work (ties: arrival): the first one with a legal stage gets what the stage
/// demands, whatever job the executors come from. Stage: runnable ones first, then the largest
/// critical-path work. Class of executors: best fit.
class SjfCp final : public ClusterPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "sjf_cp",
            .summary = "shortest job first by total work, inside a job the critical path first",
            .reference = "Mao et al. 2019, sec. 7.1 (2)",
            .environments = {"dag_scheduling"}};
  }
  explicit SjfCp(const Spec& spec) : ClusterPolicy(spec) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    const auto smallest = [&](std::size_t job) {
      return view.live(job) ? view.work(job) : ClusterView::kLeftOut;
    };
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = view.pick_critical(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(smallest, all)) return *made;
    return view.first_legal();
  }
};

/// Equal shares, dynamically (Mao et al. 2019, sec. 7.1 (3); DynamicPartitionAgent of the released
/// simulator). live = jobs with unassigned tasks, share = ceil(executors / live). Executors stay
/// with the source job while it has a legal stage, even above its share. Then the first job by
/// arrival that holds less than the share gets up to it. Inside a job: the stage that has been
/// runnable for the longest time, else the first legal one. Where every job with a legal stage has
/// its share (possible with several classes of executors only), the first one by arrival gets the
/// executors. Class of executors: best fit.
class Fair final : public ClusterPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "fair",
            .summary = "equal shares of the executors for all jobs that have work left",
            .reference = "Mao et al. 2019, sec. 7.1 (3); Ghodsi et al. 2011, with one resource",
            .environments = {"dag_scheduling"}};
  }
  explicit Fair(const Spec& spec) : ClusterPolicy(spec) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    if (view.source())
      if (const auto stage = view.pick_longest_ready(*view.source())) return view.give(*stage);
    const auto live = std::max(1, static_cast<std::int32_t>(view.live_jobs()));
    const std::int32_t share = (view.executors() + live - 1) / live;
    for (std::size_t job = 0; job < view.jobs(); ++job) {
      if (!view.live(job) || view.held(job) >= share) continue;
      if (const auto stage = view.pick_longest_ready(job))
        return view.give(*stage, share - view.held(job));
    }
    return view.first_legal();
  }
};

/// Weighted fair sharing with any rule for the next stage of a job. live = jobs with unassigned
/// tasks, w = total work of a job, share(job) = ceil(executors w^alpha / sum of w^alpha over live).
///   1. The source job, if it holds at most its share: what its stage demands; else
///   2. live jobs by ascending held / share: up to the share; else
///   3. live jobs by ascending work: what the stage demands.
/// (Mao et al. 2019, sec. 7.1 (4), (5); the order of the steps is ours.)
class WeightedShare {
 public:
  explicit WeightedShare(double alpha) : alpha_(alpha) {}

  /// `pick(job)`: an optional stage of the job.
  template <class Pick>
  [[nodiscard]] Assignment choose(ClusterView& view, Pick pick) {
    set_shares(view);
    if (const auto source = view.source(); source && view.held(*source) <= share_[*source])
      if (const auto stage = pick(*source)) return view.give(*stage);
    const auto fill = [&](std::size_t job) {
      return share_[job] > 0 ? view.held(job) / static_cast<double>(share_[job])
                             : ClusterView::kLeftOut;
    };
    const auto up_to_share = [&](std::size_t job) -> std::optional<Assignment> {
      const std::int32_t room = share_[job] - view.kept(job);
      if (room <= 0) return std::nullopt;
      if (const auto stage = pick(job)) return view.give(*stage, room);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(fill, up_to_share)) return *made;
    const auto smallest = [&](std::size_t job) {
      return view.live(job) ? view.work(job) : ClusterView::kLeftOut;
    };
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = pick(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(smallest, all)) return *made;
    return view.first_legal();
  }

 private:
  void set_shares(const ClusterView& view) {
    share_.assign(view.jobs(), 0);
    weight_.assign(view.jobs(), 0.0);
    double sum = 0;
    for (std::size_t job = 0; job < view.jobs(); ++job)
      if (view.live(job)) sum += weight_[job] = std::pow(std::max(view.work(job), kTiny), alpha_);
    // A share that is whole but for rounding stays whole.
    const double unit = sum > 0 ? view.executors() / sum * (1 - 1e-12) : 0;
    for (std::size_t job = 0; job < view.jobs(); ++job)
      share_[job] = static_cast<std::int32_t>(std::ceil(unit * weight_[job]));
  }

  static constexpr double kTiny = 1e-9;  // work that is not known yet is 0

  double alpha_;
  std::vector<double> weight_;       // [jobs], 0 for jobs that are not live
  std::vector<std::int32_t> share_;  // [jobs], likewise
};

/// Shares proportional to total work (Mao et al. 2019, sec. 7.1 (4)): weighted_fair(alpha=1).
class NaiveWeightedFair final : public ClusterPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "naive_weighted_fair",
            .summary = "shares proportional to a job's total work",
            .reference = "Mao et al. 2019, sec. 7.1 (4)",
            .environments = {"dag_scheduling"}};
  }
  explicit NaiveWeightedFair(const Spec& spec) : ClusterPolicy(spec) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    return share_.choose(view, [&](std::size_t job) { return view.pick_first(job); });
  }
  WeightedShare share_{1.0};
};

struct WeightedFairConfig {
  double alpha = -1;
  bool operator==(const WeightedFairConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("alpha", self.alpha,
          FieldDoc{.doc = "exponent of a job's total work in its share; 0: equal shares",
                   .min = -10,
                   .max = 10,
                   .tune = "-10:2:0.1"});
  }
};

/// Weighted fair sharing with a tuned exponent (Mao et al. 2019, sec. 7.1 (5), alpha in -2, -1.9,
/// ..., 2); the rule is that of WeightedShare. Inside a job: the first runnable stage, else the
/// first legal one. Class of executors: best fit.
class WeightedFair final : public ClusterPolicy {
 public:
  using Config = WeightedFairConfig;
  static PolicyInfo info() {
    return {.name = "weighted_fair",
            .summary = "shares proportional to a power of a job's total work",
            .reference = "Mao et al. 2019, sec. 7.1 (5)",
            .environments = {"dag_scheduling"}};
  }
  WeightedFair(const Config& config, const Spec& spec)
      : ClusterPolicy(spec), share_(config.alpha) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    return share_.choose(view, [&](std::size_t job) { return view.pick_first(job); });
  }
  WeightedShare share_;
};

/// List scheduling by critical path over all jobs at once: highest level first with estimated times
/// (Adam, Chandy, Dickson 1974). Of all legal stages, runnable ones first, the one with the largest
/// critical-path work gets what it demands (ties: arrival, order of stages). It shortens the
/// makespan, not the completion times. Class of executors: best fit.
class CriticalPath final : public ClusterPolicy {
 public:
  static PolicyInfo info() {
    return {.name = "critical_path",
            .summary = "the stage with the longest chain of work below it, over all jobs",
            .reference = "Adam, Chandy, Dickson 1974, HLFET",
            .environments = {"dag_scheduling"}};
  }
  explicit CriticalPath(const Spec& spec) : ClusterPolicy(spec) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    const auto stage = view.pick_any([&](std::size_t s) { return -view.critical_path_s(s); });
    return stage ? view.give(*stage) : Assignment{};
  }
};

struct TetrisConfig {
  double srpt = 0;
  bool operator==(const TetrisConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(
        "srpt", self.srpt,
        FieldDoc{.doc = "weight m of remaining work against alignment, at equal means: a score is "
                        "alignment - m (mean alignment / mean remaining work) remaining work; 0: "
                        "packs alone",
                 .min = 0,
                 .max = 1e6,
                 .tune = "0|0.1|0.25|0.5|0.75|1|1.5|2|3|5|10|30|100"});
  }
};

/// Multi-resource packing (Grandl et al. 2014; Mao et al. 2019, sec. 7.1 (6)). The alignment of a
/// stage and a class of executors is the dot product of what a task requests and what an executor
/// of the class offers, each resource in units of the largest executor of the cluster (sec. 3.2).
/// An executor runs one task at a time, so that all of it is available.
///   Score of the pair (sec. 3.3.2): a - m (mean a / mean p) p. Here a is the alignment, and p the
///   remaining work of the job: over its unlaunched tasks, the mean duration times the sum of the
///   normalised requests. The means are over the stages that are legal now, each with its best
///   class. m = 1 is the original's choice, m = 0 packs alone.
/// Runnable stages before others; ties: arrival, order of stages and classes. The stage gets what
/// it demands. With one class, equal requests and m = 0 every score is the same, which leaves the
/// order of arrival.
class Tetris final : public ClusterPolicy {
 public:
  using Config = TetrisConfig;
  static PolicyInfo info() {
    return {.name = "tetris",
            .summary = "the stage and class of executors whose resources align best",
            .reference = "Grandl et al. 2014, sec. 3.2 and 3.3; Mao et al. 2019, sec. 7.1 (6)",
            .environments = {"dag_scheduling"}};
  }
  Tetris(const Config& config, const Spec& spec) : ClusterPolicy(spec), config_(config) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    most_cpus_ = most_memory_ = 0;
    for (std::size_t c = 0; c < view.classes(); ++c) {
      most_cpus_ = std::max(most_cpus_, view.class_cpus(c));
      most_memory_ = std::max(most_memory_, view.class_memory(c));
    }
    if (config_.srpt > 0) weigh_jobs(view);
    const auto score = [&](std::size_t s) {
      const double a = alignment(view, s, best_class(view, s));
      return config_.srpt > 0 ? a - price_ * left_[view.job_of(s)] : a;
    };
    const auto stage = view.pick_any([&](std::size_t s) { return -score(s); });
    return stage ? view.give(*stage, ClusterView::kNoBound, best_class(view, *stage))
                 : Assignment{};
  }

  /// Fills left_ with the remaining work of the jobs, and price_ with the weight of one unit of it.
  void weigh_jobs(const ClusterView& view) {
    left_.assign(view.jobs(), 0.0);
    double alignments = 0, work = 0;
    for (std::size_t j = 0; j < view.jobs(); ++j)
      for (std::size_t s = view.first_stage(j); s < view.end_stage(j); ++s)
        left_[j] += view.tasks_left(s) * view.mean_duration_s(s) *
                    (part(view.cpus(s), most_cpus_) + part(view.memory(s), most_memory_));
    for (std::size_t s = 0; s < view.stages(); ++s) {
      if (!view.legal(s)) continue;
      alignments += alignment(view, s, best_class(view, s));
      work += left_[view.job_of(s)];
    }
    price_ = work > 0 ? config_.srpt * alignments / work : 0;
  }

  /// The class with the best alignment for a stage, of those that it can get. REQUIRES a legal stage.
  [[nodiscard]] std::size_t best_class(const ClusterView& view, std::size_t stage) const {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < view.classes(); ++c) {
      if (!view.offers(stage, c)) continue;
      if (!best || alignment(view, stage, c) > alignment(view, stage, *best)) best = c;
    }
    return best.value_or(0);
  }
  [[nodiscard]] double alignment(const ClusterView& view, std::size_t stage, std::size_t c) const {
    return part(view.cpus(stage), most_cpus_) * part(view.class_cpus(c), most_cpus_) +
           part(view.memory(stage), most_memory_) * part(view.class_memory(c), most_memory_);
  }
  static double part(double amount, double unit) { return unit > 0 ? amount / unit : 0; }

  Config config_;
  double most_cpus_ = 0, most_memory_ = 0;  // of an executor of any class
  std::vector<double> left_;                // [jobs] remaining work
  double price_ = 0;                        // of a unit of it, in units of alignment
};

struct GrapheneStarConfig {
  double alpha = -1, long_part = 0.5, scarce_part = 0.5;
  bool operator==(const GrapheneStarConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("alpha", self.alpha,
          FieldDoc{
              .doc = "exponent of a job's total work in its share, as in weighted_fair",
              .min = -10,
              .max = 10,
              .tune =
                  "-10|-6|-4|-3.5|-3|-2.5|-2|-1.75|-1.5|-1.25|-1|-0.75|-0.5|-0.25|0|0.5|1|1.5|2"});
    visit("long_part", self.long_part,
          FieldDoc{.doc = "a stage is troublesome if its tasks take at least this part of the "
                          "longest mean duration of its job; above 1: never",
                   .min = 0,
                   .max = 2,
                   .tune = "0.25|0.5|0.75|1|2"});
    visit("scarce_part", self.scarce_part,
          FieldDoc{.doc = "a stage is troublesome if at most this part of all executors fits it",
                   .min = 0,
                   .max = 1,
                   .tune = "0|0.5"});
  }
};

/// Graphene (Grandl et al. 2016) as adapted to stages and classes of executors for Mao et al. 2019,
/// sec. 7.1 (7): troublesome stages are found as in Graphene, sec. 4.1, and scheduled together,
/// and the parallelism of a job is tuned as in weighted_fair.
///   Troublesome: a stage whose tasks are long (LongScore: mean duration / the longest of the job
///   >= long_part) or hard to place (FragScore: the part of all executors whose class fits its
///   tasks <= scarce_part), and every stage on a path between two such stages.
///   Inside a job, runnable stages first, and among equals: troublesome stages, then their
///   ancestors, which unlock them, then the others; ties by the largest critical-path work.
///   Between jobs: the rule of WeightedShare. Class of executors: best fit.
/// Graphene itself plans single tasks offline; its search over virtual orders has no counterpart.
class GrapheneStar final : public ClusterPolicy {
 public:
  using Config = GrapheneStarConfig;
  static PolicyInfo info() {
    return {.name = "graphene_star",
            .summary = "long or hard-to-place stages of a job first, weighted shares between jobs",
            .reference = "Grandl et al. 2016, sec. 4.1; Mao et al. 2019, sec. 7.1 (7)",
            .environments = {"dag_scheduling"}};
  }
  GrapheneStar(const Config& config, const Spec& spec)
      : ClusterPolicy(spec), config_(config), share_(config.alpha) {}

 private:
  enum Rank : std::uint8_t { troublesome, ancestor, other };

  Assignment assign(ClusterView& view, std::uint32_t) override {
    sort_edges(view);
    return share_.choose(view, [&](std::size_t job) { return pick(view, job); });
  }

  std::optional<std::size_t> pick(const ClusterView& view, std::size_t job) {
    rank_stages(view, job);
    const std::size_t first = view.first_stage(job);
    return view.pick(
        job, [&](std::size_t s) { return std::pair(rank_[s - first], -view.critical_path_s(s)); });
  }

  /// Fills rank_ with the ranks of the stages of a job.
  void rank_stages(const ClusterView& view, std::size_t job) {
    const std::size_t first = view.first_stage(job), count = view.end_stage(job) - first;
    seed_.assign(count, 0);
    double longest = 0;
    for (std::size_t i = 0; i < count; ++i)
      longest = std::max(longest, view.mean_duration_s(first + i));
    for (std::size_t i = 0; i < count; ++i)
      seed_[i] = view.mean_duration_s(first + i) >= config_.long_part * longest ||
                 fitting_part(view, first + i) <= config_.scarce_part;
    find_edges(job, first, count);
    above_ = below_ = seed_;
    spread([this](const Edge& e) { return raise(above_[e.parent], above_[e.child]); });
    spread([this](const Edge& e) { return raise(below_[e.child], below_[e.parent]); });
    rank_.resize(count);
    for (std::size_t i = 0; i < count; ++i)
      rank_[i] = seed_[i] || (above_[i] && below_[i]) ? troublesome : above_[i] ? ancestor : other;
  }

  /// The part of all executors whose class fits the tasks of a stage.
  [[nodiscard]] static double fitting_part(const ClusterView& view, std::size_t stage) {
    double fitting = 0;
    for (std::size_t c = 0; c < view.classes(); ++c)
      if (view.fits(stage, c)) fitting += view.class_size(c);
    return fitting / view.executors();
  }

  using Edge = ClusterView::Edge;
  /// Puts the edges of the row by their jobs: those of job j end at edge_end_[j].
  void sort_edges(const ClusterView& view) {
    edge_end_.assign(view.jobs() + 1, 0);
    const auto job_of = [&](std::size_t e) { return view.job_of(view.edge(e).parent); };
    for (std::size_t e = 0; e < view.edges(); ++e) ++edge_end_[job_of(e) + 1];
    std::partial_sum(edge_end_.begin(), edge_end_.end(), edge_end_.begin());
    by_job_.resize(view.edges());
    for (std::size_t e = 0; e < view.edges(); ++e) by_job_[edge_end_[job_of(e)]++] = view.edge(e);
  }
  /// Fills edges_ with the edges of a job, counted from its first stage.
  void find_edges(std::size_t job, std::size_t first, std::size_t count) {
    edges_.clear();
    for (std::size_t e = job == 0 ? 0 : edge_end_[job - 1]; e < edge_end_[job]; ++e) {
      const auto [parent, child] = by_job_[e];
      const auto own = [&](std::size_t s) { return s >= first && s < first + count; };
      if (own(parent) && own(child)) edges_.push_back({parent - first, child - first});
    }
  }
  static bool raise(std::uint8_t& to, std::uint8_t from) {
    const bool rises = to < from;
    to = std::max(to, from);
    return rises;
  }
  /// Applies a step to every edge until nothing changes.
  template <class Step>
  void spread(Step step) {
    for (bool changed = true; changed;) {
      changed = false;
      for (const Edge& e : edges_) changed |= step(e);
    }
  }

  Config config_;
  WeightedShare share_;
  std::vector<Edge> by_job_;                 // of the row
  std::vector<std::size_t> edge_end_;        // [jobs + 1] in by_job_; the last one is all edges
  std::vector<Edge> edges_;                  // of the job in hand
  std::vector<std::uint8_t> seed_;           // [its stages] long or hard to place
  std::vector<std::uint8_t> above_, below_;  // [its stages] seeds with their ancestors, descendants
  std::vector<Rank> rank_;                   // [its stages]
};

struct CapConfig {
  double c = 8, s = 0.9, scale_s = 500;
  bool operator==(const CapConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("c", self.c,
          FieldDoc{.doc = "cap of a job whose total work is scale_s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0.5|1|1.5|2|3|4|6|8|10|12|15|18|22|27|33|40|50|70|100|140|200|300",
                   .open_min = true});
    visit("s", self.s,
          FieldDoc{.doc = "exponent of a job's total work in its cap; 0: the same cap for all",
                   .min = 0,
                   .max = 10,
                   .tune = "0|0.25|0.5|0.75|0.9|1|1.25|1.5"});
    visit("scale_s", self.scale_s,
          FieldDoc{.doc = "total work of a job whose cap is c; c alone is tuned, as another "
                          "scale_s is the same as another c",
                   .unit = "executor-seconds",
                   .min = 0,
                   .max = 1e12,
                   .open_min = true});
  }
};

/// Jobs in an order, with a cap per job that grows with its total work:
///   cap(job) = max(1, ceil(c (total work / scale_s)^s)).
///   1. The source job, if it holds at most its cap: what its stage demands; else
///   2. jobs in order (ties: arrival) that hold less than their cap: up to the cap; else
///   3. without caps: the source job, then jobs in order.
/// Inside a job: runnable stages first, then the largest critical-path work. Class of executors:
/// best fit. (Own definition: caps because parallelism makes the tasks of a job slower.)
class CappedOrder {
 public:
  explicit CappedOrder(const CapConfig& config) : config_(config) {}

  /// `rank(job)`: live jobs are served by ascending rank.
  template <class Rank>
  [[nodiscard]] Assignment choose(ClusterView& view, Rank rank) const {
    const auto source = view.source();
    if (source && view.held(*source) <= cap(view, *source))
      if (const auto stage = view.pick_critical(*source)) return view.give(*stage);
    const auto key = [&](std::size_t job) {
      return view.live(job) ? rank(job) : ClusterView::kLeftOut;
    };
    const auto up_to_cap = [&](std::size_t job) -> std::optional<Assignment> {
      const double room = cap(view, job) - view.kept(job);
      if (room <= 0) return std::nullopt;
      if (const auto stage = view.pick_critical(job))
        return view.give(*stage, static_cast<std::int32_t>(room));
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(key, up_to_cap)) return *made;
    if (source)
      if (const auto stage = view.pick_critical(*source)) return view.give(*stage);
    const auto all = [&](std::size_t job) -> std::optional<Assignment> {
      if (const auto stage = view.pick_critical(job)) return view.give(*stage);
      return std::nullopt;
    };
    if (const auto made = view.by_ascending(key, all)) return *made;
    return view.first_legal();
  }

  /// At most the executors of the cluster, whatever the exponent makes of the work.
  [[nodiscard]] double cap(const ClusterView& view, std::size_t job) const {
    const double size = config_.c * std::pow(view.work(job) / config_.scale_s, config_.s);
    return std::clamp<double>(std::ceil(size), 1, std::max(1, view.executors()));
  }

 private:
  CapConfig config_;
};

/// Shortest remaining work first, with the caps of CappedOrder. Remaining work is unlaunched tasks
/// times mean duration. (Own definition: SRPT after Schrage 1968.)
class SrptCapped final : public ClusterPolicy {
 public:
  using Config = CapConfig;
  static PolicyInfo info() {
    return {.name = "srpt_capped",
            .summary = "shortest remaining work first, with a cap that grows with a job's work",
            .reference = "Schrage 1968, with caps on parallelism",
            .environments = {"dag_scheduling"}};
  }
  SrptCapped(const Config& config, const Spec& spec) : ClusterPolicy(spec), order_(config) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    return order_.choose(view, [&](std::size_t job) { return view.work_left(job); });
  }
  CappedOrder order_;
};

struct EdfCappedConfig : CapConfig {
  double haste = 0.5;
  bool operator==(const EdfCappedConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    CapConfig::fields(self, visit);
    visit("haste", self.haste,
          FieldDoc{.doc = "a job is given up where its deadline is nearer than haste times its "
                          "remaining work over its cap; 0: only when it is late",
                   .min = 0,
                   .max = 100,
                   .tune = "0|0.5|1|2"});
  }
};

/// Earliest deadline first (Liu and Layland 1973), with the caps of CappedOrder. Jobs that are late,
/// or can hardly be in time, come after all others, by remaining work: giving up the long ones is
/// what makes few jobs late (Moore 1968). Where jobs have no deadlines, they come by arrival.
class EdfCapped final : public ClusterPolicy {
 public:
  using Config = EdfCappedConfig;
  static PolicyInfo info() {
    return {.name = "edf_capped",
            .summary =
                "earliest deadline first, late jobs last, with a cap that grows with a job's work",
            .reference = "Liu and Layland 1973; Moore 1968; with caps on parallelism",
            .environments = {"dag_scheduling"}};
  }
  EdfCapped(const Config& config, const Spec& spec)
      : ClusterPolicy(spec), haste_(config.haste), order_(config) {}

 private:
  Assignment assign(ClusterView& view, std::uint32_t) override {
    double latest_s = 0;
    for (std::size_t job = 0; job < view.jobs(); ++job)
      latest_s = std::max(latest_s, view.deadline_s(job));
    return order_.choose(view, [&](std::size_t job) {
      const double left = view.work_left(job), deadline_s = view.deadline_s(job);
      const bool in_time = view.time_s() + haste_ * left / order_.cap(view, job) <= deadline_s;
      return in_time ? deadline_s : latest_s + left;
    });
  }

  double haste_;
  CappedOrder order_;
};

}  // namespace

void register_policies(Registry& r) {
  r.add_policy<Fifo>();
  r.add_policy<SjfCp>();
  r.add_policy<Fair>();
  r.add_policy<NaiveWeightedFair>();
  r.add_policy<WeightedFair>();
  r.add_policy<CriticalPath>();
  r.add_policy<Tetris>();
  r.add_policy<GrapheneStar>();
  r.add_policy<SrptCapped>();
  r.add_policy<EdfCapped>();
}

}  // namespace park::dag_scheduling
