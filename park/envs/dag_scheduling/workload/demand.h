#pragma once

#include <cstdint>
#include <string>

#include "park/core/config.h"
#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling::workload {

/// The P(X <= x) of a beta distribution: the regularised incomplete beta function. REQUIRES
/// positive shapes and 0 <= x <= 1.
[[nodiscard]] double beta_probability(double x, double a, double b) noexcept;
/// The x with P(X <= x) = p of a beta distribution. REQUIRES 0 <= p <= 1.
[[nodiscard]] double beta_quantile(double p, double a, double b) noexcept;

/// Memory that the tasks of each stage need, drawn for a workload that asks for none. Mao et al.
/// 2019, section 7.3, draw it uniformly in (0, 1] for the TPC-H queries.
struct DemandConfig {
  std::string memory = "uniform";
  double memory_max = 1;
  std::uint64_t seed = 1;

  /// The shapes that `memory` gives; uniform is beta(1,1).
  struct Shapes {
    double a = 1, b = 1;
  };

  bool operator==(const DemandConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit(
        "memory", c.memory,
        FieldDoc{.doc = "how the memory of a task is drawn for each stage, as part of memory_max: "
                        "uniform, or beta(A,B) with shapes from 0.01 to 1000",
                 .names = Names::nothing});
    visit("memory_max", c.memory_max,
          FieldDoc{.doc = "the largest demand", .min = 0, .max = 1e9, .open_min = true});
    visit("seed", c.seed,
          FieldDoc{.doc = "of all draws; that of a stage depends on its job's name and its place"});
  }

  static void check(const DemandConfig&, Violations&);
  /// REQUIRES a configuration without violations.
  [[nodiscard]] Shapes shapes() const;
};

/// The same jobs with drawn demands of memory, above 0 and at most memory_max; the provenance says
/// what was done. `source` stands for the workload in it. A stage gets the same demand with any
/// other jobs.
[[nodiscard]] dag_scheduling::Workload demand_workload(const dag_scheduling::Workload& from,
                                                       const std::string& source,
                                                       const DemandConfig&);

}  // namespace park::dag_scheduling::workload
