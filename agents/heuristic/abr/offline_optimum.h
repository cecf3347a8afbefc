#pragma once

#include <cstdint>
#include <vector>

#include "park/core/batch.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/abr/model.h"

namespace park::heuristics {

struct OfflineOptimumConfig {
  std::int32_t labels = 200;

  bool operator==(const OfflineOptimumConfig&) const = default;
  template <class Self, class Visit>
  static void fields(Self& c, Visit&& visit) {
    visit("labels", c.labels,
          FieldDoc{.doc = "partial plans that are kept of each chunk and quality: more are slower "
                          "and closer to the optimum",
                   .min = 1,
                   .max = 1'000'000});
  }
};

/// An oracle: knows the bandwidth of the whole session, plans it when an episode begins
/// (offline_plan) and plays the plan. No policy that has to do without can be better, but for what
/// the plan misses; a horizon is not planned for. It builds a simulator of its own from the text of
/// the environment, so it is for environments that a registry has made.
class OfflineOptimum final : public Policy {
 public:
  using Config = OfflineOptimumConfig;
  [[nodiscard]] static PolicyInfo info();
  /// Throws Error{unavailable} where the spec has no text.
  OfflineOptimum(const Config&, const Spec&);
  void start(std::uint32_t slot, const Episode&, Rng) override;
  void act(const Decisions&, Batch& actions) override;

 private:
  envs::AbrModel model_;
  std::size_t labels_;
  Field<std::int32_t> quality_;
  Field<float> left_;
  std::vector<std::vector<std::int32_t>> plans_;  // of each slot
};

}  // namespace park::heuristics
