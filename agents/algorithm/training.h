// Training is the part of an algorithm that does not depend on its loss. It has configuration,
// network, baseline, trajectories, optimiser and the running average of the weights. Algorithms own
// one. In every iteration that follows rewards they call collect, estimate, evaluate, step and
// average, in this order. The first iterations may imitate a teacher instead. Their State lists the
// tensors that a checkpoint keeps.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/baseline/baseline.h"
#include "agents/kit/decide.h"
#include "agents/kit/exploration.h"
#include "agents/kit/optimiser.h"
#include "agents/kit/returns.h"
#include "agents/kit/training_episodes.h"
#include "park/core/config.h"
#include "park/core/registry.h"
#include "park/runs/iteration_report.h"
#include "park/runs/mixture.h"
#include "park/runs/training_texts.h"

namespace park::agents {

/// The fields that every algorithm has.
struct TrainingConfig {
  std::uint32_t sequences = 8, rollouts = 8;
  bool share_dynamics = true;
  double first_horizon_s = kInf, last_horizon_s = kInf, horizon_until = 0.5;
  double discount_rate = 0, final_discount_rate = kInf;
  bool average_reward = false;
  double learning_rate = 2e-3, final_learning_rate = 2e-4, imitation_rate = 2e-3;
  double entropy = 0.02, entropy_until = 0.8;
  std::uint32_t imitation_epochs = 1;
  double clip_norm = 0.5;
  double average = 0;
  std::uint32_t minibatch = 4096;
  std::uint32_t slots = 64;
  bool operator==(const TrainingConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("sequences", self.sequences,
          FieldDoc{.doc = "input sequences of an iteration", .min = 1, .max = 1e6});
    visit("rollouts", self.rollouts,
          FieldDoc{.doc = "episodes that play the same inputs", .min = 1, .max = 1e6});
    visit("share_dynamics", self.share_dynamics,
          FieldDoc{.doc = "they share all chance but that of their actions"});
    visit("first_horizon_s", self.first_horizon_s,
          FieldDoc{.doc = "mean of the memoryless horizon at the start, from where it grows "
                          "geometrically; inf: no curriculum",
                   .unit = "s",
                   .min = 1e-9});
    visit("last_horizon_s", self.last_horizon_s,
          FieldDoc{.doc = "mean that it grows to; inf: the environment's horizon_s",
                   .unit = "s",
                   .min = 1e-9});
    visit("horizon_until", self.horizon_until,
          FieldDoc{.doc = "part of the training from where on the environment's horizon_s counts",
                   .min = 0,
                   .max = 1,
                   .open_min = true});
    visit("discount_rate", self.discount_rate,
          FieldDoc{
              .doc = "continuous discounting, at the start", .unit = "1/s", .min = 0, .max = 1e6});
    visit("final_discount_rate", self.final_discount_rate,
          FieldDoc{.doc = "at the end; linear in between; inf: discount_rate all the time",
                   .unit = "1/s",
                   .min = 0});
    visit("average_reward", self.average_reward,
          FieldDoc{.doc = "rewards count less their mean per second, which is over all iterations "
                          "so far; each weighs 0.99 of the next"});
    visit("learning_rate", self.learning_rate,
          FieldDoc{.doc = "of Adam, at the start", .min = 0, .max = 10});
    visit("final_learning_rate", self.final_learning_rate,
          FieldDoc{.doc = "at the end; linear in between", .min = 0, .max = 10});
    visit("imitation_rate", self.imitation_rate,
          FieldDoc{.doc = "of Adam in the iterations that imitate a teacher", .min = 0, .max = 10});
    visit("imitation_epochs", self.imitation_epochs,
          FieldDoc{.doc = "times that each decision of such an iteration is learned from",
                   .min = 1,
                   .max = 1000});
    visit("entropy", self.entropy,
          FieldDoc{.doc = "weight of the entropy at the start", .min = 0, .max = 100});
    visit("entropy_until", self.entropy_until,
          FieldDoc{.doc = "part of the training at which it has fallen to 0",
                   .min = 0,
                   .max = 1e6,
                   .open_min = true});
    visit("clip_norm", self.clip_norm,
          FieldDoc{.doc = "largest norm of the gradient", .min = 0, .max = 1e9, .open_min = true});
    visit("average", self.average,
          FieldDoc{.doc = "part of the old that an iteration leaves in the average of the weights, "
                          "which is the policy; 0: the policy is the newest weights",
                   .min = 0,
                   .max = 1,
                   .open_max = true});
    visit("minibatch", self.minibatch,
          FieldDoc{.doc = "decisions that are evaluated at once", .min = 1, .max = 1e7});
    visit("slots", self.slots, FieldDoc{.doc = "environments in lockstep", .min = 1, .max = 1e5});
  }
};

/// The objects of a training.
struct Task {
  const Registry* registry = nullptr;  ///< outlives the training
  std::string env;
  double adversarial = 0;  ///< share of the episodes that have misreporting users
  runs::Guidance guidance{};
  runs::Mixture mixture{};  ///< `env` is its first environment
  std::shared_ptr<Network> network{};
  std::unique_ptr<Baseline> baseline{};
  Rng run{};
};

/// A decision to learn from.
struct Sample {
  std::uint32_t row = 0;  ///< number in the rollout
  float advantage = 0;
  float log_prob = 0;  ///< log-probability of the action under the policy that took it
};

/// Sums over decisions that a teacher has answered.
struct Lesson {
  double loss = 0;     ///< minus the log-probabilities of the answers
  double entropy = 0;  ///< of the policy
};

/// How advantages are estimated. A baseline that is no critic always gives whole returns.
struct Estimator {
  double lambda = 1;       ///< as in advantages_of
  bool bootstrap = false;  ///< a trajectory that was cut off ends with the critic's value, else 0
};

/// Throws Error{invalid_config} with the fields that do not fit: to the rollouts that the baseline
/// needs, or to the own mean horizon of each environment.
void check_fit(const TrainingConfig&, std::uint32_t fewest_rollouts, const Registry&,
               const std::vector<std::string>& envs);

/// The common part of algorithms: they play episodes, estimate advantages, and take steps along
/// gradients of minibatches.
///
/// Nothing of imitation lasts but the weights, Adam's state and the baseline. Who plays, what is
/// drawn and which demonstrations are replayed follow from the run's stream and the iteration. A
/// resumed run plays the demonstrations again.
class Training {
 public:
  /// Throws Error{invalid_config} if the environment, the baseline, the teacher and the fields do
  /// not fit.
  Training(Task, const TrainingConfig&);

