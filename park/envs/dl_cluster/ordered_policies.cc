// Heuristics that go through the jobs in an order (Ordered of heuristics.h). Each says what the
// order is and what a job should have. register_policies calls register_ordered_policies.
#include "park/envs/dl_cluster/ordered_policies.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/envs/dl_cluster/heuristics.h"

namespace park::dl_cluster {
namespace {

/// What users ask for; where cluster.compat is 1, as much as a job may have, as in DL2's code.
Grant asked_for(const ClusterView& view, std::size_t job) {
  return view.compat() ? view.largest() : view.request(job);
}

struct FcfsConfig {
  bool backfill = false;
  bool operator==(const FcfsConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("backfill", c.backfill,
          FieldDoc{.doc = "where grants stay: jobs behind one that does not fit may pass it",
                   .tune = "false|true"});
  }
};

/// First come, first served, each job with what its user asks for.
class Fcfs final : public Ordered {
 public:
  using Config = FcfsConfig;
  static PolicyInfo info() {
    return {.name = "fcfs",
            .summary = "first come, first served, with what users ask for",
            .reference = "the baseline FIFO of DL2",
            .environments = {kDlClusterName}};
  }
  Fcfs(const Config& c, const Spec& spec) : Ordered(spec, info().name), config_(c) {}

 private:
  double key(std::size_t) override { return 0; }
  Grant wanted(std::size_t job) override { return asked_for(view_, job); }
  bool stops() const override { return view_.compat(); }
  bool blocks() const override { return !config_.backfill; }

  Config config_;
};

struct SrtfConfig {
  std::string by = "semantics";
  bool operator==(const SrtfConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("by", c.by,
          FieldDoc{.doc = "the order: share of the work that is left, or remaining time with what "
                          "users ask for; semantics: the share where cluster.compat is 1",
                   .choices = "semantics|fraction|time",
                   .tune = "fraction|time"});
  }
};

/// Shortest remaining time first, each job with what its user asks for. DL2's code orders by the
/// share of the work that is left, which is no time.
class Srtf final : public Ordered {
 public:
  using Config = SrtfConfig;
  static PolicyInfo info() {
    return {.name = "srtf",
            .summary = "shortest remaining time first, with what users ask for",
            .reference = "a baseline of DL2",
            .environments = {kDlClusterName}};
  }
  Srtf(const Config& c, const Spec& spec)
      : Ordered(spec, info().name, {.speeds = c.by != "fraction"}), config_(c) {}

 private:
  double key(std::size_t job) override {
    const bool fraction = config_.by == "fraction" || (config_.by == "semantics" && view_.compat());
    return fraction ? view_.remaining(job) : remaining_s(job, wanted(job));
  }
  Grant wanted(std::size_t job) override { return asked_for(view_, job); }
  bool stops() const override { return view_.compat(); }

  Config config_;
};

/// Shortest remaining service first: remaining time times the tasks that users ask for.
class Srsf final : public Ordered {
 public:
  static PolicyInfo info() {
    return {.name = "srsf",
            .summary = "shortest remaining service (time times tasks) first",
            .reference = "Gu et al., Tiresias, NSDI 2019, section 3",
            .environments = {kDlClusterName}};
  }
  explicit Srsf(const Spec& spec) : Ordered(spec, info().name, {.speeds = true}) {}

