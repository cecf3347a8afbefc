// Heuristics that grant one thing after another by a score (Greedy of heuristics.h). Each says what
// the next step of a job is and what it is worth. Those that go through the jobs in an order are in
// ordered_policies.cc. register_policies adds both.
#include "park/envs/dl_cluster/policies.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "park/core/config.h"
#include "park/envs/dl_cluster/heuristics.h"
#include "park/envs/dl_cluster/learned_goodput.h"
#include "park/envs/dl_cluster/ordered_policies.h"

namespace park::dl_cluster {
namespace {

constexpr double kFirst = std::numeric_limits<double>::max();  // a score above all others

struct DrfConfig {
  std::int32_t workers = 1, servers = 1;
  bool operator==(const DrfConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("workers", c.workers,
          FieldDoc{.doc = "model=ps: workers of a bundle", .min = 1, .max = 64, .tune = "1|2|3|4"});
    visit("servers", c.servers,
          FieldDoc{
              .doc = "model=ps: servers of a bundle", .min = 1, .max = 64, .tune = "1|2|3|4|5|6"});
  }
};

/// Dominant resource fairness by progressive filling (Ghodsi et al., NSDI 2011): the job with the
/// smallest dominant share (ties: arrival) gets one bundle of workers and servers more; model=
/// allreduce: the next rung. A bundle of one and one goes to one node. Where cluster.compat is 1
/// the slot ends at the first bundle that does not fit. Knows no speeds.
class Drf final : public Greedy {
 public:
  using Config = DrfConfig;
  static PolicyInfo info() {
    return {.name = "drf",
            .summary = "one bundle more for the job with the smallest dominant share",
            .reference =
                "Ghodsi et al., Dominant Resource Fairness, NSDI 2011; the baseline of "
                "DL2",
            .environments = {kDlClusterName}};
  }
  Drf(const Config& c, const Spec& spec) : Greedy(spec, info().name), config_(c) {}

 private:
  bool stops() const override { return view_.compat(); }
  void begin() override { most_ = view_.largest(); }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    if (view_.keeps()) {
      const Grant to = view_.next_up(from);
      if (to == from) return {};
      return Step{to, -view_.share(job, from)};
    }
    const auto bundles = [](std::int32_t tasks, std::int32_t of) { return (tasks + of - 1) / of; };
    const std::int32_t begun =
        std::max(bundles(from.workers, config_.workers), bundles(from.servers, config_.servers));
    const Grant now{begun * config_.workers, begun * config_.servers};
    if (now != from) return limited(now, from, kFirst);
    return limited({now.workers + config_.workers, now.servers + config_.servers}, from,
                   -view_.share(job, from));
  }
  [[nodiscard]] std::optional<Step> limited(const Grant& to, const Grant& from,
                                            double score) const {
    if (!to.within(most_) || to == from) return {};
    return Step{to, score, true};
  }

  Config config_;
  Grant most_;
};

/// Equal numbers of workers (GPUs): one worker and one server more, or the next rung, for the job
/// with the fewest (ties: arrival).
class EqualShare final : public Greedy {
 public:
  static PolicyInfo info() {
    return {.name = "equal_share",
            .summary = "as many workers, or GPUs, for every job",
            .reference = "max-min fairness with one resource",
            .environments = {kDlClusterName}};
  }
  explicit EqualShare(const Spec& spec) : Greedy(spec, info().name) {}

