#pragma once

#include <memory>

#include "agents/kit/training.h"

namespace park::agents {

struct A2cConfig : TrainingConfig {
  static constexpr const char* kName = "a2c";
  double lambda = 0.95;
  bool operator==(const A2cConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    TrainingConfig::fields(self, visit);
    visit("lambda", self.lambda,
          FieldDoc{.doc = "weight of what follows in an advantage, per decision; 1: all of it",
                   .min = 0,
                   .max = 1});
  }
};

/// Advantage actor-critic (Mnih et al., ICML 2016), all environments in step: one step along the
/// policy gradient per iteration, with advantages of a critic (generalised advantage estimation).
/// A trajectory that a horizon cut off ends with the critic's value.
[[nodiscard]] std::unique_ptr<Algorithm> make_a2c(Task, const A2cConfig&);

}  // namespace park::agents