  [[nodiscard]] bool imitates(std::int64_t iteration) const noexcept {
    return task_.guidance.imitates(static_cast<std::uint64_t>(iteration));
  }
  /// An iteration of imitation: plays and asks the teacher about every decision. Then takes a step
  /// for each minibatch of the answers, which are used once and in random order. The baseline
  /// learns from the rewards.
  [[nodiscard]] runs::IterationReport imitate(std::int64_t iteration, double part, Estimator);
  /// Adds up the gradient of the loss of imitation, times `weight`, over rows of demonstrations.
  Lesson add_imitation(const Trajectories&, std::span<const std::uint32_t> rows, double weight);
  Lesson learn(std::span<const std::uint32_t> rows, runs::IterationReport&);

  /// Plays the episodes of an iteration.
  void collect(std::int64_t iteration, double part, runs::IterationReport&);
  /// Advantages of all decisions that count, in the order of trajectories. They are scaled to a
  /// root mean square of 1, and not centred: the baseline has done that. The baseline learns
  /// afterwards.
  [[nodiscard]] std::vector<Sample> estimate(Estimator, runs::IterationReport&);
  /// The network on the decisions of samples, which stay until the next call.
  [[nodiscard]] Evaluation evaluate(std::span<const Sample>);
  /// One step along the gradient that backward has summed up, as the mean over `decisions`. With
  /// replay it is mixed with that of demonstrations.
  void step(std::size_t decisions, runs::IterationReport&);

