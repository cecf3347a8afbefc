// Scores stages, numbers of executors and classes by perceptrons on hand-made features. encode
// reads DagFeatures of the batch and, where a field asks for them, embeddings (StageEmbedding) and
// what is learned of jobs that come again (JobMemory); a field replaces declared durations by
// measured ones first (MeasuredJobs). narrow joins limits that give a stage the
// same number of executors; scores then runs one perceptron per head, whose first layer takes what
// the candidates of a job have in common once (SharedMlp).
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agents/net/cluster/cluster_spec.h"
#include "agents/net/cluster/dag_features.h"
#include "agents/net/cluster/job_memory.h"
#include "agents/net/cluster/stage_embedding.h"
#include "agents/net/hidden_units.h"
#include "agents/net/index_tensor.h"
#include "agents/net/mlp.h"
#include "agents/net/networks.h"
#include "agents/net/shared_mlp.h"
#include "park/envs/dag_scheduling/known_jobs.h"
#include "park/envs/dag_scheduling/layout.h"

namespace park::agents {
namespace {

struct ClusterFeaturesConfig {
  static constexpr const char* kName = "cluster_features";
  std::uint32_t hidden1 = 32, hidden2 = 16;
  std::uint32_t embedding = 0, memory = 0;
  bool durations = true, limits = true;
  std::string unit = "second";
  bool keys = false, measured = false, arrivals = false, classes = false, deadlines = false;
  std::string without = "none";
  bool operator==(const ClusterFeaturesConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit_hidden_units(self, visit);
    visit(
        "embedding", self.embedding,
        FieldDoc{.doc = "size of embeddings of stages and jobs by a graph layer (StageEmbedding), "
                        "beside the features; 0: none",
                 .min = 0,
                 .max = 256});
    visit(
        "memory", self.memory,
        FieldDoc{.doc = "size of a learned vector of each job that comes again and of each of its "
                        "stages (JobMemory); 0: none",
                 .min = 0,
                 .max = 256});
    visit("durations", self.durations, FieldDoc{.doc = "how long tasks take is an input"});
    visit("limits", self.limits,
          FieldDoc{.doc = "chooses limits; false: a stage gets all that it can"});
    visit("unit", self.unit,
          FieldDoc{.doc = "of times and work: second, or a mean task of the row, with which one "
                          "policy serves jobs and clusters of any speed; then the delays are "
                          "features too",
                   .choices = "second|task"});
    visit(
        "keys", self.keys,
        FieldDoc{.doc = "memory tells jobs that it was not trained on from those that it was, and "
                        "has nothing to say of the others; false: they share vectors by chance"});
    visit("measured", self.measured,
          FieldDoc{.doc = "a job that the workload knows has the durations that were measured "
                          "in place of those that its user declares (MeasuredJobs)"});
    visit("arrivals", self.arrivals,
          FieldDoc{.doc = "the mean time between arrivals so far is an input, and the load that "
                          "it means: the hint of Mao et al. (SIGCOMM 2019, Table 2)"});
    visit("classes", self.classes,
          FieldDoc{.doc = "what a task needs is an input of its stage, and how many executors can "
                          "run it"});
    visit("deadlines", self.deadlines,
          FieldDoc{.doc = "the time until the deadline of a job is an input"});
    visit("without", self.without,
          FieldDoc{.doc = "a group of features that is left out, for ablations (DagFeatures)",
                   .choices = kFeatureGroups});
  }
};

constexpr std::int64_t kAmount = DagFeatures::kAmount, kClass = DagFeatures::kClass;

struct DagEncoding final : Encoding {
  explicit DagEncoding(const DagFeatures& f) : features(f) {}
  DagFeatures features;
  std::optional<Batch> measured;     // rows with measured durations, where they differ
  StageEmbedding::Result embedding;  // where there is one
  JobMemory::Keys memory;            // where there is one
  at::Tensor jobs;                   // what is known of each job, once it was asked for
};

/// Stages by their places in the batch, and the row and the job of each.
struct Stages {
  std::vector<std::int64_t> stage, row, job;
  void add(const DagFeatures& f, std::size_t r, std::size_t s) {
    stage.push_back(static_cast<std::int64_t>(s));
    row.push_back(static_cast<std::int64_t>(r));
    job.push_back(static_cast<std::int64_t>(f.job_of(r, s)));
  }
};

/// A network for dag_scheduling and its twin that scores stages, numbers of executors and classes
/// by perceptrons on DagFeatures, on embeddings of what is a stage's own and its job's, and on what
/// is learned of jobs that come again. Limits that give the stage the same number of executors are
/// one candidate. Its value is a sum over the jobs in the system.
class ClusterFeatures final : public Network {
 public:
  ClusterFeatures(const Spec& spec, const ClusterFeaturesConfig& config, Role role, const Rng& rng)
      : features_(spec, {.durations = config.durations,
                         .unit = config.unit == "task" ? TimeUnit::row_task : TimeUnit::second,
                         .arrivals = config.arrivals,
                         .classes = config.classes,
                         .deadlines = config.deadlines,
                         .without = config.without}),
        config_(config),
        stage_(bind_layout<dag_scheduling::DagLayout>(spec).stage) {
    if (config.measured) measured_.emplace(spec);
    if (config.memory > 0)
      memory_ = register_module("memory", std::make_shared<JobMemory>(
                                              spec, config.memory, config.durations, config.keys));
    if (config.embedding > 0)
      embedding_ = register_module(
          "embedding", std::make_shared<StageEmbedding>(spec, config.embedding, config.durations,
                                                        rng.split("embedding")));
    const std::int64_t learned = config.embedding + config.memory;
    const std::int64_t job = each() + learned, stage = of_stage() + learned;
    if (role == Role::value) {
      const MlpOptions options{.widths = {job, config_.hidden1, config_.hidden2, 1}};
      value_job_ = register_module("job", std::make_shared<Mlp>(options, rng.split("job")));
      return;
    }
    score_stage_ = scorer("stage", job, stage, rng);
    if (config.limits) score_limit_ = scorer("limit", job + stage, kAmount, rng);
    score_class_ = scorer("class", job + stage, kClass, rng);
  }

