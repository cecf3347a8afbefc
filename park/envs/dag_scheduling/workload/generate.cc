#include "park/envs/dag_scheduling/workload/generate.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "park/command/field_options.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/spread.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr double kFewestOfLarge = 4;     // stages of a large job
constexpr std::uint64_t kSmallJobs = 3;  // 1, 2 or 3 stages

/// A lognormal number below `max` for a uniform u, by inversion.
double truncated_lognormal(double u, double median, double sigma, double max) {
  if (sigma == 0) return std::min(median, max);
  const double share = normal_probability(std::log(max / median) / sigma);
  const double p = std::clamp(u * share, 1e-300, 1 - 1e-16);
  return std::min(max, median * std::exp(sigma * normal_quantile(p)));
}

std::uint32_t stages_of(const GeneratorConfig& c, Rng rng) {
  if (rng.uniform() >= c.large_share) return 1 + static_cast<std::uint32_t>(rng.below(kSmallJobs));
  const double end = std::pow(kFewestOfLarge / (c.stages_max + 1.0), c.stages_shape);
  const double beyond = 1 - rng.uniform() * (1 - end);  // P(more), of the truncated Pareto
  const double stages = kFewestOfLarge * std::pow(beyond, -1 / c.stages_shape);
  return std::min(c.stages_max, static_cast<std::uint32_t>(stages));
}

/// A stage that stage `s` of `stages` feeds. REQUIRES s + 1 < stages.
std::uint32_t child_of(const GeneratorConfig& c, std::uint32_t s, std::uint32_t stages, Rng& rng) {
  const double p = std::pow(stages, -c.widening);
  const double further = p >= 1 ? 0 : std::floor(std::log1p(-rng.uniform()) / std::log1p(-p));
  return s + 1 + static_cast<std::uint32_t>(std::min(further, stages - s - 2.0));
}

/// Parents of all stages. Edges lead forward, and from each stage but the last to at least one.
std::vector<std::set<std::uint16_t>> graph_of(const GeneratorConfig& c, std::uint32_t stages,
                                              const Rng& rng) {
  std::vector<std::set<std::uint16_t>> parents(stages);
  for (std::uint32_t s = 0; s + 1 < stages; ++s) {
    Rng of_stage = rng.split(s);
    parents[child_of(c, s, stages, of_stage)].insert(static_cast<std::uint16_t>(s));
    if (of_stage.uniform() >= c.reuse) continue;
    parents[child_of(c, s, stages, of_stage)].insert(static_cast<std::uint16_t>(s));
  }
  return parents;
}

class Generator {
 public:
  explicit Generator(const GeneratorConfig& c)
      : c_(c), spread_(c.task_variation), rng_(Rng(c.seed).split("workload.generate")) {}

  [[nodiscard]] dag_scheduling::JobProfile job(std::uint64_t k) const {
    const Rng rng = rng_.split(k);
    const std::uint32_t stages = stages_of(c_, rng.split("stages"));
    const auto parents = graph_of(c_, stages, rng.split("graph"));
    dag_scheduling::JobProfile job{"dag-" + std::to_string(k), {}};
    for (std::uint32_t s = 0; s < stages; ++s) {
      job.stages.push_back(stage(rng.split("sizes").split(s)));
      job.stages.back().parents.assign(parents[s].begin(), parents[s].end());
    }
    return job;
  }

 private:
  [[nodiscard]] dag_scheduling::StageProfile stage(const Rng& rng) const {
    const auto uniform = [&](const char* what) { return rng.split(what).uniform(); };
    dag_scheduling::StageProfile stage;
    const double tasks =
        truncated_lognormal(uniform("tasks"), c_.tasks_median, c_.tasks_sigma, c_.tasks_max);
    stage.tasks = std::max(1, static_cast<std::int32_t>(std::ceil(tasks)));
    const double mean_s = truncated_lognormal(uniform("duration"), c_.duration_median_s,
                                              c_.duration_sigma, c_.duration_max_s);
    stage.cpus = static_cast<float>(c_.cpus);
    stage.memory =
        static_cast<float>(c_.memory_max * std::pow(uniform("memory"), 1 / c_.memory_shape));
    stage.cells = {{dag_scheduling::Wave::rest, 1, spread_.samples_ms(mean_s)}};
    return stage;
  }

  const GeneratorConfig& c_;
  Spread spread_;
  Rng rng_;
};

}  // namespace

void GeneratorConfig::check(const GeneratorConfig& c, Violations& bad) {
  if (c.tasks_median > c.tasks_max) {
    bad.add("tasks_median = " + number_text(c.tasks_median) +
            " is above tasks_max = " + std::to_string(c.tasks_max));
  }
  if (c.duration_median_s > c.duration_max_s) {
    bad.add("duration_median_s = " + number_text(c.duration_median_s) +
            " is above duration_max_s = " + number_text(c.duration_max_s));
  }
}

dag_scheduling::JobProfile generate_job(const GeneratorConfig& c, std::uint64_t k) {
  return Generator(c).job(k);
}

dag_scheduling::Workload generate_workload(const GeneratorConfig& c, const std::string& name) {
  const std::string how = "park workload generate" + command::options_text(c) +
                          " (synthetic, generator version " + std::to_string(kGeneratorVersion) +
                          ")";
  dag_scheduling::WorkloadBuilder builder(
      name, how,
      c.inflation == "model" ? dag_scheduling::Inflation::fitted() : dag_scheduling::Inflation{});
  const Generator generator(c);
  for (std::uint64_t k = 0; k < c.jobs; ++k) builder.add_job(generator.job(k));
  return builder.build();
}

}  // namespace park::dag_scheduling::workload
