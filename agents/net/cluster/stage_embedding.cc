#include "agents/net/cluster/stage_embedding.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "agents/net/cluster/graph_layer.h"
#include "agents/net/columns.h"
#include "agents/net/index_tensor.h"

namespace park::agents {

StageEmbedding::StageEmbedding(const Spec& spec, std::int64_t size, bool durations, const Rng& rng)
    : durations_(durations), size_(size) {
  const Batch o(spec.observation);
  tasks_ = o.field<float>("stage.tasks");
  mean_s_ = o.field<float>("stage.mean_duration_s");
  left_ = o.field<float>("stage.tasks_left");
  running_ = o.field<float>("stage.tasks_running");
  committed_ = o.field<float>("stage.committed");
  moving_ = o.field<float>("stage.moving");
  job_ = o.field<std::int32_t>("stage.job");
  parent_ = o.field<std::int32_t>("edge.parent");
  child_ = o.field<std::int32_t>("edge.child");
  runnable_ = o.field<std::uint8_t>("stage.runnable");
  stages_ = o.group("stages");
  jobs_ = o.group("jobs");
  edges_ = o.group("edges");
  const auto mlp = [&](const char* name, std::int64_t in) {
    return register_module(
        name, std::make_shared<Mlp>(MlpOptions{.widths = {in, 2 * size, size}, .last_scale = 1},
                                    rng.split(name)));
  };
  prepare_ = mlp("prepare", kFeatures);
  message_ = mlp("message", size);
  update_ = mlp("update", size);
}

at::Tensor StageEmbedding::features(const Batch& b) const {
  const auto tasks = all_of(b, tasks_), mean_s = all_of(b, mean_s_), left = all_of(b, left_),
             running = all_of(b, running_), committed = all_of(b, committed_),
             moving = all_of(b, moving_);
  const auto runnable = all_of(b, runnable_);
  at::Tensor all = at::empty({static_cast<std::int64_t>(tasks.size()), kFeatures});
  float* to = all.data_ptr<float>();
  for (std::size_t s = 0; s < tasks.size(); ++s, to += kFeatures) {
    const float duration_s = durations_ ? mean_s[s] : 0;
    std::ranges::copy(
        std::array{std::log1p(left[s]) / 6, std::log1p(duration_s) / 2,
                   std::log1p(left[s] * duration_s) / 8, left[s] / tasks[s],
                   std::log1p(running[s]) / 3, std::log1p(committed[s] + moving[s]) / 3,
                   static_cast<float>(runnable[s])},
        to);
  }
  return all;
}

StageEmbedding::Result StageEmbedding::of(const Batch& b) const {
  Result r;
  const at::Tensor all = features(b);
  const std::vector<std::uint8_t> marks(static_cast<std::size_t>(all.size(0)));
  r.graphs = job_graphs({.features = all,
                         .first_stage = b.offsets(stages_),
                         .first_job = b.offsets(jobs_),
                         .first_edge = b.offsets(edges_),
                         .job = all_of(b, job_),
                         .parents = all_of(b, parent_),
                         .children = all_of(b, child_),
                         .marks = marks});
  const at::Device device = prepare_->tensors().tensors[0].device();
  const at::Tensor x =
      prepare_->forward(all.index_select(0, index_tensor(r.graphs.representative)));
  r.stage = graph_layer(x, at::zeros({x.size(0), 0}, x.options().requires_grad(false)),
                        r.graphs.levels, {message_->tensors(), update_->tensors()});
  const at::Tensor share = at::zeros({r.graphs.jobs, 1});
  for (const std::int64_t j : r.graphs.job_of) share.data_ptr<float>()[j] += 1;
  r.job = at::zeros({r.graphs.jobs, size_}, x.options().requires_grad(false))
              .index_add(0, index_tensor(r.graphs.job_of).to(device), r.stage) /
          share.clamp_min(1).to(device);
  return r;
}

at::Tensor StageEmbedding::of_stages(const Result& r, const std::vector<std::int64_t>& stages) {
  return rows_of(r.stage, r.graphs.stage, stages);
}

at::Tensor StageEmbedding::of_jobs(const Result& r, const std::vector<std::int64_t>& jobs) {
  return rows_of(r.job, r.graphs.job, jobs);
}

}  // namespace park::agents
