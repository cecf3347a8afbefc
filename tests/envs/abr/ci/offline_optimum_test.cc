// How far the plans of offline_optimum are from the optimum, and that no heuristic passes it.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/abr/model.h"
#include "park/envs/abr/offline.h"
#include "park/envs/envs.h"
#include "tests/kit/reference_data.h"

namespace park::abr {
namespace {

constexpr std::uint64_t kEpisodes = 10;
constexpr std::size_t kManyLabels = 1000;  // with which the bounds are tight

/// The plans of an environment's first evaluation episodes, with bounds of a wider search. Figures
/// are compared per episode, since a mean could hide what is wrong.
class AbrOracle : public testing::Test {
 protected:
  AbrOracle() { envs::register_all(registry_); }

  void expect_all_below(const std::string& env) {
    plan(env);
    const Spec spec = registry_.spec(env);
    for (const std::string& policy : registry_.policies_for(spec)) {
      if (policy == "offline_optimum") continue;  // plays the plans
      SCOPED_TRACE(policy);
      const std::vector<double> qoe = played(env, spec, policy);
      for (std::uint64_t k = 0; k < kEpisodes; ++k) EXPECT_LE(qoe[k], bounds_[k] + 1e-9) << k;
    }
  }

 private:
  void plan(const std::string& env) {
    const abr::AbrModel model(parse_config<abr::AbrConfig>(parse_text(env)));
    const auto labels = static_cast<std::size_t>(OfflineOptimumConfig{}.labels);
    double planned = 0, bound = 0;
    for (std::uint64_t k = 0; k < kEpisodes; ++k) {
      const OfflinePlan few = offline_plan(model, *source_.at(k), labels);
      const OfflinePlan many = offline_plan(model, *source_.at(k), kManyLabels);
      EXPECT_LE(few.qoe, many.bound + 1e-9) << k;
      EXPECT_LE(many.qoe, few.bound + 1e-9) << k;
      bounds_.push_back(many.bound);
      planned += few.qoe / kEpisodes;
      bound += many.bound / kEpisodes;
    }
    std::printf("%s: mean QoE of the plans %.5f, of their bounds %.5f\n", env.c_str(), planned,
                bound);
    RecordProperty("mean_plan", std::to_string(planned));
    RecordProperty("mean_bound", std::to_string(bound));
    EXPECT_LT(bound - planned, 0.001);
  }

  std::vector<double> played(const std::string& env, const Spec& spec, const std::string& policy) {
    std::vector<double> qoe(kEpisodes);
    const std::size_t metric = spec.metric("qoe");
    play(*registry_.stream(env, source_), *registry_.policy(policy, spec), Rng(1),
         [&](const Decisions& d, const Batch&) {
           for (std::size_t i = 0; i < d.ended.size(); ++i)
             qoe[d.ended[i].episode.id] = d.metrics_of(i)[metric];
         });
    return qoe;
  }

  Registry registry_;
  const RandomEpisodes source_{phase_rng(1, Phase::evaluate), {.count = kEpisodes}};
  std::vector<double> bounds_;  // [episodes] of the QoE of any sequence of qualities
};

TEST_F(AbrOracle, IsNotPassedOnBundledTraces) { expect_all_below("abr"); }

using AbrOracleLong = AbrOracle;
TEST_F(AbrOracleLong, IsNotPassedOnTheTestTracesOfFcc) {
  const std::filesystem::path traces = test::reference_data("fcc-test");
  if (!std::filesystem::exists(traces)) GTEST_SKIP() << "needs the FCC traces in " << traces;
  expect_all_below("abr(traces=" + traces.string() +
                   ",video=" + test::reference_data("fcc-video1").string() +
                   ",starts=" + test::reference_data("fcc-starts").string() + ")");
}

}  // namespace
}  // namespace park::abr