  std::unique_ptr<Encoding> encode(const Batch& observation) override {
    auto encoding = std::make_unique<DagEncoding>(features_);
    if (measured_) encoding->measured = measured_->describe(observation);
    const Batch& seen = encoding->measured ? *encoding->measured : observation;
    encoding->features.read(seen);
    if (embedding_) encoding->embedding = embedding_->of(seen);
    if (memory_) encoding->memory = memory_->find(seen);
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
    auto& e = static_cast<DagEncoding&>(encoding);
    if (head == kStage) {
      Stages all;
      for (std::size_t r = 0; r < c.rows(); ++r)
        for (std::int64_t i = 0; i < c.count(r); ++i)
          all.add(e.features, r,
                  static_cast<std::size_t>(c.element[static_cast<std::size_t>(c.offsets[r] + i)]));
      return score_stage_->forward(jobs(e), stages(e, all), index_tensor(all.job)).squeeze(1).cpu();
    }
    Stages taken;
    std::vector<std::int64_t> row;
    for (std::size_t r = 0; r < c.rows(); ++r) {
      taken.add(e.features, r, chosen(e.features, r, actions));
      row.insert(row.end(), static_cast<std::size_t>(c.count(r)), static_cast<std::int64_t>(r));
    }
    const at::Tensor of_jobs = jobs(e);
    const at::Tensor shared = at::cat(
        {of_jobs.index_select(0, index_tensor(taken.job).to(of_jobs.device())), stages(e, taken)},
        1);
    const SharedMlp& score = head == kLimit ? *score_limit_ : *score_class_;
    return score.forward(shared, own(e.features, head, c, taken), index_tensor(row))
        .squeeze(1)
        .cpu();
  }

  /// Jobs that are seen in training are those that the memory learns of.
  void observe(const Batch& observation) override {
    if (memory_) memory_->claim(memory_->find(observation));
  }

  [[nodiscard]] bool has_values() const noexcept override { return value_job_ != nullptr; }

  at::Tensor values(Encoding& encoding) override {
    auto& e = static_cast<DagEncoding&>(encoding);
    std::vector<std::int64_t> row;
    for (std::size_t r = 0; r < e.features.rows(); ++r)
      row.insert(row.end(), e.features.jobs(r), static_cast<std::int64_t>(r));
    return at::zeros({static_cast<std::int64_t>(e.features.rows())})
        .index_add(0, index_tensor(row), value_job_->forward(jobs(e)).squeeze(1).cpu());
  }

 private:
  static constexpr std::size_t kStage = 0, kLimit = 1;

  std::shared_ptr<SharedMlp> scorer(const char* name, std::int64_t shared, std::int64_t own,
                                    const Rng& rng) {
    const SharedMlpOptions options{shared, own, {config_.hidden1, config_.hidden2, 1}};
    return register_module(name, std::make_shared<SharedMlp>(options, rng.split(name)));
  }

