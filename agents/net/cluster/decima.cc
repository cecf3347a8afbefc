// The network of Decima, as in the paper and as in its public code; a Shape says in what they
// differ. encode computes features, embeds stages along the graphs of their jobs, jobs over their
// stages and the cluster over its jobs; different rows share the embedding of an unchanged job.
// Heads score stages, then limits, then classes. decide and evaluate of agents/kit call it in this
// order.
#include "agents/net/cluster/decima.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "agents/net/cluster/dag_features.h"
#include "agents/net/cluster/decima_input.h"
#include "agents/net/cluster/graph_layer.h"
#include "agents/net/index_tensor.h"
#include "agents/net/mlp.h"

namespace park::agents {
namespace {

using Widths = std::vector<std::int64_t>;

constexpr float kSlope = 0.2f;
constexpr std::int64_t kStageWidth = DecimaInput::kStage, kJobWidth = DecimaInput::kJob;
constexpr std::int64_t kClassWidth = DagFeatures::kClass;

/// In what the network of the paper and that of the public code differ.
struct Shape {
  DecimaInput::Features features;
  std::int64_t embedding;
  Widths hidden;
  bool prepare;       // x_v is a perceptron of the features; else they are filled up
  bool updates;       // g of jobs and of the cluster; f of the cluster sees features of jobs
  bool rectify_last;  // of the graph's perceptrons
  bool last_bias;     // of the scores
};
const Shape kPaper = {DecimaInput::Features::paper, 16, {32, 16}, false, true, false, false};
const Shape kCode = {DecimaInput::Features::code, 8, {16, 8}, true, false, true, true};

Widths widths(std::int64_t in, const Widths& hidden, std::int64_t out) {
  Widths all{in};
  all.insert(all.end(), hidden.begin(), hidden.end());
  all.push_back(out);
  return all;
}

struct DecimaEncoding final : Encoding {
  DecimaInput::Rows rows;
  JobGraphs graphs;                    // with embeddings
  at::Tensor stage, job, global;       // features and embeddings: [U or S, .], [J, .]; [B, E]
  std::optional<DagFeatures> classes;  // where there are several
};

class Decima final : public Network {
 public:
  Decima(const Spec& spec, const DecimaFields& fields, const Shape& shape, Role role,
         const Rng& rng)
      : heads_(spec),
        fields_(fields),
        shape_(shape),
        input_(spec, shape.features, fields.durations),
        rng_(rng) {
    if (fields.graph) make_graph();
    const std::int64_t e = fields.graph ? shape.embedding : 0;
    if (role == Role::value) {
      value_ = score("value", kJobWidth + 2 * e, 1);
      return;
    }
    const std::int64_t stage = kStageWidth + 3 * e, job = kJobWidth + 2 * e;
    score_stage_ = score("stage", stage, 1);
    if (fields.limits)
      score_limit_ = fields.limit == "outputs"
                         ? score("limit", job, static_cast<std::int64_t>(heads_[kLimit].high))
                         : score("limit", (fields.limit == "stage" ? stage : job) + 1, 1);
    if (heads_[kClass].values < 2) return;
    score_class_ = score("class", stage + kClassWidth, 1);
    class_features_.emplace(spec);
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    auto encoding = std::make_unique<DecimaEncoding>();
    DecimaEncoding& e = *encoding;
    e.rows = input_.read(observation);
    const at::Device device = parameters(true).front().device();
    e.stage = e.rows.stage.to(device);
    e.job = e.rows.job.to(device);
    if (fields_.graph) embed(observation, e);
    if (class_features_) {
      e.classes = *class_features_;
      e.classes->read(observation);
    }
    return encoding;
  }

  void narrow(Encoding&, std::size_t head, const Batch&, Candidates& c) override {
    if (head != kLimit || fields_.limits) return;
    Candidates largest;
    largest.given = std::move(c.given);
    for (std::size_t r = 0; r < c.rows(); ++r) {
      largest.value.push_back(c.value[static_cast<std::size_t>(c.offsets[r + 1] - 1)]);
      largest.offsets.push_back(static_cast<std::int64_t>(r) + 1);
    }
    c = std::move(largest);
  }

  at::Tensor scores(Encoding& encoding, std::size_t head, const Candidates& c,
                    const Batch& actions) override {
    const auto& e = static_cast<DecimaEncoding&>(encoding);
    if (head == kStage)
      return score_stage_->forward(at_stages(e, c.element, rows_of(c))).squeeze(1).cpu();
    if (head == kLimit) return limit_scores(e, c, actions).cpu();
    return score_class_
        ->forward(at::cat({at_stages(e, chosen(e, c, actions), rows_of(c)),
                           class_inputs(e, c, actions).to(e.stage.device())},
                          1))
        .squeeze(1)
        .cpu();
  }

