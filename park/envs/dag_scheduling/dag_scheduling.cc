#include "park/envs/dag_scheduling/dag_scheduling.h"

#include <utility>

#include "park/envs/dag_scheduling/declarations.h"

namespace park::dag_scheduling {

namespace {

DagSizes sizes_of(const ClusterModel& model) {
  const std::int64_t jobs = model.jobs_per_episode();
  return {.executors = static_cast<double>(model.config().executors),
          .classes = static_cast<std::int64_t>(model.classes().size()),
          .jobs = jobs,
          .stages = jobs * model.most_stages(),
          .edges = jobs * model.most_edges(),
          .objective = objective_of(model.config().objective),
          .deadlines = model.config().deadline_factor > 0};
}

}  // namespace

Spec DagScheduling::spec(const Config& c) {
  return DagLayout(sizes_of(*ClusterModel::open(c)))
      .spec(
          {.name = kDagSchedulingName,
           .summary = "schedule jobs of dependent stages on the executors of a Spark-like cluster",
           .reference =
               "Mao et al., Learning Scheduling Algorithms for Data Processing Clusters, SIGCOMM "
               "2019, sections 4-6 and appendix D",
           .traits = {.cloneable = true, .twin = "spark"}});
}

std::vector<std::filesystem::path> DagScheduling::data_files(const Config& c) {
  std::vector<std::filesystem::path> files{Workload::path(c.workload)};
  if (c.arrival == "file") files.emplace_back(c.arrivals);
  return files;
}

DagScheduling::DagScheduling(const Config& c) : DagScheduling(ClusterModel::open(c)) {}

DagScheduling::DagScheduling(std::shared_ptr<const ClusterModel> model)
    : cluster_(std::move(model)), layout_(sizes_of(cluster_.model())), observation_(layout_) {}

void DagScheduling::reset(const Episode& e, Row observation) {
  cluster_.reset(e);
  cluster_.start();
  observation_.reset();
  observation_.update(cluster_);
  observation.keep(observation_.row());
}

Outcome DagScheduling::step(ConstRow action, Row observation) {
  cluster_.commit(observation_.stage_id(cluster_, action.scalar(layout_.stage)),
                  action.scalar(layout_.limit),
                  static_cast<std::uint32_t>(action.scalar(layout_.executor_class)));
  const bool asks = cluster_.advance();
  observation_.update(cluster_);
  observation.keep(observation_.row());
  if (!asks) percentiles_ = cluster_.log().percentiles_s();
  return cluster_.take_outcome();
}

void DagScheduling::metrics(std::span<double> out) const {
  const DagLayout& l = layout_;
  const JobLog& log = cluster_.log();
  out[l.avg_jct_s] = log.mean_s();
  out[l.p50_jct_s] = percentiles_.p50;
  out[l.p95_jct_s] = percentiles_.p95;
  out[l.p99_jct_s] = percentiles_.p99;
  out[l.avg_slowdown] = log.mean_slowdown();
  out[l.makespan_s] = cluster_.makespan_s();
  out[l.utilisation] =
      cluster_.busy_s() / (cluster_.model().config().executors * cluster_.makespan_s());
  out[l.executor_moves] = static_cast<double>(cluster_.moves());
  out[l.jobs_done] = static_cast<double>(log.count());
  if (l.tail_jct_s) out[*l.tail_jct_s] = cluster_.worst_jobs().mean_s(log.count());
  if (l.late_share)
    out[*l.late_share] =
        static_cast<double>(cluster_.late_jobs()) / static_cast<double>(log.count());
}

std::unique_ptr<Env> DagScheduling::clone() const {
  std::unique_ptr<DagScheduling> copy(new DagScheduling(*this));
  copy->cluster_.timeline().set(nullptr);
  return copy;
}

std::unique_ptr<Env> DagScheduling::clone_with_future(std::uint64_t seed) const {
  std::unique_ptr<DagScheduling> copy(new DagScheduling(*this));
  copy->cluster_.timeline().set(nullptr);
  copy->cluster_.draw_future(seed);
  return copy;
}

bool DagScheduling::append_state(std::string& out) const {
  cluster_.append_state(out);
  return true;
}

std::unique_ptr<Declarations> DagScheduling::declarations() const {
  const ClusterModel& model = cluster_.model();
  return std::make_unique<DagDeclarations>(layout_,
                                           DagDeclarations::Limits{.jobs = model.jobs_per_episode(),
                                                                   .stages = model.most_stages(),
                                                                   .edges = model.most_edges()});
}

}  // namespace park::dag_scheduling