  [[nodiscard]] std::size_t chosen(const DagFeatures& f, std::size_t row,
                                   const Batch& actions) const {
    return f.place(row, actions.row(row).scalar(stage_));
  }

  /// Features of a job.
  [[nodiscard]] std::int64_t each() const { return static_cast<std::int64_t>(features_.each()); }
  /// Features of a stage.
  [[nodiscard]] std::int64_t of_stage() const {
    return static_cast<std::int64_t>(features_.of_stage());
  }

  /// What is known of all jobs of the batch: [jobs, each() + learned].
  at::Tensor jobs(DagEncoding& e) const {
    if (e.jobs.defined()) return e.jobs;
    const DagFeatures& f = e.features;
    const at::Tensor x = at::empty({static_cast<std::int64_t>(f.jobs()), each()});
    std::vector<std::int64_t> all;
    std::size_t j = 0;
    for (std::size_t r = 0; r < f.rows(); ++r)
      for (std::size_t end = j + f.jobs(r); j < end; ++j) {
        f.job(r, j, x.data_ptr<float>() + j * f.each());
        all.push_back(static_cast<std::int64_t>(j));
      }
    std::vector<at::Tensor> columns = {x};
    if (embedding_) columns.push_back(StageEmbedding::of_jobs(e.embedding, all));
    if (memory_) columns.push_back(memory_->of_jobs(e.memory, all));
    return e.jobs = joined(columns);
  }

  /// What is known of stages beside their jobs: [n, of_stage() + learned].
  [[nodiscard]] at::Tensor stages(const DagEncoding& e, const Stages& some) const {
    const at::Tensor x = at::empty({static_cast<std::int64_t>(some.stage.size()), of_stage()});
    float* to = x.data_ptr<float>();
    for (std::size_t i = 0; i < some.stage.size(); ++i, to += of_stage())
      e.features.stage(static_cast<std::size_t>(some.row[i]),
                       static_cast<std::size_t>(some.stage[i]), to);
    std::vector<at::Tensor> columns = {x};
    if (embedding_) columns.push_back(StageEmbedding::of_stages(e.embedding, some.stage));
    if (memory_) columns.push_back(memory_->of_stages(e.memory, some.stage));
    return joined(columns);
  }

  /// Columns side by side, where the last ones lie.
  static at::Tensor joined(std::vector<at::Tensor>& columns) {
    if (columns.size() == 1) return columns.front();
    columns.front() = columns.front().to(columns.back().device());
    return at::cat(columns, 1);
  }

  /// The features of each limit or class for the stages that were chosen.
  static at::Tensor own(const DagFeatures& f, std::size_t head, const Candidates& c,
                        const Stages& taken) {
    const std::int64_t width = head == kLimit ? kAmount : kClass;
    const at::Tensor x = at::empty({static_cast<std::int64_t>(c.size()), width});
    float* to = x.data_ptr<float>();
    for (std::size_t r = 0; r < c.rows(); ++r) {
      const auto stage = static_cast<std::size_t>(taken.stage[r]);
      for (std::int64_t i = 0; i < c.count(r); ++i, to += width)
        if (head == kLimit)
          f.amount(r, stage, static_cast<std::int32_t>(i) + 1,
                   static_cast<std::int32_t>(c.count(r)), to);
        else
          f.executor_class(
              r, stage,
              static_cast<std::size_t>(c.value[static_cast<std::size_t>(c.offsets[r] + i)]), to);
    }
    return x;
  }

  DagFeatures features_;
  ClusterFeaturesConfig config_;
  Field<std::int32_t> stage_;
  std::optional<dag_scheduling::MeasuredJobs> measured_;
  std::shared_ptr<StageEmbedding> embedding_;
  std::shared_ptr<JobMemory> memory_;
  std::shared_ptr<SharedMlp> score_stage_, score_limit_, score_class_;
  std::shared_ptr<Mlp> value_job_;
};

}  // namespace

void register_cluster_features_network(Networks& all) {
  all.add({.about = part_text<ClusterFeaturesConfig>(
               {.summary = "perceptrons on hand-made features of a cluster",
                .place = 50,
                .former_names = {"park"},
                .any_lengths = true}),
           .environments = kClusters,
           .fits = is_cluster,
           .preference = 3,
           .make = [](const Value& text, const Spec& spec, Role role,
                      const Rng& rng) -> std::shared_ptr<Network> {
             return std::make_shared<ClusterFeatures>(
                 spec, parse_config<ClusterFeaturesConfig>(text), role, rng);
           }});
}

}  // namespace park::agents