 private:
  std::optional<Step> next(std::size_t, const Grant& from) override {
    const Grant to =
        view_.keeps() ? view_.next_up(from) : Grant{from.workers + 1, from.servers + 1};
    if (to == from) return {};
    return Step{to, -static_cast<double>(from.workers), true};
  }
};

struct OptimusConfig {
  bool repaired = false, far = false;
  bool operator==(const OptimusConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("repaired", c.repaired,
          FieldDoc{.doc = "tries other grants where the best does not fit, also where "
                          "cluster.compat is 1",
                   .tune = "false|true"});
    visit("far", c.far,
          FieldDoc{.doc = "looks at all configurations above the present one, not at one task more "
                          "alone, and divides the gain by the cost",
                   .tune = "false|true"});
  }
};

/// Optimus (Peng et al., EuroSys 2018, section 4.1) with the speeds that rows tell: the largest
/// gain of remaining time by one worker or one server more (ties: the server), as long as it is
/// above 0. A job without a worker, then one without a server, comes before all others. model=
/// allreduce: the next rung, by the gain per GPU.
class Optimus final : public Greedy {
 public:
  using Config = OptimusConfig;
  static PolicyInfo info() {
    return {.name = "optimus",
            .summary = "one worker or server more where it saves most remaining time",
            .reference = "Peng et al., Optimus, EuroSys 2018, section 4.1; the baseline of DL2",
            .environments = {kDlClusterName}};
  }
  Optimus(const Config& c, const Spec& spec)
      : Greedy(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool stops() const override { return view_.compat() && !config_.repaired; }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    if (from.workers == 0) return first(view_.keeps() ? view_.next_up(from) : Grant{1, 0}, from);
    if (from.servers == 0 && !view_.keeps()) return Step{{from.workers, 1}, kFirst};
    if (config_.far) return farthest(job, from);
    if (view_.keeps()) return step(job, from, view_.next_up(from));
    const auto worker = step(job, from, {from.workers + 1, from.servers});
    const auto server = step(job, from, {from.workers, from.servers + 1});
    return server && (!worker || server->score >= worker->score) ? server : worker;
  }
  static std::optional<Step> first(const Grant& to, const Grant& from) {
    if (to == from) return {};
    return Step{to, kFirst};
  }
  /// Without gain there is no step.
  [[nodiscard]] std::optional<Step> step(std::size_t job, const Grant& from,
                                         const Grant& to) const {
    const double before_s = remaining_s(job, from), after_s = remaining_s(job, to);
    const double cost = view_.cost(job, to) - view_.cost(job, from);
    const double gain =
        std::isinf(before_s) ? kFirst : (before_s - after_s) / std::max(cost, kLeastCost);
    if (std::isinf(after_s) || !(gain > 0)) return {};
    return Step{to, gain};
  }
  [[nodiscard]] std::optional<Step> farthest(std::size_t job, const Grant& from) const {
    std::optional<Step> best;
    climb(job, from, [&](const Gain& gain) {
      const auto one = affordable(job, from, gain.to) ? step(job, from, gain.to) : std::nullopt;
      if (one && (!best || one->score > best->score)) best = one;
      return false;
    });
    return best;
  }

  Config config_;
};

struct TetrisConfig {
  double weight = 1;
  bool operator==(const TetrisConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("weight", c.weight,
          FieldDoc{.doc = "of the remaining demand against the alignment, both relative to their "
                          "means over the jobs",
                   .min = 0,
                   .max = 1e3,
                   .tune = "0|0.25|0.5|1|2|4|8"});
  }
};

/// Tetris (Grandl et al., SIGCOMM 2014) as DL2 uses it: the job with the highest alignment of a
/// bundle's demand with what its node has free + weight times demand times the share of the work
/// that is left gets one bundle more. The node is the first where it fits; where tasks go is up to the
/// environment.
class TetrisBundles final : public Greedy {
 public:
  using Config = TetrisConfig;
  static PolicyInfo info() {
    return {.name = "tetris_bundles",
            .summary = "one bundle more for the job that aligns best with a node",
            .reference =
                "Grandl et al., Multi-resource Packing for Cluster Schedulers, SIGCOMM "
                "2014; a baseline of DL2",
            .environments = {kDlClusterName}};
  }
  TetrisBundles(const Config& c, const Spec& spec) : Greedy(spec, info().name), config_(c) {}

 private:
  struct Scores {
    double alignment = 0, demand = 0;
  };

  void begin() override {
    scores_.assign(view_.jobs(), {});
    Scores sum;
    for (std::size_t j = 0; j < view_.jobs(); ++j) {
      scores_[j] = scores_of(j);
      sum.alignment += scores_[j].alignment;
      sum.demand += scores_[j].demand;
    }
    ratio_ = sum.demand > 0 ? config_.weight * sum.alignment / sum.demand : 0;
  }
  [[nodiscard]] Grant bundle(std::size_t job) const {
    return view_.keeps() ? view_.request(job) : Grant{1, 1};
  }
  [[nodiscard]] Scores scores_of(std::size_t job) const {
    Scores s;
    const auto node = view_.first_node(job, bundle(job));
    for (std::size_t r = 0; r < view_.resources(); ++r) {
      const double demand = view_.demand(job, bundle(job), r);
      if (node) s.alignment += demand * view_.node_free(*node, r);
      s.demand += demand * view_.remaining(job);
    }
    return s;
  }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    const Grant more = bundle(job), to{from.workers + more.workers, from.servers + more.servers};
    if ((view_.keeps() && from != Grant{}) || to == from) return {};
    return Step{to, scores_[job].alignment + ratio_ * scores_[job].demand, true};
  }

