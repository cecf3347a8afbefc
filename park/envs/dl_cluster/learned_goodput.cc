// A rule that grants GPUs by goodput, with a priority of each job that is linear in what the row
// tells of it. The weights are fields, so that a search over episodes can learn them
// (experiments/dl_cluster/learn_goodput.py). marginal_goodput is a special case, and nearly so is
// hull_greedy.
#include "park/envs/dl_cluster/learned_goodput.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/envs/dl_cluster/heuristics.h"

namespace park::dl_cluster {
namespace {

constexpr double kHour = 3600;         // of work on one GPU, and of time
constexpr double kLeastWork = 1e-9;    // s, of a job that is about to complete
constexpr double kLeastAgeS = 60;      // a round
constexpr double kUsualJobs = 20;      // in the system
constexpr double kLeastSpeed = 1e-30;  // of a job that nothing makes progress with

struct LearnedGoodputConfig {
  double remaining = 0.375, curvature = 0, total = 0, left = 0, best = 0, age = 0, longer = 0;
  double remaining_crowd = 0, best_crowd = 0;
  double stay = 1.1, stay_remaining = 0, stay_best = 0, stay_crowd = 0;
  double step_cost = 1, cost = 1, enough = 1;
  bool operator==(const LearnedGoodputConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    const auto weight = [&](const char* name, auto& value, const char* doc) {
      visit(name, value, FieldDoc{.doc = doc, .min = -20, .max = 20});
    };
    weight("remaining", c.remaining, "of ln(hours of work left): against long jobs");
    weight("curvature", c.curvature, "of its square");
    weight("total", c.total, "of ln(hours of work in all)");
    weight("left", c.left, "of the share of the work that is left");
    weight("best", c.best, "of ln(best speed): against jobs that scale well");
    weight("age", c.age, "of ln(hours since the arrival)");
    weight("longer", c.longer, "of ln(jobs with as much work left or more), for such a job");
    weight("remaining_crowd", c.remaining_crowd, "of ln(hours of work left) ln(jobs / 20)");
    weight("best_crowd", c.best_crowd, "of ln(best speed) ln(jobs / 20)");
    weight("stay", c.stay, "added for what a job has already");
    weight("stay_remaining", c.stay_remaining, "of ln(hours of work left) in what is added");
    weight("stay_best", c.stay_best, "of ln(best speed) in what is added");
    weight("stay_crowd", c.stay_crowd, "of ln(jobs / 20) in what is added");
    visit("step_cost", c.step_cost,
          FieldDoc{.doc = "power of the GPUs of a step, where steps of a job are compared",
                   .min = 0,
                   .max = 4});
    visit("cost", c.cost, FieldDoc{.doc = "the same, where jobs are compared", .min = 0, .max = 4});
    visit("enough", c.enough,
          FieldDoc{.doc = "share of the best speed from which on a job gets no more",
                   .min = 0.01,
                   .max = 1});
  }
};

/// The largest ln(gain of goodput) - cost ln(GPUs) - priority, plus a bonus for what the job has
/// already. Priority and bonus are linear in logarithms of what is known of the job and of how many
/// there are. In theory jobs are weighted by how many others they delay: for S(k) = k^p and many
/// jobs, `longer` = p with nothing else is optimal (Berg et al., heSRPT, 2020).
class LearnedGoodput final : public Greedy {
 public:
  using Config = LearnedGoodputConfig;
  static PolicyInfo info() {
    return {.name = "learned_goodput",
            .summary = "marginal_goodput with learned weights of what is known of a job",
            .reference = "a rule of Park's; compare Berg, Vesilo, Harchol-Balter, heSRPT, 2020",
            .environments = {kDlClusterName}};
  }
  LearnedGoodput(const Config& c, const Spec& spec)
      : Greedy(spec, info().name, {.speeds = true}), config_(c) {}

 private:
  struct Job {
    double priority = 0, bonus = 0;
  };

  bool plans() const override { return true; }
  void begin() override;
  /// Jobs with as much work left or more, by job; ties count the later ones.
  void count_longer();
  [[nodiscard]] Job job(std::size_t j, double crowd) const;
  std::optional<Step> next(std::size_t j, const Grant& from) override;

  Config config_;
  std::vector<Job> known_;            // [jobs]
  std::vector<std::size_t> by_work_;  // [jobs]
  std::vector<double> longer_;        // [jobs]
};

void LearnedGoodput::begin() {
  count_longer();
  const double crowd =
      std::log(static_cast<double>(std::max<std::size_t>(view_.jobs(), 1)) / kUsualJobs);
  known_.resize(view_.jobs());
  for (std::size_t j = 0; j < view_.jobs(); ++j) known_[j] = job(j, crowd);
}

void LearnedGoodput::count_longer() {
  by_work_.resize(view_.jobs());
  std::iota(by_work_.begin(), by_work_.end(), std::size_t{0});
  std::ranges::sort(by_work_, {},
                    [&](std::size_t j) { return std::pair(view_.remaining_work(j), j); });
  longer_.resize(view_.jobs());
  for (std::size_t rank = 0; rank < by_work_.size(); ++rank)
    longer_[by_work_[rank]] = static_cast<double>(by_work_.size() - rank);
}

LearnedGoodput::Job LearnedGoodput::job(std::size_t j, double crowd) const {
  const Config& c = config_;
  const double left_s = std::max(view_.remaining_work(j), kLeastWork);
  const double share = std::max(view_.remaining(j), 1e-6);
  const double work = std::log(left_s / kHour), total = std::log(left_s / share / kHour);
  const double best = std::log(std::max(view_.best_speed(j), kLeastSpeed));
  const double age = std::log(std::max(view_.age_s(j), kLeastAgeS) / kHour);
  return {.priority = (c.remaining + c.curvature * work + c.remaining_crowd * crowd) * work +
                      c.total * total + c.left * share + (c.best + c.best_crowd * crowd) * best +
                      c.age * age - c.longer * std::log(longer_[j]),
          .bonus = c.stay + c.stay_remaining * work + c.stay_best * best + c.stay_crowd * crowd};
}

std::optional<LearnedGoodput::Step> LearnedGoodput::next(std::size_t j, const Grant& from) {
  if (view_.speed(j, from) >= config_.enough * view_.best_speed(j)) return {};
  const auto gain = steepest(j, from, config_.step_cost);
  if (!gain) return {};
  const Grant held = view_.keeps() ? view_.held(j) : view_.last(j);
  return Step{gain->to, std::log(gain->gained) - config_.cost * std::log(gain->cost) -
                            known_[j].priority + (gain->to.within(held) ? known_[j].bonus : 0)};
}

}  // namespace

void register_learned_goodput(Registry& r) { r.add_policy<LearnedGoodput>(); }

}  // namespace park::dl_cluster
