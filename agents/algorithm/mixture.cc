// The part of Training that plays a mixture of environments. Each iteration gives its sequences to
// the environments by their weights and plays one environment after the other into the same
// trajectories. With scale_by it divides the rewards of each sequence by what that heuristic gets on
// the same inputs. Returns of all environments are then near -1 or 1: none of them drowns the others.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "agents/algorithm/training.h"
#include "park/core/policy.h"

namespace park::agents {

void Training::check_mixture() const {
  if (parts_.empty()) return;
  Violations wrong;
  if (config_.average_reward)
    wrong.add("average_reward: a mixture of environments has no mean reward per second");
  if (task_.baseline->fixed_sequences() > 0)
    wrong.add("baseline: this one repeats its inputs, which a mixture of environments draws anew");
  if (task_.adversarial > 0) wrong.add("adversarial: does not go with a mixture of environments");
  if (!task_.guidance.explore.empty())
    wrong.add("explore: does not go with a mixture of environments");
  wrong.throw_if_any(Errc::invalid_config);
}

/// The environment of each of `sequences` sequences: systematic sampling, by which an environment
/// has its share of every iteration up to one sequence, and its exact share in the mean.
std::vector<std::size_t> mixture_draws(const std::vector<runs::MixturePart>& parts,
                                       std::uint32_t sequences, Rng rng) {
  double total = 0;
  for (const runs::MixturePart& part : parts) total += part.weight;
  const double offset = rng.uniform();
  std::vector<std::size_t> drawn;
  std::size_t at = 0;
  double up_to = parts.front().weight;
  for (std::uint32_t s = 0; s < sequences; ++s) {
    const double point = (s + offset) / sequences * total;
    while (point >= up_to && at + 1 < parts.size()) up_to += parts[++at].weight;
    drawn.push_back(at);
  }
  return drawn;
}

/// Which environment plays which episodes of an iteration; those with none are left out.
std::vector<Training::Share> Training::shares(const Rng& run, std::int64_t iteration, double part,
                                              bool spread) const {
  const auto number = static_cast<std::uint64_t>(iteration);
  const TrainingEpisodes of_first = training_episodes(task_.env, part, spread);
  std::vector<runs::MixturePart> parts = parts_;
  if (parts.empty()) parts.push_back({.env = task_.env});
  const std::vector<std::size_t> drawn =
      mixture_draws(parts, of_first.sequences, run.split("mixture").split(number));
  std::vector<Share> all;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const FixedEpisodes of_all = training_episodes(parts[p].env, part, spread).of(run, number);
    Share own{.part = p, .env = parts[p].env};
    for (std::uint64_t k = 0; k < std::uint64_t{of_first.sequences} * of_first.rollouts; ++k)
      if (drawn[k / of_first.rollouts] == p) own.episodes.push_back(*of_all.at(k));
    if (!own.episodes.empty()) all.push_back(std::move(own));
  }
  return all;
}

/// The chance of an environment's actions: in a mixture each has its own.
Rng Training::actions_of(const Share& share, const Rng& run) const {
  return parts_.empty() ? run : run.split(share.part);
}

/// Divides the rewards of the trajectories from `first` on by the absolute return of the heuristic.
void Training::scale_returns(const Share& share, Trajectories& of, std::size_t first) const {
  if (task_.mixture.scale_by.empty()) return;
  std::vector<Episode> sequences;
  std::vector<std::size_t> sequence_of;  // of each trajectory
  for (std::size_t i = first; i < of.all().size(); ++i) {
    const Episode& e = of.all()[i].episode;
    if (sequences.empty() || sequences.back().inputs != e.inputs) sequences.push_back(e);
    sequence_of.push_back(sequences.size() - 1);
  }
  const std::unique_ptr<Policy> policy =
      task_.registry->policy(task_.mixture.scale_by, task_.registry->spec(share.env));
  const FixedEpisodes source(sequences);
  const auto slots = std::min(static_cast<std::uint32_t>(sequences.size()), policy->most_slots());
  const auto stream = task_.registry->stream(share.env, source, {.slots = slots});
  std::vector<double> sums(sequences.size(), 0);
  play(*stream, *policy, task_.run.split("scale"), [&](const Decisions& d, const Batch&) {
    for (const Ended& e : d.ended) sums[e.episode.id] += e.last.reward;
    for (const Ask& a : d.asked) sums[a.episode.id] += a.since_last.reward;
  });
  for (std::size_t i = 0; i < sequence_of.size(); ++i) {
    const double of_heuristic = std::abs(sums[sequence_of[i]]);
    if (of_heuristic > 0) of.scale_rewards(first + i, 1 / of_heuristic);
  }
}

}  // namespace park::agents
