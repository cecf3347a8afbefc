#include "systems/spark/application.h"

#include <utility>

namespace park::spark {

void write_grants(const Grants& grants, wire::Decision::Builder to) {
  auto list = to.initGrants(static_cast<unsigned>(grants.size()));
  for (unsigned i = 0; i < grants.size(); ++i) {
    list[i].setStage(grants[i].first);
    list[i].setSlots(grants[i].second);
  }
}

double mean_task_s(wire::Consult::Reader from, double before_s) {
  double sum_s = 0, tasks = 0;
  for (const auto stage : from.getStages()) {
    sum_s += stage.getMeasuredS();
    tasks += stage.getMeasured();
  }
  return tasks > 0 ? sum_s / tasks : before_s;
}

SoleApplication::SoleApplication(Decider& decider, const Spec& spec, const ReportLimits& limits,
                                 std::shared_ptr<const KnownDurations> known,
                                 const Episode& episode, wire::Progress::Reader progress)
    : limits_(limits),
      known_(std::move(known)),
      sums_(progress),
      numbers_(limits.jobs),
      account_(decider, spec, episode) {
  account_.saw(sums_.time_s(), slots_);
}

void SoleApplication::decide(wire::Consult::Reader from, wire::Decision::Builder to,
                             Deadline deadline) {
  ClusterReport report = read_report(from, limits_, mean_s_, known_.get());
  mean_s_ = mean_task_s(from, mean_s_);
  take(from.getProgress());
  slots_ = report.slots;
  account_.saw(sums_.time_s(), slots_);
  jobs_.follow(report.jobs, numbers_);
  for (JobReport& job : report.jobs) {
    job.number = jobs_.at(job.number).number;
    account_.arrived(job.arrival_s);
  }
  Grants grants;
  const bool declined = account_.hand_out(
      report, deadline,
      [&](std::size_t stage, std::uint32_t n) { grants.emplace_back(report.stages[stage].id, n); });
  write_grants(grants, to);
  to.setDeclined(declined);
}

void SoleApplication::finish(wire::Progress::Reader progress) {
  take(progress);
  account_.close(End::terminated);
}

void SoleApplication::take(wire::Progress::Reader progress) {
  account_.take(sums_.take(progress));
  account_.saw(sums_.time_s(), slots_);
  ended_.take(progress, [&](auto job) { account_.ended(job, job.getArrivalS()); });
}

}  // namespace park::spark
