// Heuristics that choose devices. Each computes a whole placement from the first observation of an
// episode, by a rule of plans.h, and answers every decision from it. They understand both modes, and
// the running twin. register.cc adds them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/device_placement/layout.h"
#include "park/envs/device_placement/plans.h"
#include "park/envs/device_placement/row_problem.h"

namespace park::device_placement {

/// Answers from a placement of the whole graph. Where the device that it wants is closed, the first
/// open one is taken.
class PlanPolicy : public RowPolicy {
 public:
  explicit PlanPolicy(const Spec& spec) : layout_(bind_layout<PlacementLayout>(spec)) {}
  void start(std::uint32_t slot, const Episode&, Rng) override;

 protected:
  /// Places the graph that the simulator has loaded. REQUIRES an operation and a device.
  virtual void plan(Simulator&, MemoryUse&, Rng, Placement&) = 0;

 private:
  struct Slot {
    Rng rng;
    Placement placement;
  };
  void choose(const Ask&, ConstRow observation, Row action) final;
  void make_plan(ConstRow observation, Slot&);

  PlacementLayout layout_;
  std::vector<Slot> slots_;
  RowProblem problem_;
  Simulator simulator_;
  MemoryUse memory_;
};

/// A policy of a rule without fields.
template <void (*kRule)(const Simulator&, Placement&), class About>
class RulePolicy final : public PlanPolicy {
 public:
  [[nodiscard]] static PolicyInfo info() { return About::info(); }
  using PlanPolicy::PlanPolicy;

 private:
  void plan(Simulator& s, MemoryUse&, Rng, Placement& to) override { kRule(s, to); }
};

struct AboutSingle {
  static PolicyInfo info();
};
struct AboutHeft {
  static PolicyInfo info();
};
struct AboutHeftContention {
  static PolicyInfo info();
};
struct AboutEtf {
  static PolicyInfo info();
};
struct AboutMetis {
  static PolicyInfo info();
};
using SingleDevice = RulePolicy<&place_single, AboutSingle>;
using Heft = RulePolicy<&place_heft, AboutHeft>;
using HeftContention = RulePolicy<&place_heft_contention, AboutHeftContention>;
using Etf = RulePolicy<&place_etf, AboutEtf>;
using Metis = RulePolicy<&place_metis, AboutMetis>;

struct ContiguousConfig {
  std::string by = "work";

  bool operator==(const ContiguousConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("by", c.by,
          FieldDoc{.doc = "what the pieces share out: time in proportion to speed, or bytes in "
                          "proportion to memory",
                   .choices = "work|memory",
                   .tune = "work|memory"});
  }
};

/// The topological order in as many pieces as there are devices.
class Contiguous final : public PlanPolicy {
 public:
  using Config = ContiguousConfig;
  [[nodiscard]] static PolicyInfo info();
  Contiguous(const Config& c, const Spec& spec) : PlanPolicy(spec), by_work_(c.by == "work") {}

 private:
  void plan(Simulator& s, MemoryUse&, Rng, Placement& to) override {
    by_work_ ? place_by_work(s, to) : place_by_memory(s, to);
  }
  bool by_work_;
};

/// The best of all rules but METIS, by the simulator: what a learner has to beat.
class BestRule final : public PlanPolicy {
 public:
  [[nodiscard]] static PolicyInfo info();
  using PlanPolicy::PlanPolicy;

 private:
  void plan(Simulator& s, MemoryUse& m, Rng, Placement& to) override { place_best(s, m, to); }
};

struct AnnealingConfig {
  std::int32_t simulations = 20'000, per_operation = 30;

  bool operator==(const AnnealingConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("simulations", c.simulations,
          FieldDoc{.doc = "steps that are simulated for a graph, at most", .min = 1, .max = 1e8});
    visit("per_operation", c.per_operation,
          FieldDoc{.doc = "the same for each operation of the graph", .min = 1, .max = 1e6});
  }
};

/// Simulated annealing from the best rule. It searches in the simulator, before the first decision.
class Annealing final : public PlanPolicy {
 public:
  using Config = AnnealingConfig;
  [[nodiscard]] static PolicyInfo info();
  Annealing(const Config& c, const Spec& spec) : PlanPolicy(spec), config_(c) {}

 private:
  void plan(Simulator& s, MemoryUse& m, Rng rng, Placement& to) override;
  Config config_;
};

void register_policies(Registry&);

}  // namespace park::device_placement