 private:
  double key(std::size_t job) override {
    return remaining_s(job, wanted(job)) * wanted(job).tasks();
  }
  Grant wanted(std::size_t job) override { return view_.request(job); }
};

struct TiresiasConfig {
  double threshold_s = 36'000;
  std::int32_t workers = 0, servers = 0;
  bool operator==(const TiresiasConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "threshold_s", c.threshold_s,
        FieldDoc{.doc = "attained service (tasks times time) from which on a job is in the second "
                        "queue",
                 .unit = "s",
                 .min = 0,
                 .max = 1e12,
                 .tune = "900|3600|10800|36000|108000|360000|1080000"});
    visit("workers", c.workers,
          FieldDoc{.doc = "of every job; 0: what its user asks for",
                   .min = 0,
                   .max = 4096,
                   .tune = "0|1|2|4|8"});
    visit("servers", c.servers,
          FieldDoc{.doc = "likewise", .min = 0, .max = 4096, .tune = "0|1|2|4|8"});
  }
};

/// Tiresias with two queues (Gu et al., NSDI 2019, 2D-LAS): jobs with little attained service come
/// first, those of a queue by arrival. Grants are fixed. Knows no speeds.
class Tiresias final : public Ordered {
 public:
  using Config = TiresiasConfig;
  static PolicyInfo info() {
    return {.name = "tiresias",
            .summary = "least attained service first, in two queues, with fixed grants",
            .reference = "Gu et al., Tiresias, NSDI 2019",
            .environments = {kDlClusterName}};
  }
  Tiresias(const Config& c, const Spec& spec) : Ordered(spec, info().name), config_(c) {}

 private:
  double key(std::size_t job) override {
    return view_.attained_s(job) >= config_.threshold_s ? 1 : 0;
  }
  Grant wanted(std::size_t job) override {
    Grant g = view_.request(job);
    if (config_.workers > 0) g.workers = config_.workers;
    if (config_.servers > 0 && !view_.keeps()) g.servers = config_.servers;
    return g;
  }