  Config config_;
  std::vector<Scores> scores_;  // [jobs]
  double ratio_ = 0;
};

struct PolluxConfig {
  double p = -1, restart_s = 30;
  bool operator==(const PolluxConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("p", c.p,
          FieldDoc{.doc = "power of the mean of the speed-ups: lower is fairer",
                   .min = -10,
                   .max = 1,
                   .tune = "-10|-5|-2|-1|-0.5|0.25|0.5|1"});
    visit("restart_s", c.restart_s,
          FieldDoc{.doc = "what a change is taken to cost",
                   .unit = "s",
                   .min = 0,
                   .max = 1e6,
                   .tune = "0|30|60|120|300|600"});
  }
};

/// Pollux (Qiao et al., OSDI 2021, section 4.2), with a greedy search in place of its genetic one:
/// grants maximise the mean over jobs of speedup^p. A job's speed-up is its speed over that on a
/// fair share of the first resource; a grant that is not the present one counts (age - changes
/// restart) / (age + restart) of that.
class Pollux final : public Greedy {
 public:
  using Config = PolluxConfig;
  static PolicyInfo info() {
    return {.name = "pollux",
            .summary = "grants that maximise a power mean of the jobs' speed-ups",
            .reference = "Qiao et al., Pollux, OSDI 2021, section 4.2",
            .environments = {kDlClusterName}};
  }
  Pollux(const Config& c, const Spec& spec)
      : Greedy(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool plans() const override { return true; }
  void begin() override {
    fair_.clear();
    const double share = view_.capacity(0) / std::max(1.0, static_cast<double>(view_.jobs()));
    for (std::size_t j = 0; j < view_.jobs(); ++j) {
      double speed = 0;
      for (const Choice& choice : view_.frontier(j))
        if (speed == 0 || choice.cost <= share) speed = choice.speed;
      fair_.push_back(speed);
    }
  }
  [[nodiscard]] double speedup(std::size_t job, const Grant& g) const {
    constexpr double kLeast = 1e-3;  // of a job that waits
    double relative = fair_[job] > 0 ? view_.speed(job, g) / fair_[job] : 0;
    const double age_s = view_.age_s(job), restart_s = config_.restart_s;
    if (view_.keeps() && g != view_.held(job) && age_s + restart_s > 0)
      relative *= std::max(0.1, (age_s - view_.changes(job) * restart_s) / (age_s + restart_s));
    return std::max(kLeast, relative);
  }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    const auto gain = steepest(job, from);
    if (!gain) return {};
    const double before = std::pow(speedup(job, from), config_.p);
    const double after = std::pow(speedup(job, gain->to), config_.p);
    const double score = (config_.p < 0 ? before - after : after - before) / gain->cost;
    if (!(score > 0)) return {};
    return Step{gain->to, score};
  }

  Config config_;
  std::vector<double> fair_;  // [jobs]
};

struct HullGreedyConfig {
  double alpha = 0.25, tilt = 0, cost_power = 1, gpu_weight = 0, enough = 1;
  bool operator==(const HullGreedyConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("alpha", c.alpha,
          FieldDoc{.doc = "power of the remaining work; 1 - alpha is that of the best speed",
                   .min = 0,
                   .max = 4,
                   .tune = "0:2:0.125"});
    visit("tilt", c.tilt,
          FieldDoc{.doc = "added to the power of the best speed",
                   .min = -4,
                   .max = 4,
                   .tune = "-1:1:0.25"});
    visit("cost_power", c.cost_power,
          FieldDoc{
              .doc = "power of the cost of a step", .min = 0, .max = 4, .tune = "0.5:1.5:0.125"});
    visit(
        "gpu_weight", c.gpu_weight,
        FieldDoc{.doc = "what a slot of the second resource costs, where one of the first costs 1",
                 .min = 0,
                 .max = 100,
                 .tune = "0|0.05|0.1|0.25|0.5|1"});
    visit("enough", c.enough,
          FieldDoc{.doc = "share of its best speed that is enough for a job",
                   .min = 0.01,
                   .max = 1,
                   .tune = "0.7|0.8|0.85|0.9|0.95|0.97|1"});
  }
};

