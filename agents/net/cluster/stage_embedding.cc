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
    : durations_(durations), size_(size), layout_(bind_layout<dag_scheduling::DagLayout>(spec)) {
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
  const auto tasks = all_of(b, layout_.tasks), mean_s = all_of(b, layout_.mean_s),
             left = all_of(b, layout_.tasks_left), running = all_of(b, layout_.running),
             committed = all_of(b, layout_.committed), moving = all_of(b, layout_.moving);
  const auto runnable = all_of(b, layout_.runnable);
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
                         .first_stage = b.offsets(layout_.stages),
                         .first_job = b.offsets(layout_.jobs),
                         .first_edge = b.offsets(layout_.edges),
                         .job = all_of(b, layout_.stage_job),
                         .parents = all_of(b, layout_.edge_parent),
                         .children = all_of(b, layout_.edge_child),
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
