#include "park/envs/dag_scheduling/known_jobs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/config.h"
#include "park/envs/dag_scheduling/layout.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {
namespace {

std::uint64_t hash_of(std::span<const float> tasks) {
  return hash_text({reinterpret_cast<const char*>(tasks.data()), tasks.size_bytes()});
}

/// The sum of squares of logarithms; infinite where a factor is too large.
double distance(std::span<const float> a, std::span<const float> b) {
  const double most = std::log(KnownJobs::kMostFactor);
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double log = std::log(static_cast<double>(a[i]) / static_cast<double>(b[i]));
    if (!(std::abs(log) <= most)) return std::numeric_limits<double>::infinity();
    sum += log * log;
  }
  return sum;
}

}  // namespace

KnownJobs::KnownJobs(const Spec& spec) {
  if (spec.text.empty()) return;
  const Value text = parse_named(spec.text);
  if (text.text != kDagSchedulingName) return;
  const auto config = parse_config<DagSchedulingConfig>(text);
  if (config.semantics != "correct") return;
  const auto workload = Workload::open(config.workload);
  for (const Workload::Job& job : workload->jobs()) {
    Job& known = jobs_.emplace_back();
    for (const Workload::Stage& stage : workload->stages(job)) {
      known.tasks.push_back(static_cast<float>(stage.tasks));
      known.mean_s.push_back(static_cast<float>(stage.mean_duration_s));
    }
    by_tasks_[hash_of(known.tasks)].push_back(jobs_.size() - 1);
  }
}

const KnownJobs::Job* KnownJobs::find(std::span<const float> tasks,
                                      std::span<const float> mean_s) const {
  const auto alike = by_tasks_.find(hash_of(tasks));
  if (alike == by_tasks_.end()) return nullptr;
  const Job* nearest = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t j : alike->second) {
    const Job& job = jobs_[j];
    if (!std::ranges::equal(job.tasks, tasks)) continue;
    if (std::ranges::equal(job.mean_s, mean_s)) return &job;
    const double d = distance(mean_s, job.mean_s);
    if (d < least) nearest = &job, least = d;
  }
  return nearest;
}

MeasuredJobs::MeasuredJobs(const Spec& spec)
    : known_(spec), layout_(bind_layout<DagLayout>(spec)), declarations_(layout_, {}) {}

/// What makes the declared durations of the row's known jobs the measured ones.
std::vector<Misreport> MeasuredJobs::corrections(ConstRow row) const {
  const auto tasks = row[layout_.tasks], mean_s = row[layout_.mean_s];
  const auto ids = row[layout_.job_id];
  const auto counts = row[layout_.stage_count];
  std::vector<Misreport> all;
  std::size_t first = 0;
  for (std::size_t j = 0; j < ids.size(); ++j) {
    const auto stages = static_cast<std::size_t>(counts[j]);
    const auto declared = mean_s.subspan(first, stages);
    const KnownJobs::Job* const known = known_.find(tasks.subspan(first, stages), declared);
    first += stages;
    if (known == nullptr || std::ranges::equal(known->mean_s, declared)) continue;
    Misreport& one = all.emplace_back(Misreport{.job = static_cast<std::uint64_t>(ids[j])});
    for (std::size_t s = 0; s < stages; ++s)
      one.factors.push_back(static_cast<double>(known->mean_s[s]) /
                            static_cast<double>(declared[s]));
  }
  return all;
}

std::optional<Batch> MeasuredJobs::describe(const Batch& declared) const {
  std::optional<Batch> measured;
  for (std::size_t r = 0; r < declared.rows() && !known_.all().empty(); ++r) {
    const std::vector<Misreport> corrected = corrections(declared.row(r));
    if (corrected.empty() && !measured) continue;
    if (!measured) measured.emplace(declared.record());
    while (measured->rows() < r) measured->append(declared, measured->rows());
    declarations_.show({.row = declared.row(r)}, corrected, measured->append());
  }
  return measured;
}

}  // namespace park::dag_scheduling