/// Hull greedy, a rule of our own. Configurations that are strictly faster than all cheaper ones
/// are a job's frontier. Its next step is the one above the present grant with the largest gain of
/// speed per cost. The step is taken whose gain per cost / (remaining^alpha best_speed^(1 - alpha))
/// is largest; a step that fits nowhere is dropped, the others remain.
class HullGreedy final : public Greedy {
 public:
  using Config = HullGreedyConfig;
  static PolicyInfo info() {
    return {.name = "hull_greedy",
            .summary = "the step to a better configuration that gains most speed per cost",
            .reference = "a rule of Park's; compare Peng et al., Optimus, EuroSys 2018",
            .environments = {kDlClusterName}};
  }
  HullGreedy(const Config& c, const Spec& spec)
      : Greedy(spec, info().name, {.speeds = true, .second_weight = c.gpu_weight}), config_(c) {}

 private:
  bool plans() const override { return true; }
  void begin() override {
    weight_.clear();
    const double power = 1 - config_.alpha + config_.tilt;
    for (std::size_t j = 0; j < view_.jobs(); ++j)
      weight_.push_back(std::pow(std::max(view_.remaining_work(j), 1e-9), config_.alpha) *
                        std::pow(std::max(view_.best_speed(j), 1e-30), power));
  }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    if (view_.speed(job, from) >= config_.enough * view_.best_speed(job)) return {};
    const auto gain = steepest(job, from, config_.cost_power);
    if (!gain) return {};
    return Step{gain->to, scored(job, *gain)};
  }

  bool possible(std::size_t job, const Grant& to) override {
    return view_.fits(job, view_.held(job), to);
  }
  /// The steepest of the frontier's steps that fit.
  std::optional<Step> smaller(std::size_t job) override {
    const Grant from = view_.held(job);
    const auto gain = steepest(job, from, config_.cost_power,
                               [&](const Grant& to) { return view_.fits(job, from, to); });
    if (!gain) return {};
    return Step{.to = gain->to, .score = scored(job, *gain), .small = true};
  }
  [[nodiscard]] double scored(std::size_t job, const Gain& gain) const {
    return slope_of(gain, config_.cost_power) / weight_[job];
  }

  Config config_;
  std::vector<double> weight_;  // [jobs]
};

struct MarginalGoodputConfig {
  double exponent = 0.25, stay = 0.5;
  bool operator==(const MarginalGoodputConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("exponent", c.exponent,
          FieldDoc{.doc = "power of the remaining work: how much short jobs are preferred",
                   .min = 0,
                   .max = 4,
                   .tune = "0|0.125|0.25|0.375|0.5|0.75|1"});
    visit("stay", c.stay,
          FieldDoc{.doc = "bonus for what a job has already, as a share",
                   .min = 0,
                   .max = 100,
                   .tune = "0|0.1|0.2|0.35|0.5|0.75|1|2"});
  }
};

/// An index rule of our own for grants that stay: the largest gain of goodput per GPU over
/// remaining^exponent, (1 + stay) times that for what the job has already.
class MarginalGoodput final : public Greedy {
 public:
  using Config = MarginalGoodputConfig;
  static PolicyInfo info() {
    return {.name = "marginal_goodput",
            .summary = "the largest gain of goodput, short jobs and present grants preferred",
            .reference = "a rule of Park's; compare Qiao et al., Pollux, OSDI 2021",
            .environments = {kDlClusterName}};
  }
  MarginalGoodput(const Config& c, const Spec& spec)
      : Greedy(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool plans() const override { return true; }
  std::optional<Step> next(std::size_t job, const Grant& from) override {
    const auto gain = steepest(job, from);
    if (!gain) return {};
    const double weight =
        std::pow(std::max(view_.remaining_work(job), 1e-9), config_.exponent) * gain->cost;
    const Grant held = view_.keeps() ? view_.held(job) : view_.last(job);
    return Step{gain->to, gain->gained / weight * (gain->to.within(held) ? 1 + config_.stay : 1)};
  }

  Config config_;
};

}  // namespace

void register_policies(Registry& r) {
  r.add_policy<Drf>();
  r.add_policy<EqualShare>();
  r.add_policy<Optimus>();
  r.add_policy<TetrisBundles>();
  r.add_policy<Pollux>();
  r.add_policy<HullGreedy>();
  r.add_policy<MarginalGoodput>();
  register_learned_goodput(r);
  register_ordered_policies(r);
}

}  // namespace park::dl_cluster
