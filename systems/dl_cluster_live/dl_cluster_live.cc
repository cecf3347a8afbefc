// The system around a LiveCluster: the environment of the simulated twin makes rows, rewards and
// metrics of it. run measures speeds where there is no table, then plays episodes one after the
// other on the same trainer. An answer that is missing, late or illegal ends the round, so grants
// stay as they are.
#include "systems/dl_cluster_live/dl_cluster_live.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "park/core/action_space.h"
#include "park/envs/dl_cluster/dl_cluster.h"
#include "systems/dl_cluster_live/live_cluster.h"
#include "systems/dl_cluster_live/scratch.h"

namespace park::dl_cluster_live {
namespace {

/// That of the twin, and metrics that only a real cluster has.
struct LiveLayout : dl_cluster::ClusterLayout {
  using ClusterLayout::ClusterLayout;

  MetricOf failures{
      metrics,
      "failures",
      {.doc = "runs of jobs that ended by themselves, were killed or stood still; all but the "
              "last of a job that is given up went on from a checkpoint"}};
  MetricOf given_up{
      metrics, "jobs_given_up", {.unit = "jobs", .doc = "jobs that failed three times"}};
  MetricOf change_s{
      metrics,
      "change_s",
      {.unit = "s",
       .doc = "mean time from a grant to training with it: checkpoint, stop, waiting for cores, "
              "start; on the clock of the cluster"}};
  MetricOf fallbacks{
      metrics, "fallbacks", {.doc = "questions without a legal answer in time; grants stayed"}};
};

class LiveEpisodes {
 public:
  LiveEpisodes(const DlClusterLiveConfig& c, const Spec& spec, Decider& decider, Runs& runs,
               JobSpeeds speeds)
      : config_(c),
        decider_(decider),
        runs_(runs),
        layout_(LiveCluster::sizes_of(c)),
        space_(spec),
        now_(spec.observation),
        next_(spec.observation),
        action_(spec.action),
        metrics_(spec.metrics.size()) {
    action_.resize(1);
    auto cluster = std::make_unique<LiveCluster>(c, runs, std::move(speeds));
    cluster_ = cluster.get();
    env_ = std::make_unique<dl_cluster::DlCluster>(simulated(c), std::move(cluster));
  }

  void play(const Episode& episode) {
    fallbacks_ = 0;
    const Context context = decider_.open(episode);
    now_.clear();
    env_->reset(episode, now_.append());
    Outcome o;
    try {
      while (o.end == End::none) o = step(context, o);
    } catch (const Stopped&) {
      o = {.end = End::truncated};
      cluster_->close();
    }
    env_->metrics(metrics_);
    add_metrics();
    decider_.close(context, o, row(), metrics_);
  }

 private:
  [[nodiscard]] ConstRow row() const { return now_.row(0); }

  Outcome step(const Context& context, const Outcome& last) {
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(config_.decision_s));
    const Row action = action_.row(0);
    const Applied by = decider_.decide(context, last, row(), action, until);
    if (runs_.stopping()) throw Stopped{};
    if (by != Applied::policy || !space_.legal(row(), std::as_const(action_).row(0))) {
      ++fallbacks_;
      // The last move ends the round.
      action.scalar(layout_.move) = static_cast<std::int32_t>(row().count(layout_.moves)) - 1;
    }
    next_.clear();
    const Outcome o = env_->step(std::as_const(action_).row(0), next_.append());
    std::swap(now_, next_);
    return o;
  }

  void add_metrics() {
    const LiveFigures& f = cluster_->live_figures();
    metrics_[layout_.failures] = static_cast<double>(f.failures);
    metrics_[layout_.given_up] = static_cast<double>(f.given_up);
    metrics_[layout_.change_s] = f.changes > 0 ? f.change_s / static_cast<double>(f.changes)
                                               : std::numeric_limits<double>::quiet_NaN();
    metrics_[layout_.fallbacks] = static_cast<double>(fallbacks_);
  }

  const DlClusterLiveConfig& config_;
  Decider& decider_;
  Runs& runs_;
  LiveLayout layout_;
  ActionSpace space_;
  LiveCluster* cluster_ = nullptr;  // of env_
  std::unique_ptr<dl_cluster::DlCluster> env_;
  Batch now_, next_, action_;
  std::vector<double> metrics_;
  std::uint64_t fallbacks_ = 0;
};

}  // namespace

Spec DlClusterLive::spec(const Config& c) {
  return LiveLayout(LiveCluster::sizes_of(c))
      .spec({.name = kName,
             .summary = "grant cores to elastic training jobs that really train",
             .reference = "the running twin of dl_cluster(model=allreduce); Qiao et al., Pollux: "
                          "Co-adaptive Cluster Scheduling for Goodput-Optimized Deep Learning, "
                          "OSDI 2021",
             .version = 2,
             .traits = {.system = true, .replayable = false, .twin = dl_cluster::kDlClusterName}});
}

void DlClusterLive::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  std::optional<Episode> episode = episodes.next();
  if (!episode) return;
  const Spec spec = DlClusterLive::spec(config_);
  const std::vector<std::int32_t> ladder = ladder_of(config_.cores);
  std::optional<JobSpeeds> speeds;
  if (!config_.table.empty()) speeds = JobSpeeds::of_table(config_.table, ladder);
  const Scratch scratch("park-cluster");
  Runs runs(
      {.stall_s = config_.stall_s, .stop_s = config_.stop_s, .checkpoint_s = config_.checkpoint_s},
      config_.cores, scratch.path(), stop);
  try {
    if (!speeds) speeds = JobSpeeds::measured(runs, ladder, config_.measure_s);
  } catch (const Stopped&) {
    return;
  }
  LiveEpisodes all(config_, spec, decider, runs, std::move(*speeds));
  for (; episode && !stop.stop_requested(); episode = episodes.next()) all.play(*episode);
}

}  // namespace park::dl_cluster_live
