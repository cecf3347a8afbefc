// Decima's graph network, in the shape of the paper (`decima`) and in that of the public code
// (`decima_public`). encode reads features of stages and jobs (DecimaInput) and, with the graph,
// embeddings of stages, jobs and the cluster (GraphLayer over JobGraphs). scores then runs one
// perceptron per head over all candidates of the batch: stages, limits for the job of the chosen
// stage, classes of executors. Shape holds what differs between the two networks, DecimaFields what
// a user leaves out.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/net/cluster/cluster_spec.h"
#include "agents/net/cluster/dag_features.h"
#include "agents/net/cluster/decima_input.h"
#include "agents/net/cluster/graph_layer.h"
#include "agents/net/index_tensor.h"
#include "agents/net/mlp.h"
#include "agents/net/networks.h"

namespace park::agents {
namespace {

/// What can be left out of Decima's network, as its paper does (figures 14 and 15a), and what
/// hand-made features have that it lacks.
struct DecimaFields {
  std::string limit = "input";
  bool graph = true, durations = true, limits = true;
  bool merge = false, logs = false, totals = false;
  std::string sums = "total", weights = "normal";
  bool operator==(const DecimaFields&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(
        "limit", self.limit,
        FieldDoc{.doc = "input: a limit is an input of one score, on the job; outputs: each limit "
                        "has an output of its own, so that the cluster cannot grow; stage: as "
                        "input, but of what the stage itself gets and is",
                 .choices = "input|outputs|stage"});
    visit("graph", self.graph,
          FieldDoc{.doc = "embeddings of stages, jobs and the cluster; false: features alone"});
    visit("durations", self.durations, FieldDoc{.doc = "how long tasks take is an input"});
    visit("limits", self.limits,
          FieldDoc{.doc = "chooses limits; false: a stage gets all that it can"});
    visit(
        "merge", self.merge,
        FieldDoc{.doc = "limits that give a stage the same number of executors are one candidate"});
    visit("logs", self.logs,
          FieldDoc{.doc = "logarithms of tasks and of work in place of tasks and of durations"});
    visit("totals", self.totals,
          FieldDoc{.doc = "each score also sees logarithms of the job's work, what is left of it "
                          "and all, and its executors"});
    visit(
        "sums", self.sums,
        FieldDoc{.doc = "over the stages of a job and over the jobs: total, or divided by the root "
                        "of their number, so that more jobs do not make them larger",
                 .choices = "total|root"});
    visit("weights", self.weights,
          FieldDoc{.doc = "at the start: normal with variance 1 / inputs and small in the last "
                          "layer, or Glorot's, as in the public code",
                   .choices = "normal|glorot"});
  }
};

/// Decima's graph network (Mao et al., SIGCOMM 2019, section 5) with the paper's 12 736 parameters.
/// The paper gives six transformations f, g of stages, jobs and the cluster with two hidden layers
/// of 32 and 16 units, two scores, and that number, but not the rest. It results from
/// - embeddings of 16, where x_v, the 5 features of a stage, is filled up with zeros;
/// - f of a stage on [x_u, e_u], of a job on [x_v, e_v], of the cluster on [3 features of the job,
///   y]: 21, 21 and 19 inputs; every g on 16: 1504 + 1504 + 1440 + 3 * 1344 = 8480;
/// - scores of layers 32-16-8-1 as in the public code, on [x_v, e_v, y, z] = 53 inputs and
///   [3 features of the job, y, z, limit] = 36, whose last bias is left out because a softmax does
///   not see it: 2400 + 1856.
/// Of all layouts with six f and g, embeddings of one size of 4 to 64, features beside the
/// embeddings or not, x_v filled up or a linear map or a perceptron of them, scores 32-16-1 (as the
/// text has it) or 32-16-8-1, only some with 16 and the latter give 12 736; this is the one of them
/// that puts features beside the embeddings everywhere.
/// x_v: tasks left / 200, mean duration in s, tasks running / 20, executors of this round / 20, and
/// +-2 for whether these are the job's own; a job's features are its executors / 20 and the last
/// two.
struct DecimaConfig : DecimaFields {
  static constexpr const char* kName = "decima";
};

/// The network of the public code (github.com/hongzimao/decima-sim), 4 770 parameters: embeddings
/// of 8 that begin as a perceptron of x_v, hidden layers of 16 and 8, rectifiers behind the last
/// layers too, jobs and the cluster summed up without g. Otherwise from the paper: one pass from
/// the leaves, where the code takes eight steps that add up twice what comes along two ways.
/// x_v: executors of the job / 20, +-2 as above, executors of this round / 20, seconds of work
/// left / 100, tasks left / 200.
struct DecimaPublicConfig : DecimaFields {
  static constexpr const char* kName = "decima_public";
};

// Both leave finished stages out of the sums over a job, take the limit as a part of all
// executors, and score limits for the job of the chosen stage only. Weights start as Mlp has it.
// Where there are classes of executors a score of each follows, on [x_v, e_v, y, z] and
// DagFeatures::executor_class. The value is a sum over the jobs of a perceptron on [features, y,
// z].

using Widths = std::vector<std::int64_t>;

constexpr float kSlope = 0.2f;
constexpr std::int64_t kStageWidth = DecimaInput::kStage;
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
        input_(spec, shape.features, fields.durations, fields.logs, fields.totals),
        rng_(rng) {
    if (fields.graph) make_graph();
    const std::int64_t e = fields.graph ? shape.embedding : 0;
    if (role == Role::value) {
      value_ = score("value", input_.job_width() + 2 * e, 1);
      return;
    }
    const std::int64_t more = fields.totals ? DecimaInput::kTotals : 0;
    const std::int64_t stage = kStageWidth + more + 3 * e, job = input_.job_width() + 2 * e;
    score_stage_ = score("stage", stage, 1);
    if (fields.limits)
      score_limit_ = fields.limit == "outputs"
                         ? score("limit", job, static_cast<std::int64_t>(heads_[kLimit].high))
                         : score("limit", (fields.limit == "stage" ? stage : job) + 1, 1);
    const bool classes = heads_[kClass].values >= 2;
    if (classes || fields.merge) class_features_.emplace(spec);
    if (classes) score_class_ = score("class", stage + kClassWidth, 1);
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

  void narrow(Encoding& encoding, std::size_t head, const Batch& actions, Candidates& c) override {
    if (head != kLimit || (fields_.limits && !fields_.merge)) return;
    const auto& e = static_cast<DecimaEncoding&>(encoding);
    Candidates kept;
    kept.given = std::move(c.given);
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const std::int64_t most =
          fields_.merge
              ? std::min<std::int64_t>(
                    c.count(r), e.classes->most(r, static_cast<std::size_t>(chosen(e, r, actions))))
              : c.count(r);
      const auto end = c.value.begin() + c.offsets[r] + most;
      kept.value.insert(kept.value.end(), fields_.limits ? c.value.begin() + c.offsets[r] : end - 1,
                        end);
      kept.offsets.push_back(static_cast<std::int64_t>(kept.value.size()));
    }
    c = std::move(kept);
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
                                         .last_scale = 1,
                                         .glorot = fields_.weights == "glorot"},
                              rng_.split(name)));
  }
  std::shared_ptr<Mlp> score(const char* name, std::int64_t in, std::int64_t out) {
    MlpOptions options{.widths = widths(in, {32, 16, 8}, out),
                       .style = {kSlope, false},
                       .last_bias = shape_.last_bias};
    options.glorot = fields_.weights == "glorot";
    if (options.glorot) options.last_scale = 1;
    return register_module(name, std::make_shared<Mlp>(options, rng_.split(name)));
  }

  void make_graph() {
    const std::int64_t e = shape_.embedding;
    if (shape_.prepare) prepare_ = transformation("prepare", kStageWidth);
    stage_f_ = transformation("stage_f", shape_.prepare ? e : kStageWidth + e);
    stage_g_ = transformation("stage_g", e);
    job_f_ = transformation("job_f", kStageWidth + e);
    global_f_ = transformation("global_f", shape_.updates ? input_.job_width() + e : e);
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

  [[nodiscard]] at::Tensor summed(const at::Tensor& x, const std::vector<std::int64_t>& place,
                                  std::int64_t n) const {
    const at::Tensor sums =
        at::zeros({n, x.size(1)}, x.options()).index_add(0, index_tensor(place).to(x.device()), x);
    if (fields_.sums == "total") return sums;
    const at::Tensor scale = at::zeros({n, 1});
    float* const counts = scale.data_ptr<float>();
    for (const std::int64_t p : place) ++counts[p];
    for (std::int64_t i = 0; i < n; ++i) counts[i] = 1 / std::sqrt(std::max(1.0f, counts[i]));
    return sums * scale.to(x.device());
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

  /// [features, e, totals, y, z] of stages and [features, totals, y, z] of jobs, in the rows given.
  [[nodiscard]] static at::Tensor at_stages(const DecimaEncoding& e,
                                            const std::vector<std::int64_t>& stages,
                                            const std::vector<std::int64_t>& rows) {
    const at::Device device = e.stage.device();
    const bool graph = e.global.defined();
    std::vector<std::int64_t> places, jobs;
    for (const std::int64_t s : stages) {
      places.push_back(graph ? e.graphs.stage[static_cast<std::size_t>(s)] : s);
      jobs.push_back(e.rows.job_of[static_cast<std::size_t>(s)]);
    }
    const at::Tensor own = e.stage.index_select(0, index_tensor(places).to(device));
    const at::Tensor of_job =
        e.job.slice(1, DecimaInput::kJob).index_select(0, index_tensor(jobs).to(device));
    if (!graph) return at::cat({own, of_job}, 1);
    return at::cat({own, of_job, e.global.index_select(0, index_tensor(rows).to(device))}, 1);
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

void register_decima_network(Networks& all) {
  all.add(
      {.about = part_text<DecimaConfig>({.summary = "graph network of the paper, 12 736 parameters",
                                         .reference = "Mao et al., SIGCOMM 2019",
                                         .place = 30}),
       .environments = kClusters,
       .fits = is_cluster,
       .make = [](const Value& text, const Spec& spec, Role role,
                  const Rng& rng) -> std::shared_ptr<Network> {
         return std::make_shared<Decima>(spec, parse_config<DecimaConfig>(text), kPaper, role, rng);
       }});
  all.add({.about = part_text<DecimaPublicConfig>(
               {.summary = "graph network of the public code, 4 770 parameters",
                .reference = "github.com/hongzimao/decima-sim",
                .place = 40}),
           .environments = kClusters,
           .fits = is_cluster,
           .make = [](const Value& text, const Spec& spec, Role role,
                      const Rng& rng) -> std::shared_ptr<Network> {
             return std::make_shared<Decima>(spec, parse_config<DecimaPublicConfig>(text), kCode,
                                             role, rng);
           }});
}

}  // namespace park::agents
