// The two forms that the heuristics have. A Greedy takes the best step of any job again and again.
// An Ordered one goes through the jobs and gives each what it should have. Some answer from the
// grants that the slot has made so far. Others, and all where grants stay, plan all grants from
// nothing by capacity alone, and take the moves that lead to the plan. Nothing is remembered
// between decisions: the same rows give the same plan.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "park/core/policy.h"
#include "park/envs/dl_cluster/cluster_view.h"

namespace park::dl_cluster {

inline constexpr double kLeastCost = 1e-9;  ///< of a step that costs nothing

/// Powers with one exponent, of which those of small whole numbers are computed once.
class Powers {
 public:
  [[nodiscard]] double of(double base, double exponent);

 private:
  static constexpr std::size_t kMost = 1024;
  double exponent_ = 1;
  std::vector<double> known_;  // [kMost + 1] 0: not computed
};

/// Sees its row as a ClusterView and answers with a move.
class Heuristic : public RowPolicy {
 protected:
  Heuristic(const Spec& spec, const std::string& policy, const ViewOptions& options = {})
      : view_(spec, policy, options) {}

  /// The move for the row in view.
  virtual std::size_t pick() = 0;
  /// Whether a slot ends where the best grant does not fit, as in DL2's code.
  [[nodiscard]] virtual bool stops() const { return false; }

  /// Whether it plans all grants, also within a slot.
  [[nodiscard]] virtual bool plans() const { return view_.keeps(); }
  /// The first move from the present grants to the plan, or none. Where grants stay, jobs give back
  /// first, then they grow in the order of `order_`. Within a slot all servers come first where
  /// cluster.compat is 1, else all workers. A node that is full of servers would otherwise be the
  /// least loaded one for the rest of the slot. First fit would otherwise leave CPU slots beside
  /// GPUs.
  [[nodiscard]] std::optional<std::size_t> walk() const;
  /// Begins a plan: no job has anything.
  void begin_plan();
  /// Whether the resources that are left suffice for more of a job.
  [[nodiscard]] bool affordable(std::size_t job, const Grant& from, const Grant& to) const;
  /// Plans a grant in place of another.
  void plan(std::size_t job, const Grant& to);

  /// A step up the frontier.
  struct Gain {
    Grant to;
    double gained = 0, cost = 0;  ///< of speed, and what it costs more
  };
  /// Calls `visit(Gain)` for the frontier configurations that are above a grant, by cost: they are
  /// faster, and have all of it and more. It ends where `visit` returns true.
  template <class Visit>
  void climb(std::size_t job, const Grant& from, Visit&& visit) const;
  /// The one that gains most speed per cost^cost_power among those that are `allowed(Grant)`, which
  /// is only asked of what is better than all before.
  template <class Allowed>
  [[nodiscard]] std::optional<Gain> steepest(std::size_t job, const Grant& from, double cost_power,
                                             Allowed&& allowed) const;
  /// The same among those that are affordable.
  [[nodiscard]] std::optional<Gain> steepest(std::size_t job, const Grant& from,
                                             double cost_power = 1) const;
  /// Speed gained per cost^cost_power.
  [[nodiscard]] double slope_of(const Gain& gain, double cost_power) const {
    return gain.gained / (cost_power == 1 ? gain.cost : powers_.of(gain.cost, cost_power));
  }
  /// The cheapest configuration with at least this share of the best speed.
  [[nodiscard]] Grant cheapest(std::size_t job, double share) const;
  /// The time that the rest of a job takes with a grant; infinite without speed.
  [[nodiscard]] double remaining_s(std::size_t job, const Grant&) const;

  ClusterView view_;
  std::vector<Grant> plan_;   // [jobs]
  std::vector<double> left_;  // [resources] not planned
  std::vector<std::size_t> order_;
  bool planning_ = false;  // left_ counts, not what is free

 private:
  void choose(const Ask&, ConstRow observation, Row action) final;
  [[nodiscard]] std::optional<std::size_t> walk_slot() const;

  mutable Powers powers_;
};

template <class Visit>
void Heuristic::climb(std::size_t job, const Grant& from, Visit&& visit) const {
  const double speed = view_.speed(job, from), cost = view_.cost(job, from);
  for (const Choice& choice : view_.frontier(job)) {
    const double gained = choice.speed - speed;
    if (!(gained > 0)) continue;
    // A row may have a configuration twice.
    if (from == choice.grant || !from.within(choice.grant)) continue;
    if (visit(Gain{choice.grant, gained, std::max(choice.cost - cost, kLeastCost)})) return;
  }
}

template <class Allowed>
std::optional<Heuristic::Gain> Heuristic::steepest(std::size_t job, const Grant& from,
                                                   double cost_power, Allowed&& allowed) const {
  std::optional<Gain> best;
  double slope = 0;
  climb(job, from, [&](const Gain& gain) {
    const double one = slope_of(gain, cost_power);
    if (one > slope && allowed(gain.to)) best = gain, slope = one;
    return false;
  });
  return best;
}

/// Takes the step with the highest score, the first job among equals, until there is none.
class Greedy : public Heuristic {
 protected:
  using Heuristic::Heuristic;
  struct Step {
    Grant to;
    double score = 0;
    bool together = false;  ///< workers and servers on one node
    bool small = false;     ///< it came from `smaller`
  };
  /// The next step of a job that has `from`, or none.
  virtual std::optional<Step> next(std::size_t job, const Grant& from) = 0;
  /// Called once per row, before any step.
  virtual void begin() {}
  /// Within a slot: whether all of a step fits. Only asked of the best step.
  virtual bool possible(std::size_t, const Grant&) { return true; }
  /// Within a slot: a step that fits, in place of one that does not; or none.
  virtual std::optional<Step> smaller(std::size_t) { return {}; }
  std::size_t pick() final;

 private:
  /// The job with the best of steps_, or none.
  [[nodiscard]] std::optional<std::size_t> best_step() const;
  [[nodiscard]] std::size_t pick_step();
  void plan_steps();
  /// Finds the next step of a job's plan, and puts it on the heap.
  void offer(std::size_t job);

  std::vector<std::optional<Step>> steps_;            // [jobs]
  std::vector<std::pair<double, std::size_t>> heap_;  // of plan_steps: by score, then the first job
};

/// Goes through the jobs by ascending key (ties: arrival). First each gets what it should have,
/// where that fits. Then, if `fills`, the others get less. Then, if `grows_beyond` is above 0, jobs
/// get more, up to that share of their best speed.
class Ordered : public Heuristic {
 protected:
  using Heuristic::Heuristic;
  virtual double key(std::size_t job) = 0;
  virtual Grant wanted(std::size_t job) = 0;
  virtual void begin() {}
  /// Needs speeds.
  [[nodiscard]] virtual bool fills() const { return false; }
  [[nodiscard]] virtual double grows_beyond() const { return 0; }
  /// Where grants stay: a job that does not fit keeps those after it waiting.
  [[nodiscard]] virtual bool blocks() const { return false; }
  std::size_t pick() final;

 private:
  [[nodiscard]] std::size_t pick_grant();
  [[nodiscard]] std::optional<std::size_t> pick_first();
  [[nodiscard]] std::optional<std::size_t> pick_more(bool only_unfinished);
  void plan_grants();
  void plan_more(std::size_t job, const Grant& most);

  std::vector<std::pair<double, std::size_t>> keys_;
};

}  // namespace park::dl_cluster