  [[nodiscard]] bool has_values() const noexcept override { return value_ != nullptr; }
  at::Tensor values(Encoding& encoding) override {
    const auto& e = static_cast<DecimaEncoding&>(encoding);
    std::vector<std::int64_t> jobs;
    for (std::size_t j = 0; j < e.rows.row_of.size(); ++j)
      jobs.push_back(static_cast<std::int64_t>(j));
    const at::Tensor of_job = value_->forward(at_jobs(e, jobs, e.rows.row_of)).squeeze(1).cpu();
    return at::zeros({static_cast<std::int64_t>(e.rows.executors.size())})
        .index_add(0, index_tensor(e.rows.row_of), of_job);
  }

 private:
  static constexpr std::size_t kStage = 0, kLimit = 1, kClass = 2;

  std::shared_ptr<Mlp> transformation(const char* name, std::int64_t in) {
    return register_module(
        name,
        std::make_shared<Mlp>(MlpOptions{.widths = widths(in, shape_.hidden, shape_.embedding),
                                         .style = {kSlope, shape_.rectify_last},
                                         .last_scale = 1},
                              rng_.split(name)));
  }
  std::shared_ptr<Mlp> score(const char* name, std::int64_t in, std::int64_t out) {
    return register_module(name,
                           std::make_shared<Mlp>(MlpOptions{.widths = widths(in, {32, 16, 8}, out),
                                                            .style = {kSlope, false},
                                                            .last_bias = shape_.last_bias},
                                                 rng_.split(name)));
  }

  void make_graph() {
    const std::int64_t e = shape_.embedding;
    if (shape_.prepare) prepare_ = transformation("prepare", kStageWidth);
    stage_f_ = transformation("stage_f", shape_.prepare ? e : kStageWidth + e);
    stage_g_ = transformation("stage_g", e);
    job_f_ = transformation("job_f", kStageWidth + e);
    global_f_ = transformation("global_f", shape_.updates ? kJobWidth + e : e);
    if (!shape_.updates) return;
    job_g_ = transformation("job_g", e);
    global_g_ = transformation("global_g", e);
  }

  /// Puts the embeddings behind the features.
  void embed(const Batch& observation, DecimaEncoding& e) {
    e.graphs = input_.graphs(observation, e.rows);
    const at::Device device = e.stage.device();
    const at::Tensor features =
        e.stage.index_select(0, index_tensor(e.graphs.representative).to(device));
    e.stage = at::cat({features, stages_embedded(features, e.graphs)}, 1);
    const at::Tensor job = jobs_embedded(e).index_select(0, index_tensor(e.graphs.job).to(device));
    e.job = at::cat({e.job, job}, 1);
    e.global = summed(global_f_->forward(shape_.updates ? e.job : job), e.rows.row_of,
                      static_cast<std::int64_t>(e.rows.executors.size()));
    if (global_g_) e.global = global_g_->forward(e.global);
  }

  at::Tensor stages_embedded(const at::Tensor& features, const JobGraphs& graphs) {
    const GraphLayer layer{stage_f_->tensors(), stage_g_->tensors()};
    if (prepare_)
      return graph_layer(prepare_->forward(features), features.slice(1, 0, 0), graphs.levels,
                         layer);
    const std::int64_t rest = shape_.embedding - kStageWidth;
    const at::Tensor x =
        at::cat({features, at::zeros({features.size(0), rest}, features.options())}, 1);
    return graph_layer(x, features, graphs.levels, layer);
  }

  /// y of the different jobs, over their unfinished stages.
  at::Tensor jobs_embedded(const DecimaEncoding& e) {
    std::vector<std::int64_t> stages, jobs;
    for (std::size_t u = 0; u < e.graphs.representative.size(); ++u) {
      if (e.rows.unfinished[static_cast<std::size_t>(e.graphs.representative[u])] == 0) continue;
      stages.push_back(static_cast<std::int64_t>(u));
      jobs.push_back(e.graphs.job_of[u]);
    }
    const at::Tensor of_stage =
        job_f_->forward(e.stage.index_select(0, index_tensor(stages).to(e.stage.device())));
    const at::Tensor y = summed(of_stage, jobs, e.graphs.jobs);
    return job_g_ ? job_g_->forward(y) : y;
  }

  static at::Tensor summed(const at::Tensor& x, const std::vector<std::int64_t>& place,
                           std::int64_t n) {
    return at::zeros({n, x.size(1)}, x.options())
        .index_add(0, index_tensor(place).to(x.device()), x);
  }

  /// The row of each candidate.
  static std::vector<std::int64_t> rows_of(const Candidates& c) {
    std::vector<std::int64_t> all;
    for (std::size_t r = 0; r < c.rows(); ++r)
      all.insert(all.end(), static_cast<std::size_t>(c.count(r)), static_cast<std::int64_t>(r));
    return all;
  }
  /// The chosen stage of each candidate's row.
  [[nodiscard]] std::vector<std::int64_t> chosen(const DecimaEncoding& e, const Candidates& c,
                                                 const Batch& actions) const {
    std::vector<std::int64_t> all;
    for (std::size_t r = 0; r < c.rows(); ++r)
      all.insert(all.end(), static_cast<std::size_t>(c.count(r)), chosen(e, r, actions));
    return all;
  }
  [[nodiscard]] std::int64_t chosen(const DecimaEncoding& e, std::size_t row,
                                    const Batch& actions) const {
    return e.rows.first_stage[row] + heads_.get(actions.row(row), kStage);
  }

