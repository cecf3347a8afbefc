#include "park/envs/aqm/aqm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "park/core/registry.h"

namespace park::aqm {

void register_env(Registry&);

namespace {

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    register_env(r);
    return r;
  }();
  return all;
}

double mean_of(const std::string& env, const std::string& policy, const std::string& metric,
               std::uint64_t episodes = 1) {
  const Spec spec = registry().spec(env);
  const auto player = registry().policy(policy, spec);
  std::vector<Episode> list(episodes);
  for (std::uint64_t k = 0; k < episodes; ++k)
    list[k] = {.id = k, .inputs = Rng(1).split(k).bits(), .dynamics = Rng(2).split(k).bits()};
  const FixedEpisodes source(list);
  const auto stream = registry().stream(env, source);
  double sum = 0;
  play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      sum += d.metrics[i * spec.metrics.size() + spec.metric(metric)];
  });
  return sum / static_cast<double>(episodes);
}

constexpr const char* kMild = "aqm(preset=rfc7928-mild,duration_s=20)";

TEST(Aqm, HoldsTheDelayAtTheTargets) {
  EXPECT_LT(mean_of(kMild, "codel", "steady_queue_ms", 4), 12);
  const double pie = mean_of(kMild, "pie", "steady_queue_ms", 4);
  EXPECT_GT(pie, 8);
  EXPECT_LT(pie, 25);
  EXPECT_GT(mean_of(kMild, "taildrop", "steady_queue_ms", 4), 40);
}

TEST(Aqm, UsesTheLink) {
  const std::string env = "aqm(preset=rfc7928-medium,duration_s=20)";
  for (const char* policy : {"codel", "pie", "fq_codel", "taildrop", "dualpi2"})
    EXPECT_GT(mean_of(env, policy, "steady_utilisation", 4), 0.85) << policy;
}

TEST(Aqm, TakesTheFieldOfAPolicy) {
  const double small = mean_of(kMild, "codel(target_ms=2)", "steady_queue_ms", 4);
  const double large = mean_of(kMild, "codel(target_ms=30)", "steady_queue_ms", 4);
  EXPECT_LT(small, large);
  EXPECT_LT(mean_of(kMild, "taildrop(packets=20)", "queue_ms", 4),
            mean_of(kMild, "taildrop(packets=320)", "queue_ms", 4));
}

TEST(Aqm, MarksWhereItMay) {
  const std::string env = "aqm(preset=rfc7928-mild,duration_s=20,ecn=true)";
  EXPECT_GT(mean_of(env, "codel", "marked_share", 2), 0);
  EXPECT_EQ(mean_of(kMild, "codel", "marked_share", 2), 0);
}

TEST(Aqm, DropsWithTheProbability) {
  const std::string text = "aqm(preset=udp,flows=1,duration_s=10,queue_packets=1000000,exponent=2)";
  const Spec spec = registry().spec(text);
  const auto layout = bind_layout<QueueLayout>(spec);
  const auto env = registry().env_factory(text)();
  Batch row(spec.observation), action(spec.action);
  action.resize(1);
  action.row(0).scalar(layout.drop) = std::sqrt(0.1F);
  env->reset({.inputs = 3, .dynamics = 4}, row.append());
  Outcome o;
  while (o.end == End::none) {
    row.clear();
    o = env->step(std::as_const(action).row(0), row.append());
  }
  std::vector<double> metrics(spec.metrics.size());
  env->metrics(metrics);
  EXPECT_NEAR(metrics[layout.dropped_share], 0.1, 0.02);
}

TEST(Aqm, RewardsAsItSays) {
  const std::string env = "aqm(preset=rfc7928-mild,duration_s=20)";
  const double utilisation = mean_of(env, "pie", "utilisation");
  const double queue_ms = mean_of(env, "pie", "queue_ms");
  EXPECT_NEAR(mean_of(env, "pie", "score"), std::log(utilisation) - 0.1 * std::log1p(queue_ms / 5),
              1e-9);
}

}  // namespace
}  // namespace park::aqm
