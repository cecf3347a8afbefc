#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/trees/value_rules.h"

namespace park::agents {

/// Exploration of poor states, after the job-aware exploration of DL2 (Peng et al., TPDS 32(8),
/// 2021). The rules of a file of trees say what a poor state is and what may mend it. A state is
/// poor where the rules keep some of a head's legal values and not all. There, with a probability,
/// one of the kept values is drawn. DL2 prescribes one action; here several values may mend a
/// state, and the learner's own probabilities choose among them.
class Exploration {
 public:
  /// `share`: the probability. Throws as ValueRules.
  Exploration(const std::string& file, double share, const Spec& spec)
      : rules_(file, spec), share_(share) {}

  /// The place of the value that is tried; nothing: the learner chooses by itself.
  [[nodiscard]] std::optional<std::size_t> pick(std::size_t head, ConstRow observation,
                                                ConstRow action,
                                                std::span<const std::int32_t> values,
                                                std::span<const float> scores, Rng);

 private:
  trees::ValueRules rules_;
  double share_;
  std::vector<std::size_t> places_;  // of what the rules keep
  std::vector<float> scores_;        // of these
};

}  // namespace park::agents