  /// [features, e, y, z] of stages and [features, y, z] of jobs, in the rows given.
  [[nodiscard]] static at::Tensor at_stages(const DecimaEncoding& e,
                                            const std::vector<std::int64_t>& stages,
                                            const std::vector<std::int64_t>& rows) {
    const at::Device device = e.stage.device();
    if (!e.global.defined()) return e.stage.index_select(0, index_tensor(stages).to(device));
    std::vector<std::int64_t> places, jobs;
    for (const std::int64_t s : stages) {
      places.push_back(e.graphs.stage[static_cast<std::size_t>(s)]);
      jobs.push_back(e.rows.job_of[static_cast<std::size_t>(s)]);
    }
    return at::cat({e.stage.index_select(0, index_tensor(places).to(device)),
                    e.job.slice(1, kJobWidth).index_select(0, index_tensor(jobs).to(device)),
                    e.global.index_select(0, index_tensor(rows).to(device))},
                   1);
  }
  [[nodiscard]] static at::Tensor at_jobs(const DecimaEncoding& e,
                                          const std::vector<std::int64_t>& jobs,
                                          const std::vector<std::int64_t>& rows) {
    const at::Device device = e.job.device();
    const at::Tensor own = e.job.index_select(0, index_tensor(jobs).to(device));
    if (!e.global.defined()) return own;
    return at::cat({own, e.global.index_select(0, index_tensor(rows).to(device))}, 1);
  }

  [[nodiscard]] at::Tensor limit_scores(const DecimaEncoding& e, const Candidates& c,
                                        const Batch& actions) const {
    if (fields_.limit == "outputs") return limit_outputs(e, c);
    const std::vector<std::int64_t> rows = rows_of(c);
    const at::Tensor limit = at::empty({static_cast<std::int64_t>(c.size()), 1});
    float* to = limit.data_ptr<float>();
    const bool of_stage = fields_.limit == "stage";
    std::vector<std::int64_t> jobs;
    for (std::size_t k = 0; k < c.size(); ++k) {
      const auto r = static_cast<std::size_t>(rows[k]);
      const auto j = static_cast<std::size_t>(c.given[r]);
      auto n = static_cast<float>(c.value[k]);
      if (of_stage)
        n += e.rows.held[static_cast<std::size_t>(chosen(e, r, actions))] -
             static_cast<float>(e.rows.least[j] - 1);
      *to++ = n / e.rows.executors[r];
      jobs.push_back(c.given[r]);
    }
    const at::Tensor known =
        of_stage ? at_stages(e, chosen(e, c, actions), rows) : at_jobs(e, jobs, rows);
    return score_limit_->forward(at::cat({known, limit.to(known.device())}, 1)).squeeze(1);
  }

  [[nodiscard]] at::Tensor limit_outputs(const DecimaEncoding& e, const Candidates& c) const {
    std::vector<std::int64_t> rows, places;
    for (std::size_t r = 0; r < c.rows(); ++r) rows.push_back(static_cast<std::int64_t>(r));
    const at::Tensor all = score_limit_->forward(at_jobs(e, c.given, rows));
    const std::vector<std::int64_t> of = rows_of(c);
    for (std::size_t k = 0; k < c.size(); ++k)
      places.push_back(of[k] * all.size(1) + c.value[k] - 1);
    return all.flatten().index_select(0, index_tensor(places).to(all.device()));
  }

  [[nodiscard]] at::Tensor class_inputs(const DecimaEncoding& e, const Candidates& c,
                                        const Batch& actions) const {
    const at::Tensor x = at::empty({static_cast<std::int64_t>(c.size()), kClassWidth});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < c.rows(); ++r)
      for (std::int64_t k = c.offsets[r]; k < c.offsets[r + 1]; ++k, to += kClassWidth)
        e.classes->executor_class(r, static_cast<std::size_t>(chosen(e, r, actions)),
                                  static_cast<std::size_t>(c.value[static_cast<std::size_t>(k)]),
                                  to);
    return x;
  }

  Heads heads_;
  DecimaFields fields_;
  Shape shape_;
  DecimaInput input_;
  Rng rng_;
  std::optional<DagFeatures> class_features_;
  std::shared_ptr<Mlp> prepare_, stage_f_, stage_g_, job_f_, job_g_, global_f_, global_g_;
  std::shared_ptr<Mlp> score_stage_, score_limit_, score_class_, value_;
};

}  // namespace

std::shared_ptr<Network> make_decima(const Spec& spec, const DecimaConfig& config, Role role,
                                     const Rng& rng) {
  return std::make_shared<Decima>(spec, config, kPaper, role, rng);
}

std::shared_ptr<Network> make_decima_public(const Spec& spec, const DecimaPublicConfig& config,
                                            Role role, const Rng& rng) {
  return std::make_shared<Decima>(spec, config, kCode, role, rng);
}

}  // namespace park::agents
