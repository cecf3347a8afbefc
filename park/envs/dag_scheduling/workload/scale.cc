#include "park/envs/dag_scheduling/workload/scale.h"

#include <algorithm>
#include <cmath>

#include "park/command/field_options.h"
#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/command_text.h"
#include "park/envs/dag_scheduling/workload/dag_draft.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {
namespace {

/// A whole number times a factor, rounded, at least 1; nothing where it exceeds `most`.
std::optional<double> scaled(double value, double factor, double most) {
  const double product = std::max(1.0, std::round(value * factor));
  return product <= most ? std::optional(product) : std::nullopt;
}

/// Says in one clause what becomes too large, or nothing.
std::string scale_stage(dag_scheduling::StageProfile& stage, const JobScale& scale) {
  const auto tasks = scaled(stage.tasks, scale.tasks, dag_scheduling::WorkloadLimits::kTasks);
  if (!tasks) return "more than 10000000 tasks";
  stage.tasks = static_cast<std::int32_t>(*tasks);
  stage.cpus = static_cast<float>(stage.cpus * scale.cpus);
  stage.memory = static_cast<float>(stage.memory * scale.memory);
  stage.run_s *= scale.durations;
  stage.cpu_s *= scale.durations;
  for (auto& cell : stage.cells) {
    for (std::uint32_t& ms : cell.durations_ms) {
      const auto now = scaled(ms, scale.durations, kMostSeconds * 1e3);
      if (!now) return "a duration above 4294967.295 s";
      ms = static_cast<std::uint32_t>(*now);
    }
  }
  return "";
}

}  // namespace

dag_scheduling::Workload scale_workload(const dag_scheduling::Workload& from,
                                        const std::string& source, const JobScale& scale) {
  dag_scheduling::WorkloadBuilder builder(
      from.name(),
      derived(from.provenance(), "park workload scale " + source + command::options_text(scale)),
      from.inflation());
  FileViolations bad(source);
  for (const dag_scheduling::Workload::Job& job : from.jobs()) {
    dag_scheduling::JobProfile profile = dag_scheduling::job_profile(from, job);
    for (std::size_t s = 0; s < profile.stages.size(); ++s) {
      const std::string wrong = scale_stage(profile.stages[s], scale);
      if (!wrong.empty()) bad.add(stage_text(job.name, std::to_string(s)) + " gets " + wrong);
    }
    builder.add_job(profile);
  }
  bad.throw_if_any();
  return builder.build();
}

}  // namespace park::dag_scheduling::workload
