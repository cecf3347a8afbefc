#pragma once

#include <memory>
#include <span>

#include "agents/kit/training.h"

namespace park::agents {

struct PpoConfig : TrainingConfig {
  static constexpr const char* kName = "ppo";
  double lambda = 0.95;
  std::uint32_t epochs = 3;
  double clip = 0.2;
  double largest_divergence = 0.02;
  bool operator==(const PpoConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    TrainingConfig::fields(self, visit);
    visit("lambda", self.lambda,
          FieldDoc{.doc = "weight of what follows in an advantage, per decision; 1: all of it",
                   .min = 0,
                   .max = 1});
    visit("epochs", self.epochs,
          FieldDoc{.doc = "how often an iteration goes over its decisions", .min = 1, .max = 1000});
    visit("clip", self.clip,
          FieldDoc{.doc = "change of a probability that is still rewarded",
                   .min = 0,
                   .max = 10,
                   .open_min = true});
    visit("largest_divergence", self.largest_divergence,
          FieldDoc{.doc = "from the policy that acted, where an iteration ends early",
                   .unit = "nats per decision",
                   .min = 0,
                   .max = 1e9,
                   .open_min = true});
  }
};

/// What a step raises [n]: the ratio of the new probability to the old one times the advantage,
/// with the ratio cut to 1 - clip .. 1 + clip where that gives less.
[[nodiscard]] at::Tensor clipped_gain(const at::Tensor& ratio, const at::Tensor& advantage,
                                      double clip);

/// What a step descends: minus the sum of the clipped gains of the samples, whose ratios are those
/// to the probabilities that they were drawn with, minus the sum of the entropies by their weight.
[[nodiscard]] at::Tensor clipped_loss(const Evaluation&, std::span<const Sample>, double clip,
                                      double entropy_weight);

/// Proximal policy optimisation (Schulman et al., 2017, equation 7): several epochs of minibatches
/// on what an iteration has played, each a step, with clipped ratios of probabilities. Advantages
/// as a2c has them.
[[nodiscard]] std::unique_ptr<Algorithm> make_ppo(Task, const PpoConfig&);

}  // namespace park::agents
