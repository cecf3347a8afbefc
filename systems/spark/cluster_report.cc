// What a driver reports in a Consult message, checked and completed. Jobs and stages are read in
// the order of the message. Then durations are filled in: known before, measured, or estimated.
// Critical paths follow from the last stages to the first. grant notes what a round has given away.
// An Application reads one report per question of its driver.
#include "systems/spark/cluster_report.h"

#include <algorithm>
#include <cmath>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::spark {
namespace {

constexpr double kMostS = 1e15;  // of a time: sums of many stay inside the bounds of the spaces

[[noreturn]] void fail_malformed(const std::string& text) {
  throw bridge::Failed(bridge::Code::MALFORMED, "consult: " + text);
}

void check(bool holds, const char* text) {
  if (!holds) fail_malformed(text);
}

void check_most(const char* field, std::size_t value, std::size_t most) {
  if (value > most)
    throw bridge::Failed(bridge::Code::TOO_MUCH, std::string(field) + ": " + std::to_string(value) +
                                                     ", this agent allows " + std::to_string(most));
}

double seconds(double value, double least = 0) {
  check(std::isfinite(value) && value >= least && value <= kMostS, "a time is out of its range");
  return value;
}

void read_jobs(wire::Consult::Reader from, const ReportLimits& limits, ClusterReport& to) {
  check_most("jobs", from.getJobs().size(), limits.jobs);
  to.jobs.reserve(from.getJobs().size());
  for (const auto job : from.getJobs()) {
    check(to.jobs.empty() || to.jobs.back().number < job.getNumber(),
          "the jobs are not in the order of their numbers");
    to.jobs.push_back({.number = job.getNumber(),
                       .name = bridge::text_of(job.getName()),
                       .arrival_s = seconds(job.getArrivalS(), -kMostS)});
  }
}

StageReport read_stage(wire::Stage::Reader from) {
  constexpr std::uint32_t kMostTasks = dag_scheduling::WorkloadLimits::kTasks;
  check(from.getTasks() <= kMostTasks && from.getLeft() <= from.getTasks() &&
            from.getRunning() <= kMostTasks && from.getMeasured() <= 2 * kMostTasks,
        "the counts of a stage's tasks are out of their range");
  StageReport s{.id = from.getId(),
                .job = from.getJob(),
                .tasks = from.getTasks(),
                .left = from.getLeft(),
                .running = from.getRunning(),
                .runnable = from.getRunnable(),
                .done = from.getDone(),
                .measured = from.getMeasured() > 0,
                .last_s = seconds(from.getLastS()),
                .ready_s = seconds(from.getReadyS(), -1)};
  if (s.measured) s.mean_s = seconds(from.getMeasuredS()) / from.getMeasured();
  return s;
}

void read_stages(wire::Consult::Reader from, const ReportLimits& limits, ClusterReport& to) {
  const auto list = from.getStages();
  check_most("stages", list.size(), limits.stages);
  to.stages.reserve(list.size());
  for (const auto one : list) {
    StageReport s = read_stage(one);
    check(s.job < to.jobs.size() && (to.stages.empty() || to.stages.back().job <= s.job),
          "the stages are not in the order of their jobs");
    JobReport& job = to.jobs[s.job];
    if (job.stages++ == 0) job.first = static_cast<std::uint32_t>(to.stages.size());
    job.running += s.running;
    to.stages.push_back(s);
  }
  for (std::uint32_t child = 0; child < list.size(); ++child)
    for (const std::uint32_t parent : list[child].getParents()) {
      check(parent < list.size() && to.stages[parent].job == to.stages[child].job,
            "a parent is no stage of the job");
      to.edges.emplace_back(parent, child);
      check_most("edges", to.edges.size(), limits.edges);
    }
}

/// What was not measured is taken to last as long as what was.
void estimate(ClusterReport& report, wire::Consult::Reader from, double any_mean_s) {
  const auto list = from.getStages();  // once: each time counts against the message's limit
  for (const JobReport& job : report.jobs) {
    double sum_s = 0, tasks = 0;
    for (std::uint32_t i = job.first; i < job.first + job.stages; ++i) {
      sum_s += list[i].getMeasuredS();
      tasks += list[i].getMeasured();
    }
    const double mean_s = tasks > 0 ? sum_s / tasks : any_mean_s;
    for (std::uint32_t i = job.first; i < job.first + job.stages; ++i)
      if (!report.stages[i].measured) report.stages[i].mean_s = mean_s;
  }
}

/// What was known before stays, as in the simulator.
void recall(ClusterReport& report, const KnownDurations& known) {
  std::vector<std::uint32_t> tasks;
  for (const StageReport& s : report.stages) tasks.push_back(s.tasks);
  const std::vector<std::uint64_t> shapes = stage_shapes(tasks, report.edges);
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    StageReport& s = report.stages[i];
    if (const auto mean_s = known.mean_s(report.jobs[s.job].name, shapes[i])) {
      s.mean_s = *mean_s;
      s.measured = true;
    }
  }
}

/// From the last stages to the first ones; throws where there is a cycle.
void find_critical(ClusterReport& report) {
  const std::size_t n = report.stages.size();
  std::vector<std::vector<std::uint32_t>> parents(n);
  std::vector<std::uint32_t> children(n), ready;
  for (const auto& [parent, child] : report.edges) {
    parents[child].push_back(parent);
    ++children[parent];
  }
  std::vector<double> below(n);
  for (std::uint32_t i = 0; i < n; ++i)
    if (children[i] == 0) ready.push_back(i);
  for (std::size_t at = 0; at < ready.size(); ++at) {
    StageReport& s = report.stages[ready[at]];
    s.critical_s = s.work_s() + below[ready[at]];
    for (const std::uint32_t parent : parents[ready[at]]) {
      below[parent] = std::max(below[parent], s.critical_s);
      if (--children[parent] == 0) ready.push_back(parent);
    }
  }
  check(ready.size() == n, "the stages depend on each other in a circle");
}

}  // namespace

bool ClusterReport::any_legal() const noexcept {
  return std::ranges::any_of(stages, [this](const StageReport& s) { return legal(s); });
}

std::uint32_t ClusterReport::grant(std::size_t stage, std::uint32_t limit) noexcept {
  StageReport& s = stages[stage];
  JobReport& job = jobs[s.job];
  const std::uint32_t room = limit > have(job) ? limit - have(job) : 0;
  const std::uint32_t n = std::min({room, s.demand(), left_for(s)});
  s.committed += n;
  s.chosen = true;
  job.committed += n;
  granted += n;
  return n;
}

ClusterReport read_report(wire::Consult::Reader from, const ReportLimits& limits, double any_mean_s,
                          const KnownDurations* known) {
  ClusterReport report{.time_s = seconds(from.getProgress().getTimeS()),
                       .slots = from.getSlots(),
                       .idle = from.getIdle(),
                       .source = from.getSource(),
                       .source_job = from.getSourceJob()};
  check_most("executors", report.slots, limits.executors);
  check(report.source <= report.idle && report.idle <= report.slots,
        "more slots are idle or to be handed out than there are");
  read_jobs(from, limits, report);
  check(
      report.source_job >= -1 && report.source_job < static_cast<std::int64_t>(report.jobs.size()),
      "sourceJob is no job");
  read_stages(from, limits, report);
  if (known != nullptr) recall(report, *known);
  estimate(report, from, any_mean_s);
  find_critical(report);
  return report;
}

}  // namespace park::spark