  Config config_;
};

struct RightSizedConfig {
  double theta = 0.6, top = 0.97;
  bool operator==(const RightSizedConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("theta", c.theta,
          FieldDoc{.doc = "share of its best speed that a job gets at first",
                   .min = 0.01,
                   .max = 1,
                   .tune = "0.2:0.95:0.05"});
    visit("top", c.top,
          FieldDoc{.doc = "share of its best speed up to which jobs get what is left",
                   .min = 0.01,
                   .max = 1,
                   .tune = "0.8|0.9|0.95|0.97|1"});
  }
};

/// Right-sized SRTF, a rule of our own: the cheapest configuration with theta of the best speed, by
/// remaining time there. Those left out get smaller ones, then all up to `top` of their best speed.
class RightSizedSrtf final : public Ordered {
 public:
  using Config = RightSizedConfig;
  static PolicyInfo info() {
    return {.name = "right_sized_srtf",
            .summary = "shortest remaining time first, at a share of the best speed",
            .reference = "a rule of Park's",
            .environments = {kDlClusterName}};
  }
  RightSizedSrtf(const Config& c, const Spec& spec)
      : Ordered(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool plans() const override { return true; }
  double key(std::size_t job) override { return remaining_s(job, wanted(job)); }
  Grant wanted(std::size_t job) override { return cheapest(job, config_.theta); }
  bool fills() const override { return true; }
  double grows_beyond() const override { return config_.top; }

  Config config_;
};

struct KneeConfig {
  double efficiency = 0.8;
  bool operator==(const KneeConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("efficiency", c.efficiency,
          FieldDoc{.doc = "least speed per cost of a grant, relative to the best",
                   .min = 0.01,
                   .max = 1,
                   .tune = "0.3:1:0.05"});
  }
};

/// Knee SRSF, a rule of our own: every job gets the largest configuration whose speed per cost is at
/// least `efficiency` of the best; shortest remaining service (time there times cost) first. A job
/// that does not fit gets the largest one that does.
class KneeSrsf final : public Ordered {
 public:
  using Config = KneeConfig;
  static PolicyInfo info() {
    return {.name = "knee_srsf",
            .summary = "shortest remaining service first, grants up to the knee of the speed",
            .reference = "a rule of Park's",
            .environments = {kDlClusterName}};
  }
  KneeSrsf(const Config& c, const Spec& spec)
      : Ordered(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool plans() const override { return true; }
  [[nodiscard]] static double efficiency(const Choice& choice) {
    return choice.speed / std::max(choice.cost, 1e-9);
  }
  void begin() override {
    wanted_.clear();
    for (std::size_t j = 0; j < view_.jobs(); ++j) {
      double best = 0;
      Grant wanted;
      for (const Choice& choice : view_.frontier(j)) best = std::max(best, efficiency(choice));
      for (const Choice& choice : view_.frontier(j))
        if (efficiency(choice) >= config_.efficiency * best) wanted = choice.grant;
      wanted_.push_back(wanted);
    }
  }
  double key(std::size_t job) override {
    return remaining_s(job, wanted_[job]) * view_.cost(job, wanted_[job]);
  }
  Grant wanted(std::size_t job) override { return wanted_[job]; }
  bool fills() const override { return true; }

  Config config_;
  std::vector<Grant> wanted_;  // [jobs]
};

struct HesrptConfig {
  double p = 0.5;
  bool operator==(const HesrptConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("p", c.p,
          FieldDoc{.doc = "speed is taken to be the p-th power of the share",
                   .min = 0,
                   .max = 0.99,
                   .tune = "0.1:0.95:0.05"});
  }
};

/// heSRPT (Berg, Vesilo, Harchol-Balter, Performance Evaluation 2020, theorem 4): the job with the
/// i-th largest remaining work of m gets the share (i/m)^(1/(1-p)) - ((i-1)/m)^(1/(1-p)). That is
/// optimal for the mean response time if all jobs are there from the start and speed is the p-th
/// power of the share. Shares are cut to configurations; what is left goes to the shortest jobs.
class Hesrpt final : public Ordered {
 public:
  using Config = HesrptConfig;
  static PolicyInfo info() {
    return {.name = "hesrpt",
            .summary = "shares by the rank of the remaining work, larger for shorter jobs",
            .reference =
                "Berg, Vesilo, Harchol-Balter, heSRPT: Parallel Scheduling to Minimize "
                "Mean Slowdown, Performance Evaluation 2020",
            .environments = {kDlClusterName}};
  }
  Hesrpt(const Config& c, const Spec& spec)
      : Ordered(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  bool plans() const override { return true; }
  /// Work at the type's slowest configuration, so that types compare.
  [[nodiscard]] double size(std::size_t job) const {
    const auto frontier = view_.frontier(job);
    return remaining_s(job, frontier.empty() ? Grant{} : frontier.front().grant);
  }
  void begin() override {
    ranks_.clear();
    for (std::size_t j = 0; j < view_.jobs(); ++j) ranks_.emplace_back(-size(j), j);
    std::ranges::sort(ranks_);
    wanted_.assign(view_.jobs(), {});
    const auto jobs = static_cast<double>(view_.jobs());
    const double power = 1 / (1 - config_.p);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const auto rank = static_cast<double>(i);
      const double share = std::pow((rank + 1) / jobs, power) - std::pow(rank / jobs, power);
      wanted_[ranks_[i].second] = within(ranks_[i].second, share * view_.capacity(0));
    }
  }
  /// The fastest configuration that costs no more.
  [[nodiscard]] Grant within(std::size_t job, double cost) const {
    Grant best;
    for (const Choice& choice : view_.frontier(job))
      if (choice.cost <= cost + 1e-6) best = choice.grant;
    return best;
  }
  double key(std::size_t job) override { return size(job); }
  Grant wanted(std::size_t job) override { return wanted_[job]; }
  double grows_beyond() const override { return 1; }

  Config config_;
  std::vector<std::pair<double, std::size_t>> ranks_;
  std::vector<Grant> wanted_;  // [jobs]
};

}  // namespace

void register_ordered_policies(Registry& r) {
  r.add_policy<Fcfs>();
  r.add_policy<Srtf>();
  r.add_policy<Srsf>();
  r.add_policy<Tiresias>();
  r.add_policy<RightSizedSrtf>();
  r.add_policy<KneeSrsf>();
  r.add_policy<Hesrpt>();
}

}  // namespace park::dl_cluster
