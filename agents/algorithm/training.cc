// What algorithms have in common, in the order of an iteration: collect plays the episodes,
// estimate turns their rewards into advantages, evaluate asks the network about some of the
// decisions, step moves its weights, average takes these into the policy. Rows of observations lie
// in trajectories_ until the next collect; a Sample is a place among them and its advantage. All
// that lasts longer is tensors: the optimiser's, the baseline's, rate_, average_ and averaged_.
#include "agents/algorithm/training.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "agents/kit/copy_state.h"
#include "agents/kit/observing.h"
#include "agents/kit/tensor.h"
#include "park/core/misreporting_env.h"
#include "park/core/text.h"

namespace park::agents {
namespace {

// What an iteration leaves in the sums of rewards and seconds: they forget all but some hundred.
constexpr double kKeep = 0.99;

struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double v) { n += 1, sum += v, squares += v * v; }
  [[nodiscard]] double variance() const {
    return n > 0 ? std::max(0.0, squares / n - sum / n * (sum / n)) : 0;
  }
};

double between(double first, double last, double part) { return first + part * (last - first); }

HorizonGrowth growth(const TrainingConfig& c) {
  return {.first_s = c.first_horizon_s, .last_s = c.last_horizon_s, .until = c.horizon_until};
}

/// A simulated environment; nothing where the environment is a running system or elsewhere.
std::unique_ptr<Env> one_of(const Registry& registry, const std::string& env) {
  try {
    return registry.env_factory(env)();
  } catch (const Error& error) {
    if (error.code() != Errc::unavailable) throw;
    return nullptr;
  }
}

}  // namespace

void check_fit(const TrainingConfig& c, std::uint32_t fewest_rollouts, const Registry& registry,
               const std::vector<std::string>& envs) {
  Violations wrong;
  if (c.rollouts < fewest_rollouts)
    wrong.add("rollouts: this baseline needs at least " + std::to_string(fewest_rollouts) +
              " of each sequence");
  const bool grows = std::isfinite(c.first_horizon_s), to_own = std::isinf(c.last_horizon_s);
  if (grows && !to_own && c.first_horizon_s > c.last_horizon_s)
    wrong.add("first_horizon_s: has to be at most last_horizon_s");
  for (const std::string& env : envs) {
    if (!grows || !to_own) break;
    const double last_s = registry.mean_horizon_s(env);
    if (std::isinf(last_s))
      wrong.add("last_horizon_s: has to be a number with first_horizon_s, because horizon_s of '" +
                env + "' is inf");
    else if (c.first_horizon_s > last_s)
      wrong.add("first_horizon_s: has to be at most horizon_s of '" + env + "', " +
                number_text(last_s));
  }
  wrong.throw_if_any(Errc::invalid_config);
}

Training::Training(Task task, const TrainingConfig& config)
    : task_(std::move(task)),
      config_(config),
      parts_(runs::mixture_parts(task_.mixture.parts)),
      spec_(runs::training_spec(*task_.registry, task_.env, task_.mixture)),
      heads_(spec_),
      policy_(spec_, task_.network, true),
      trajectories_(spec_),
      demonstrations_(spec_),
      observation_(spec_.observation),
      action_(spec_.action),
      optimiser_(task_.network),
      rate_(at::zeros({2}, at::kDouble)),
      averaged_(at::zeros({1}, at::kLong)) {
  if (config_.average > 0)
    for (const auto& [name, tensor] : state_of(*task_.network))
      average_.emplace_back(name, tensor.detach().clone());
  check_fit(config_, task_.baseline->fewest_rollouts(), *task_.registry,
            runs::training_envs(task_.env, task_.mixture));
  check_mixture();
  const runs::Guidance& guidance = task_.guidance;
  if (!guidance.imitate.empty()) {
    const std::size_t environments = std::max<std::size_t>(1, parts_.size());
    for (std::size_t p = 0; p < environments; ++p) teachers_.push_back(teacher_of(p));
  }
  if (!guidance.explore.empty())
    exploration_ = std::make_unique<Exploration>(guidance.explore, guidance.explore_share, spec_);
  warm_.push_back(one_of(*task_.registry, task_.env));
  for (const runs::MixturePart& part : parts_) warm_.push_back(one_of(*task_.registry, part.env));
}

