#include "agents/net/park_dag.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "agents/net/dag_features.h"
#include "agents/net/index_tensor.h"
#include "agents/net/job_memory.h"
#include "agents/net/mlp.h"
#include "agents/net/stage_embedding.h"

namespace park::agents {
namespace {

constexpr std::int64_t kChoice = DagFeatures::kChoice, kAmount = DagFeatures::kAmount,
                       kClass = DagFeatures::kClass;

struct DagEncoding final : Encoding {
  explicit DagEncoding(const DagFeatures& f) : features(f) {}
  DagFeatures features;
  StageEmbedding::Result embedding;  // where there is one
  JobMemory::Places memory;          // where there is one
};

class ParkDag final : public Network {
 public:
  ParkDag(const Spec& spec, const ParkDagConfig& config, Role role, const Rng& rng)
      : features_(spec, config.durations),
        config_(config),
        stage_(Batch(spec.action).field<std::int32_t>("stage")) {
    const std::int64_t size = config.embedding + config.memory;
    if (config.memory > 0)
      memory_ = register_module("memory",
                                std::make_shared<JobMemory>(spec, config.memory, config.durations));
    if (config.embedding > 0)
      embedding_ = register_module(
          "embedding", std::make_shared<StageEmbedding>(spec, config.embedding, config.durations,
                                                        rng.split("embedding")));
    if (role == Role::value) {
      value_job_ = scorer("job", DagFeatures::kEach + size, rng);
      return;
    }
    score_stage_ = scorer("stage", kChoice + 2 * size, rng);
    if (config.limits) score_limit_ = scorer("limit", kChoice + kAmount + 2 * size, rng);
    score_class_ = scorer("class", kChoice + kClass + 2 * size, rng);
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    auto encoding = std::make_unique<DagEncoding>(features_);
    encoding->features.read(observation);
    if (embedding_) encoding->embedding = embedding_->of(observation);
    if (memory_) encoding->memory = memory_->find(observation);
    return encoding;
  }

  void narrow(Encoding& encoding, std::size_t head, const Batch& actions, Candidates& c) override {
    if (head != kLimit) return;
    const DagFeatures& f = static_cast<DagEncoding&>(encoding).features;
    Candidates kept;
    kept.given = std::move(c.given);
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const auto begin = c.value.begin() + c.offsets[r];
      const std::int64_t n = std::min<std::int64_t>(c.count(r), f.most(r, chosen(f, r, actions)));
      kept.value.insert(kept.value.end(), config_.limits ? begin : begin + n - 1, begin + n);
      kept.offsets.push_back(static_cast<std::int64_t>(kept.value.size()));
    }
    c = std::move(kept);
  }

  at::Tensor scores(Encoding& encoding, std::size_t head, const Candidates& c,
                    const Batch& actions) override {
    const auto& e = static_cast<DagEncoding&>(encoding);
    const DagFeatures& f = e.features;
    const std::int64_t width = head == kStage   ? kChoice
                               : head == kLimit ? kChoice + kAmount
                                                : kChoice + kClass;
    const at::Tensor x = at::empty({static_cast<std::int64_t>(c.size()), width});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < c.rows(); ++r)
      for (std::int64_t i = 0; i < c.count(r); ++i, to += width)
        write(f, head, c, actions, r, i, to);
    const Mlp& score = head == kStage   ? *score_stage_
                       : head == kLimit ? *score_limit_
                                        : *score_class_;
    if (!embedding_ && !memory_) return score.forward(x).squeeze(1).cpu();
    const std::vector<std::int64_t> of = stages(f, head, c, actions);
    std::vector<at::Tensor> all = {x};
    if (embedding_) all.push_back(StageEmbedding::at_stages(e.embedding, of));
    if (memory_) all.push_back(memory_->of_stages(e.memory, of));
    return score.forward(joined(all)).squeeze(1).cpu();
  }

  [[nodiscard]] bool has_values() const noexcept override { return value_job_ != nullptr; }

