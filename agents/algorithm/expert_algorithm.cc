// Expert iteration. An iteration plays episodes by the network's best-scored actions. Beside each
// decision it looks ahead honestly (park/search/judge.h), with the same network in the roll-outs.
// What look-ahead found better becomes a lesson. The network learns the lessons by cross-entropy, and
// then plays validation inputs as it was and as it is. Without a clear gain it becomes what it was.
// Lessons are rows of a Rollout; lasting state is the weights and Adam's.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agents/algorithm/algorithms.h"
#include "agents/kit/copy_state.h"
#include "agents/kit/decide.h"
#include "agents/kit/gradients.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/observing.h"
#include "agents/kit/optimiser.h"
#include "agents/kit/rollout.h"
#include "agents/kit/tensor.h"
#include "agents/kit/training_episodes.h"
#include "park/core/futures.h"
#include "park/core/pool.h"
#include "park/search/judge.h"

namespace park::agents {
namespace {

/// Expert iteration (Anthony, Tian, Barber, NeurIPS 2017) whose expert is one-step look-ahead.
struct ExpertConfig : TrainingConfig {
  static constexpr const char* kName = "expert";
  std::uint32_t candidates = 16, futures = 32, every = 1, epochs = 4, validation = 32;
  double horizon_s = kInf, least_t = 1.5, keep_t = 2, hold = 0.25;
  ExpertConfig() { minibatch = 256; }
  bool operator==(const ExpertConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit(
        "sequences", self.sequences,
        FieldDoc{
            .doc = "episodes of an iteration, each with inputs of its own", .min = 1, .max = 1e6});
    visit("candidates", self.candidates,
          FieldDoc{.doc = "actions that look-ahead compares", .min = 2, .max = 1024});
    visit("futures", self.futures,
          FieldDoc{.doc = "drawn futures that they are played in", .min = 1, .max = 4096});
    visit("every", self.every,
          FieldDoc{.doc = "looks at every so many decisions", .min = 1, .max = 1e6});
    visit("horizon_s", self.horizon_s,
          FieldDoc{.doc = "length of a roll-out; inf: to the end of the episode",
                   .unit = "s",
                   .min = 0,
                   .open_min = true});
    visit("least_t", self.least_t,
          FieldDoc{.doc = "an action is a lesson where its mean gain is so many standard errors "
                          "above 0",
                   .min = 0,
                   .max = 100});
    visit("hold", self.hold,
          FieldDoc{.doc = "weight of a decision that look-ahead leaves as it is, where the mean "
                          "weight of the others is 1",
                   .min = 0,
                   .max = 100});
    visit("epochs", self.epochs,
          FieldDoc{.doc = "how often an iteration goes over its lessons", .min = 1, .max = 1000});
    visit("minibatch", self.minibatch, FieldDoc{.doc = "lessons of a step", .min = 1, .max = 1e7});
    visit("learning_rate", self.learning_rate,
          FieldDoc{.doc = "of Adam, at the start", .min = 0, .max = 10});
    visit("final_learning_rate", self.final_learning_rate,
          FieldDoc{.doc = "at the end; linear in between", .min = 0, .max = 10});
    visit("clip_norm", self.clip_norm,
          FieldDoc{.doc = "largest norm of the gradient", .min = 0, .max = 1e9, .open_min = true});
    visit(
        "validation", self.validation,
        FieldDoc{.doc = "episodes that decide whether an iteration is kept", .min = 2, .max = 1e6});
    visit("keep_t", self.keep_t,
          FieldDoc{.doc = "an iteration is kept where their mean gain is more than so many "
                          "standard errors above 0",
                   .min = 0,
                   .max = 100});
  }