/// What iterations of either kind begin with.
void Training::begin(std::int64_t iteration, double part, runs::IterationReport& report) {
  iteration_ = iteration;
  iteration_steps_ = 0;
  // Small gradients of a well imitated teacher would make the first steps along rewards too long.
  if (iteration > 0 && imitates(iteration - 1) && !imitates(iteration)) optimiser_.reset();
  if (*averaged_.data_ptr<std::int64_t>() == 0) copy(average_, state_of(*task_.network));
  task_.network->settle();
  report.iteration = iteration;
  report.learning_rate = between(config_.learning_rate, config_.final_learning_rate, part);
  report.discount_rate = std::isinf(config_.final_discount_rate)
                             ? config_.discount_rate
                             : between(config_.discount_rate, config_.final_discount_rate, part);
  report.entropy_weight = config_.entropy * std::max(0.0, 1 - part / config_.entropy_until);
}

void Training::collect(std::int64_t iteration, double part, runs::IterationReport& report) {
  begin(iteration, part, report);
  policy_.explore(exploration_.get());
  const Rng run = task_.run.split("actions").split(static_cast<std::uint64_t>(iteration));
  trajectories_.clear();
  for (const Share& share : shares(task_.run, iteration, part, false)) {
    const std::size_t before = trajectories_.all().size();
    const FixedEpisodes source(share.episodes);
    const auto stream =
        open(share.env, source, std::min<std::size_t>(config_.slots, share.episodes.size()));
    trajectories_.add(*stream, policy_, actions_of(share, run));
    scale_returns(share, trajectories_, before);
  }
  sum_up(report);
}

/// The episodes of an iteration. `spread`: the player draws nothing, so that as many of them as
/// possible have inputs of their own.
TrainingEpisodes Training::training_episodes(const std::string& env, double part,
                                             bool spread) const {
  const std::uint32_t rollouts = spread ? task_.baseline->fewest_rollouts() : config_.rollouts;
  return {.sequences = std::max(1u, config_.sequences * config_.rollouts / rollouts),
          .rollouts = rollouts,
          .share_dynamics = config_.share_dynamics,
          .mean_horizon_s = growth(config_).mean_s(task_.registry->mean_horizon_s(env), part),
          .fixed = task_.baseline->fixed_sequences()};
}

/// What was played.
void Training::sum_up(runs::IterationReport& report) {
  observe_some(*task_.network, trajectories_.observations(), observation_);
  report.decisions = trajectories_.decisions();
  report.episodes = trajectories_.all().size();
  for (const Trajectory& t : trajectories_.all()) {
    report.mean_length_s += t.end_s() / static_cast<double>(report.episodes);
    for (const Step& step : t.steps)
      report.mean_reward += step.reward / static_cast<double>(report.episodes);
  }
}

/// The environments that play, with users who misreport where that was asked for.
std::unique_ptr<Stream> Training::open(const std::string& env, const EpisodeSource& source,
                                       std::size_t slots) const {
  const StreamOptions options{.slots = static_cast<std::uint32_t>(slots)};
  if (task_.adversarial <= 0) return task_.registry->stream(env, source, options);
  return std::make_unique<Pool>(
      spec_,
      misreporting(spec_, task_.registry->env_factory(env), DrawnMisreports(task_.adversarial)),
      source, options.pool());
}

ReturnOptions Training::return_options(double discount_rate) {
  ReturnOptions options{.discount_rate = discount_rate};
  if (!config_.average_reward) return options;
  auto* const sums = rate_.data_ptr<double>();
  double reward = 0, elapsed_s = 0;
  for (const Trajectory& t : trajectories_.all())
    for (const Step& step : t.steps) reward += step.reward, elapsed_s += step.elapsed_s;
  sums[0] = kKeep * sums[0] + reward;
  sums[1] = kKeep * sums[1] + elapsed_s;
  options.reward_rate = sums[1] > 0 ? sums[0] / sums[1] : 0;
  return options;
}

/// What the ends of the trajectories are worth [trajectories].
std::vector<double> Training::ends(const Estimator& estimator) {
  const auto& all = trajectories_.all();
  if (!estimator.bootstrap || !task_.baseline->critic()) return std::vector<double>(all.size());
  std::vector<double> ends = task_.baseline->ends(trajectories_);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].end == End::terminated) ends[i] = 0;
  return ends;
}