  [[nodiscard]] const TrainingConfig& config() const noexcept { return config_; }
  /// The episodes that collect has played.
  [[nodiscard]] const Trajectories& trajectories() const noexcept { return trajectories_; }
  [[nodiscard]] const Rng& rng() const noexcept { return task_.run; }
  /// Ends an iteration: the average of the weights takes in the new ones.
  void average();
  [[nodiscard]] State policy();
  [[nodiscard]] State training();
  [[nodiscard]] State batch();

 private:
  /// The episodes of an iteration that one environment plays.
  struct Share {
    std::size_t part = 0;  // of a mixture
    std::string env{};
    std::vector<Episode> episodes{};
  };
  void begin(std::int64_t iteration, double part, runs::IterationReport&);
  void sum_up(runs::IterationReport&);
  [[nodiscard]] TrainingEpisodes training_episodes(const std::string& env, double part,
                                                   bool spread) const;
  [[nodiscard]] std::vector<Share> shares(const Rng&, std::int64_t iteration, double part,
                                          bool spread) const;
  [[nodiscard]] Rng actions_of(const Share&, const Rng& run) const;
  void check_mixture() const;
  void scale_returns(const Share&, Trajectories&, std::size_t first) const;
  [[nodiscard]] std::unique_ptr<Stream> open(const std::string& env, const EpisodeSource&,
                                             std::size_t slots) const;
  [[nodiscard]] Evaluation evaluate(const Trajectories&, std::span<const std::uint32_t> rows);
  [[nodiscard]] std::unique_ptr<Policy> teacher_of(std::size_t part) const;
  void demonstrate(const std::vector<Share>&, Policy* driver, const Rng& run, Trajectories&);
  void replay(std::size_t decisions, runs::IterationReport&);
  void compare(std::span<const std::uint32_t> rows, runs::IterationReport&);
  [[nodiscard]] ReturnOptions return_options(double discount_rate);
  [[nodiscard]] std::vector<double> ends(const Estimator&);

  Task task_;
  TrainingConfig config_;
  std::vector<runs::MixturePart> parts_;  // of a mixture
  Spec spec_;
  Heads heads_;
  NetworkPolicy policy_;
  std::vector<std::unique_ptr<Policy>> teachers_;  // one for each environment, where there are any
  std::unique_ptr<Exploration> exploration_;       // where there is one
  Trajectories trajectories_;
  Trajectories demonstrations_;        // of the teacher's own play, where they are replayed
  std::vector<std::uint32_t> replay_;  // their decisions, as rows
  Batch observation_, action_;
  std::vector<std::unique_ptr<Env>> warm_;  // keep what environments share, such as a workload
  Optimiser optimiser_;
  std::int64_t iteration_ = 0;
  std::uint32_t iteration_steps_ = 0;
  at::Tensor rate_;      // [2] f64: decayed sums of rewards and seconds
  State average_;        // of the weights, where config_.average > 0
  at::Tensor averaged_;  // [1] i64: iterations in the average
};

/// The environment of each of `sequences` sequences of an iteration, as places in the mixture.
/// Every environment has its share by weight up to one sequence, and exactly so in the mean.
[[nodiscard]] std::vector<std::size_t> mixture_draws(const std::vector<runs::MixturePart>&,
                                                     std::uint32_t sequences, Rng);

/// The rows of all decisions, in the order of trajectories.
[[nodiscard]] std::vector<std::uint32_t> rows_of(const Trajectories&);

/// Copies of the columns of a batch of decisions, as Algorithm::failed_batch has them.
[[nodiscard]] State columns_of(const Batch& observation, const Batch& action);

/// A normalised advantage for each sample [n].
[[nodiscard]] at::Tensor advantages_tensor(std::span<const Sample>);

}  // namespace park::agents