  [[nodiscard]] search::JudgePlan plan() const {
    return {
        .candidates = candidates, .futures = futures, .horizon_s = horizon_s, .least_t = least_t};
  }
};

/// What look-ahead found out about a decision.
struct Found {
  std::uint32_t row = 0;
  float weight = 0;
};

State copies(const State& of) {
  State all;
  for (const auto& [name, tensor] : of) all.emplace_back(name, tensor.detach().clone());
  return all;
}

/// The mean of differences over its standard error; 0 where they are all 0.
double t_of(const std::vector<double>& after, const std::vector<double>& before) {
  const auto n = static_cast<double>(after.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < after.size(); ++i) sum += after[i] - before[i];
  for (std::size_t i = 0; i < after.size(); ++i)
    squares += std::pow(after[i] - before[i] - sum / n, 2);
  if (sum == 0) return 0;
  return sum / n / std::sqrt(squares / (n - 1) / n);
}

class Expert final : public Algorithm {
 public:
  Expert(Task task, const ExpertConfig& config);

  runs::IterationReport iterate(std::int64_t iteration, double part) override;
  State policy() override { return state_of(*task_.network); }
  State failed_batch() override { return columns_of(observation_, action_); }
  State training() override {
    State all;
    append(all, "optimiser", optimiser_.state());
    return all;
  }

 private:
  void check() const;
  void play(std::int64_t iteration, runs::IterationReport&);
  double play_episode(const Episode&, const Rng&, runs::IterationReport&);
  void note(const Ask&, ConstRow observation, const search::Judgement&);
  [[nodiscard]] bool make_learnable(ConstRow observation, Row action);
  void learn(std::int64_t iteration, runs::IterationReport&);
  void learn(std::span<const Found>, runs::IterationReport&);
  [[nodiscard]] std::vector<double> validate();