std::vector<Sample> Training::estimate(Estimator estimator, runs::IterationReport& report) {
  const auto& all = trajectories_.all();
  const ReturnOptions options = return_options(report.discount_rate);
  PerStep returns, targets;
  const std::vector<double> ends = this->ends(estimator);
  for (std::size_t i = 0; i < all.size(); ++i)
    returns.push_back(returns_of(all[i], options, ends[i]));
  PerStep values = task_.baseline->values(trajectories_, returns);
  for (std::size_t i = 0; i < all.size(); ++i) values[i].push_back(ends[i]);
  const double lambda = task_.baseline->critic() ? estimator.lambda : 1;
  std::vector<Sample> samples;
  Moments advantage, ret, error;
  for (std::size_t i = 0; i < all.size(); ++i) {
    targets.push_back(advantages_of(all[i], values[i], lambda, options));
    for (std::size_t k = 0; k < targets[i].size(); ++k) {
      const Step& step = all[i].steps[k];
      const double a = targets[i][k];
      targets[i][k] += values[i][k];
      ret.add(returns[i][k]);
      error.add(returns[i][k] - values[i][k]);
      if (!step.credited) continue;
      advantage.add(a);
      samples.push_back({step.row, static_cast<float>(a), step.log_prob});
    }
  }
  report.advantage_sd = std::sqrt(advantage.squares / std::max(1.0, advantage.n));
  report.explained = ret.variance() > 0 ? 1 - error.variance() / ret.variance() : 0;
  const auto scale = static_cast<float>(1 / std::max(report.advantage_sd, 1e-12));
  for (Sample& s : samples) s.advantage *= scale;
  task_.baseline->fit(trajectories_, targets);
  return samples;
}

Evaluation Training::evaluate(std::span<const Sample> samples) {
  std::vector<std::uint32_t> rows;
  for (const Sample& s : samples) rows.push_back(s.row);
  return evaluate(trajectories_, rows);
}

Evaluation Training::evaluate(const Trajectories& from, std::span<const std::uint32_t> rows) {
  observation_.clear();
  action_.clear();
  from.observations().gather(rows, observation_);
  for (const std::uint32_t r : rows) action_.append(from.actions(), r);
  return agents::evaluate(*task_.network, heads_, observation_, action_);
}

void Training::step(std::size_t decisions, runs::IterationReport& report) {
  if (task_.guidance.replay > 0 && !imitates(iteration_)) replay(decisions, report);
  const double norm =
      optimiser_.step(report.learning_rate, config_.clip_norm, static_cast<double>(decisions));
  report.gradient_norm += (norm - report.gradient_norm) / ++iteration_steps_;
}

/// Parameters are averaged with the bias of their start taken out; buffers, such as statistics of
/// observations, are those of now.
void Training::average() {
  if (config_.average <= 0) return;
  auto& count = *averaged_.data_ptr<std::int64_t>();
  const double kept = config_.average * (1 - std::pow(config_.average, count)) /
                      (1 - std::pow(config_.average, count + 1));
  ++count;
  const at::NoGradGuard off;
  const State now = state_of(*task_.network);
  const std::size_t parameters = task_.network->parameters().size();
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (i < parameters)
      average_[i].second.mul_(kept).add_(now[i].second, 1 - kept);
    else
      average_[i].second.copy_(now[i].second);
  }
}

State Training::policy() { return config_.average > 0 ? average_ : state_of(*task_.network); }

State Training::training() {
  State all;
  append(all, "optimiser", optimiser_.state());
  append(all, "baseline", task_.baseline->state());
  all.emplace_back("reward_rate", rate_);
  if (config_.average > 0) {
    append(all, "weights", state_of(*task_.network));
    all.emplace_back("averaged", averaged_);
  }
  return all;
}

State Training::batch() { return columns_of(observation_, action_); }

State columns_of(const Batch& observation, const Batch& action) {
  State all;
  for (const Batch* batch : {&observation, &action})
    for (std::size_t c = 0; c < batch->columns(); ++c)
      all.emplace_back(batch->record().leaves[c].name, column_tensor(*batch, c).clone());
  return all;
}

std::vector<std::uint32_t> rows_of(const Trajectories& trajectories) {
  std::vector<std::uint32_t> rows;
  for (const Trajectory& t : trajectories.all())
    for (const Step& step : t.steps) rows.push_back(step.row);
  return rows;
}

at::Tensor advantages_tensor(std::span<const Sample> samples) {
  const at::Tensor all = at::empty({static_cast<std::int64_t>(samples.size())});
  for (std::size_t i = 0; i < samples.size(); ++i) all.data_ptr<float>()[i] = samples[i].advantage;
  return all;
}

}  // namespace park::agents