  at::Tensor values(Encoding& encoding) override {
    const auto& e = static_cast<DagEncoding&>(encoding);
    const DagFeatures& f = e.features;
    const auto jobs = static_cast<std::int64_t>(f.jobs());
    const at::Tensor x = at::empty({jobs, DagFeatures::kEach}), row = at::empty({jobs}, at::kLong);
    float* to = x.data_ptr<float>();
    std::int64_t* of = row.data_ptr<std::int64_t>();
    for (std::size_t r = 0; r < f.rows(); ++r)
      for (std::size_t j = 0; j < f.jobs(r); ++j, to += DagFeatures::kEach) {
        f.each(r, j, to);
        *of++ = static_cast<std::int64_t>(r);
      }
    std::vector<at::Tensor> all = {x};
    if (embedding_) {
      const at::Tensor own = e.embedding.job;
      all.push_back(own.index_select(0, index_tensor(e.embedding.graphs.job).to(own.device())));
    }
    if (memory_) all.push_back(memory_->of_jobs(e.memory));
    return at::zeros({static_cast<std::int64_t>(f.rows())})
        .index_add(0, row, value_job_->forward(joined(all)).squeeze(1).cpu());
  }

 private:
  static constexpr std::size_t kStage = 0, kLimit = 1;

  /// Columns side by side, where the last ones lie.
  static at::Tensor joined(std::vector<at::Tensor>& columns) {
    if (columns.size() == 1) return columns.front();
    columns.front() = columns.front().to(columns.back().device());
    return at::cat(columns, 1);
  }

  std::shared_ptr<Mlp> scorer(const char* name, std::int64_t in, const Rng& rng) {
    return register_module(
        name, std::make_shared<Mlp>(MlpOptions{{in, config_.hidden1, config_.hidden2, 1}},
                                    rng.split(name)));
  }

  [[nodiscard]] std::size_t chosen(const DagFeatures& f, std::size_t row,
                                   const Batch& actions) const {
    return f.place(row, actions.row(row).scalar(stage_));
  }

  /// The stage that each candidate is, or belongs to.
  [[nodiscard]] std::vector<std::int64_t> stages(const DagFeatures& f, std::size_t head,
                                                 const Candidates& c, const Batch& actions) const {
    if (head == kStage) return c.element;
    std::vector<std::int64_t> all;
    for (std::size_t r = 0; r < c.rows(); ++r)
      all.insert(all.end(), static_cast<std::size_t>(c.count(r)),
                 static_cast<std::int64_t>(chosen(f, r, actions)));
    return all;
  }

  /// The features of candidate i of a row.
  void write(const DagFeatures& f, std::size_t head, const Candidates& c, const Batch& actions,
             std::size_t row, std::int64_t i, float* to) const {
    const auto at = static_cast<std::size_t>(c.offsets[row] + i);
    if (head == kStage) return f.choice(row, static_cast<std::size_t>(c.element[at]), to);
    const std::size_t stage = chosen(f, row, actions);
    f.choice(row, stage, to);
    if (head == kLimit)
      f.amount(row, stage, static_cast<std::int32_t>(i) + 1,
               static_cast<std::int32_t>(c.count(row)), to + kChoice);
    else
      f.executor_class(row, stage, static_cast<std::size_t>(c.value[at]), to + kChoice);
  }

  DagFeatures features_;
  ParkDagConfig config_;
  Field<std::int32_t> stage_;
  std::shared_ptr<StageEmbedding> embedding_;
  std::shared_ptr<JobMemory> memory_;
  std::shared_ptr<Mlp> score_stage_, score_limit_, score_class_, value_job_;
};

}  // namespace

std::shared_ptr<Network> make_park_dag(const Spec& spec, const ParkDagConfig& config, Role role,
                                       const Rng& rng) {
  return std::make_shared<ParkDag>(spec, config, role, rng);
}

}  // namespace park::agents