  Task task_;
  ExpertConfig config_;
  Spec spec_;
  Heads heads_;
  EnvMaker make_;
  NetworkPolicy policy_, player_;
  search::Judge judge_;
  Optimiser optimiser_;
  std::unique_ptr<Env> env_;
  Rollout observations_;
  Batch answers_, seen_, observation_, action_;  // answers_: of observations_
  std::vector<Found> found_;
  Candidates candidates_;
  std::vector<float> scores_;
  std::uint32_t iteration_steps_ = 0;
};

Expert::Expert(Task task, const ExpertConfig& config)
    : task_(std::move(task)),
      config_(config),
      spec_(task_.registry->spec(task_.env)),
      heads_(spec_),
      make_(task_.registry->env_factory(task_.env)),
      policy_(spec_, task_.network, false),
      player_(spec_, task_.network, false),
      judge_(spec_, player_, config.plan()),
      optimiser_(task_.network),
      env_(make_()),
      observations_(spec_.observation),
      answers_(spec_.action),
      seen_(spec_.observation),
      observation_(spec_.observation),
      action_(spec_.action) {
  check();
}

void Expert::check() const {
  Violations wrong;
  if (!spec_.traits.cloneable || dynamic_cast<const Futures*>(env_.get()) == nullptr)
    wrong.add("algorithm expert: '" + task_.env + "' gives no copies with another future");
  if (task_.adversarial > 0) wrong.add("algorithm expert: plays no misreporting users");
  if (!task_.mixture.empty()) wrong.add("algorithm expert: plays one environment, not a mixture");
  if (!task_.guidance.imitate.empty() || !task_.guidance.explore.empty())
    wrong.add("algorithm expert: its teacher is look-ahead; it takes no other guidance");
  wrong.throw_if_any(Errc::invalid_config);
}

runs::IterationReport Expert::iterate(std::int64_t iteration, double part) {
  runs::IterationReport report;
  report.iteration = iteration;
  report.learning_rate =
      config_.learning_rate + part * (config_.final_learning_rate - config_.learning_rate);
  play(iteration, report);
  const std::vector<double> before = validate();
  const State weights = copies(state_of(*task_.network));
  learn(iteration, report);
  const double t = t_of(validate(), before);
  const bool kept = t > config_.keep_t;
  report.own.emplace_back("expert.t", t);
  report.own.emplace_back("expert.kept", kept ? 1 : 0);
  if (kept) return report;
  copy(weights, state_of(*task_.network));
  optimiser_.reset();
  return report;
}

/// The episodes of an iteration, and what look-ahead says of their decisions.
void Expert::play(std::int64_t iteration, runs::IterationReport& report) {
  observations_.clear();
  answers_.clear();
  found_.clear();
  const FixedEpisodes source =
      TrainingEpisodes{.sequences = config_.sequences,
                       .rollouts = 1,
                       .mean_horizon_s = task_.registry->mean_horizon_s(task_.env)}
          .of(task_.run, static_cast<std::uint64_t>(iteration));
  const Rng chance = task_.run.split("actions").split(static_cast<std::uint64_t>(iteration));
  for (std::uint64_t k = 0; k < config_.sequences; ++k)
    report.mean_reward += play_episode(*source.at(k), chance.split(k), report) / config_.sequences;
  report.episodes = config_.sequences;
  // Gains are in units of rewards; weights have a mean of 1.
  double sum = 0, better = 0;
  for (const Found& f : found_) sum += f.weight, better += f.weight > 0 ? 1 : 0;
  const auto lessons = static_cast<double>(found_.size());
  report.own.emplace_back("expert.better", lessons > 0 ? better / lessons : 0);
  const auto scale = static_cast<float>(better > 0 ? better / sum : 0);
  for (Found& f : found_)
    f.weight = f.weight > 0 ? f.weight * scale : static_cast<float>(config_.hold);
  if (better == 0) found_.clear();  // nothing to learn
}

double Expert::play_episode(const Episode& episode, const Rng& chance,
                            runs::IterationReport& report) {
  Decisions d(spec_);
  d.asked.push_back({.episode = episode, .since_last = {}});
  env_->reset(episode, d.observation.append());
  policy_.start(0, episode, chance);
  double sum = 0;
  for (Ask& ask = d.asked[0];; ++ask.sequence, ++report.decisions) {
    action_.clear();
    action_.resize(1);
    policy_.act(d, action_);
    const ConstRow observation = std::as_const(d.observation).row(0);
    if (ask.sequence % config_.every == 0)
      note(ask, observation,
           judge_.judge(*env_, ask, observation, std::as_const(action_).row(0), chance));
    seen_.clear();
    ask.since_last = env_->step(std::as_const(action_).row(0), seen_.append());
    sum += ask.since_last.reward;
    report.mean_length_s += ask.since_last.elapsed_s / config_.sequences;
    if (ask.since_last.end != End::none) break;
    d.observation.clear();
    d.observation.append(seen_, 0);
  }
  ++report.decisions;
  return sum;
}

/// Keeps a decision as a lesson. A weight of 0 says that look-ahead left it as it was.
void Expert::note(const Ask& ask, ConstRow observation, const search::Judgement& j) {
  answers_.append(judge_.candidates(), j.best);
  const Row answer = answers_.row(answers_.rows() - 1);
  if (!make_learnable(observation, answer)) {
    answers_.pop();
    return;
  }
  observation_.clear();
  observation_.append(observation.batch(), observation.index());
  observations_.append(observation_, {&ask, 1});
  found_.push_back({.row = static_cast<std::uint32_t>(observations_.rows() - 1),
                    .weight = static_cast<float>(j.gain)});
}

/// Replaces values that the network does not tell apart from others by the one that it scores: the
/// next larger one, or the largest. False where an earlier value has none.
bool Expert::make_learnable(ConstRow observation, Row action) {
  observation_.clear();
  observation_.append(observation.batch(), observation.index());
  Batch one(spec_.action);
  one.append(action.batch(), action.index());
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    if (heads_[h].kind == HeadKind::continuous) continue;
    if (!policy_.scores(observation_, h, one, candidates_, scores_)) return false;
    const std::int32_t value = heads_.get(std::as_const(one).row(0), h);
    std::int32_t taken = -1;
    bool found = false;
    for (std::size_t i = 0; i < candidates_.size() && (!found || taken < value); ++i) {
      if (std::isinf(scores_[i])) continue;
      taken = candidates_.value[i];
      found = true;
    }
    if (!found || (taken != value && heads_[h].kind != HeadKind::interval)) return false;
    heads_.set(one.row(0), h, taken);
  }
  action.assign(std::as_const(one).row(0));
  return true;
}

void Expert::learn(std::int64_t iteration, runs::IterationReport& report) {
  // New statistics change the policy too. They apply before the lessons, which then fit them, and
  // the gain of both is tested together.
  observe_some(*task_.network, observations_, observation_);
  task_.network->settle();
  Rng order = task_.run.split("order").split(static_cast<std::uint64_t>(iteration));
  report.imitation_loss = 0;
  iteration_steps_ = 0;
  for (std::uint32_t epoch = 0; epoch < config_.epochs && !found_.empty(); ++epoch) {
    order.shuffle(std::span(found_));
    report.imitation_loss = report.entropy = 0;
    for (std::size_t at = 0; at < found_.size(); at += config_.minibatch)
      learn(std::span(found_).subspan(at,
                                      std::min<std::size_t>(config_.minibatch, found_.size() - at)),
            report);
    report.imitation_loss /= static_cast<double>(found_.size());
    report.entropy /= static_cast<double>(found_.size());
  }
}

/// A step along the gradient of the weighted cross-entropy.
void Expert::learn(std::span<const Found> lessons, runs::IterationReport& report) {
  std::vector<std::uint32_t> rows;
  const at::Tensor weights = at::empty({static_cast<std::int64_t>(lessons.size())});
  observation_.clear();
  action_.clear();
  for (std::size_t i = 0; i < lessons.size(); ++i) {
    rows.push_back(lessons[i].row);
    weights.data_ptr<float>()[i] = lessons[i].weight;
    action_.append(answers_, lessons[i].row);
  }
  observations_.gather(rows, observation_);
  const Evaluation e = evaluate(*task_.network, heads_, observation_, action_);
  const at::Tensor loss = -(e.log_prob * weights).sum();
  report.imitation_loss += loss.item<double>();
  report.entropy += e.entropy.sum().item<double>();
  if (!loss.requires_grad()) return;  // no decision had a choice
  add_gradients(loss);
  const double norm =
      optimiser_.step(report.learning_rate, config_.clip_norm, static_cast<double>(lessons.size()));
  report.gradient_norm += (norm - report.gradient_norm) / ++iteration_steps_;
}

/// The sums of rewards of the validation episodes, by the network as it is.
std::vector<double> Expert::validate() {
  const RandomEpisodes source(task_.run.split("kept"), {.count = config_.validation});
  const auto stream =
      task_.registry->stream(task_.env, source, {.slots = std::min(64u, config_.validation)});
  std::vector<double> sums(config_.validation, 0);
  park::play(*stream, policy_, task_.run.split("kept actions"),
             [&](const Decisions& d, const Batch&) {
               for (const Ended& e : d.ended) sums[e.episode.id] += e.last.reward;
               for (const Ask& a : d.asked) sums[a.episode.id] += a.since_last.reward;
             });
  return sums;
}

}  // namespace

void register_expert_algorithm(Algorithms& all) {
  all.add({.about = part_text<ExpertConfig>(
               {.summary = "learns what one-step look-ahead on the network itself finds better",
                .reference = "Anthony, Tian, Barber, NeurIPS 2017",
                .place = 40}),
           .baseline = "none",
           .compares = false,
           .training = training_config<ExpertConfig>,
           .make = [](const Value& text, Task task) -> std::unique_ptr<Algorithm> {
             return std::make_unique<Expert>(std::move(task), parse_config<ExpertConfig>(text));
           }});
}

}  // namespace park::agents
