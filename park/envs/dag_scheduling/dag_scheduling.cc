#include "park/envs/dag_scheduling/dag_scheduling.h"

#include <utility>

namespace park::dag_scheduling {

Spec DagScheduling::spec(const Config& c) { return dag_scheduling_spec(*ClusterModel::open(c)); }

std::vector<std::filesystem::path> DagScheduling::data_files(const Config& c) {
  std::vector<std::filesystem::path> files{Workload::path(c.workload)};
  if (c.arrival == "file") files.emplace_back(c.arrivals);
  return files;
}

DagScheduling::DagScheduling(const Config& c) : DagScheduling(ClusterModel::open(c)) {}

DagScheduling::DagScheduling(const std::shared_ptr<const ClusterModel>& model)
    : DagScheduling(model, dag_scheduling_spec(*model)) {}

DagScheduling::DagScheduling(std::shared_ptr<const ClusterModel> model, const Spec& spec)
    : cluster_(std::move(model)), observation_(spec.observation) {
  const Batch action(spec.action);
  stage_ = action.field<std::int32_t>("stage");
  limit_ = action.field<std::int32_t>("limit");
  class_ = action.field<std::int32_t>("class");
}

void DagScheduling::reset(const Episode& e, Row observation) {
  cluster_.reset(e);
  cluster_.start();
  observation_.reset();
  observation_.update(cluster_);
  observation.keep(observation_.row());
}

Outcome DagScheduling::step(ConstRow action, Row observation) {
  cluster_.commit(observation_.stage_id(cluster_, action.scalar(stage_)), action.scalar(limit_),
                  static_cast<std::uint32_t>(action.scalar(class_)));
  const bool asks = cluster_.advance();
  observation_.update(cluster_);
  observation.keep(observation_.row());
  if (!asks) percentiles_ = cluster_.log().percentiles_s();
  return cluster_.take_outcome();
}

void DagScheduling::metrics(std::span<double> m) const {
  const JobLog& log = cluster_.log();
  m[0] = log.mean_s();
  m[1] = percentiles_.p50;
  m[2] = percentiles_.p95;
  m[3] = percentiles_.p99;
  m[4] = log.mean_slowdown();
  m[kMakespan] = cluster_.makespan_s();
  m[6] = cluster_.busy_s() / (cluster_.model().config().executors * cluster_.makespan_s());
  m[7] = static_cast<double>(cluster_.moves());
  m[8] = static_cast<double>(log.count());
  objective_first(cluster_.model().config(), m);
}

std::unique_ptr<Env> DagScheduling::clone() const {
  std::unique_ptr<DagScheduling> copy(new DagScheduling(*this));
  copy->cluster_.timeline().set(nullptr);
  return copy;
}

}  // namespace park::dag_scheduling
