// dl_inference against theory: identities that hold on every path.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "park/core/policy.h"
#include "park/core/stream.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace inference_theory_test {

/// Everything that a policy meets: bytes of the rows, outcomes, metrics.
std::string bytes_of_play(const std::string& env, const std::string& policy_text) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = 3});
  const auto stream = registry().stream(env, source, {.slots = 1});
  const auto policy = registry().policy(policy_text, stream->spec());
  std::string all;
  const auto add = [&](const void* from, std::size_t n) {
    all.append(static_cast<const char*>(from), n);
  };
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t c = 0; c < d.observation.columns(); ++c) {
      const auto bytes = d.observation.bytes(c, 0, d.observation.rows());
      add(bytes.data(), bytes.size());
    }
    for (const Ask& a : d.asked) add(&a.since_last.reward, sizeof(double));
    for (std::size_t i = 0; i < d.ended.size(); ++i)
      add(d.metrics_of(i).data(), d.metrics_of(i).size_bytes());
  });
  return all;
}

TEST(DlInference, RulesAgreeOnOneApplication) {
  const std::string env = "dl_inference(apps=custom,custom=[app],load=0.9,duration_s=5)";
  const std::string rr = bytes_of_play(env, "rr");
  EXPECT_GT(rr.size(), 10'000u);
  for (const char* policy : {"lowest_util", "sfq", "aged", "max_slowdown", "index", "triton"})
    EXPECT_EQ(bytes_of_play(env, policy), rr) << policy;
  EXPECT_NE(bytes_of_play(env, "rr(timeout_s=0.01)"), rr);
}

const char* const kSettings[] = {
    "dl_inference(apps=hetero,load=0.7,duration_s=3)",
    "dl_inference(arrivals=bursts,load=0.6,duration_s=3,weights=[3,3,3,3])",
    "dl_inference(apps=cpu,rates=equal_load,load=1.3,duration_s=1,late=drop,drop_cost=4)",
    "dl_inference(load=0.6,duration_s=1,dispatch_s=0.002,network_s=0.003,late=drop)"};

TEST(DlInference, RewardsAddUpToTheSlowdowns) {
  for (const char* env : kSettings)
    for (const char* policy : {"random", "rr(timeout_s=0.005)", "aged", "clockwork"}) {
      const double weight = std::string(env).find("weights") == std::string::npos ? 1 : 3;
      std::vector<double> sums(kEpisodes);
      const Figures f =
          play_episodes(env, policy, kEpisodes, [&](const Decisions& d, const Batch&) {
            for (const Ask& a : d.asked) sums[a.episode.id] += a.since_last.reward;
            for (const Ended& e : d.ended) sums[e.episode.id] += e.last.reward;
          });
      for (std::size_t e = 0; e < kEpisodes; ++e) {
        const double requests = f.at("requests_done")[e] + f.at("requests_dropped")[e];
        const double slowdowns = weight * f.at("avg_slowdown")[e] * requests;
        EXPECT_NEAR(sums[e], -slowdowns, 1e-9 * slowdowns) << env << ' ' << policy;
      }
    }
}

TEST(DlInference, LittlesLaw) {
  // Time in the system of all requests, counted by time and by request: a batch of one takes as
  // long as any, so that a slowdown is the time in the system over 10 ms.
  for (const char* policy : {"rr", "random", "nexus"}) {
    const Figures f = play_episodes(
        "dl_inference(apps=custom,custom=[app(a_s=0.01,b_s=0),app(a_s=0.01,b_s=0)],load=0.5,"
        "duration_s=2)",
        policy);
    for (std::size_t e = 0; e < kEpisodes; ++e) {
      const double device_s = f.at("device_s_0")[e] + f.at("device_s_1")[e];
      const double time_s = device_s / f.at("utilisation")[e];
      const double inside_s = f.at("avg_requests")[e] * time_s;
      const double by_request_s = f.at("avg_slowdown")[e] * f.at("requests_done")[e] * 0.01;
      EXPECT_NEAR(inside_s, by_request_s, 1e-9 * inside_s) << policy;
    }
  }
}

TEST(DlInference, WorkIsConserved) {
  // Batches of one and a policy that never waits: the device is never idle while requests wait, so
  // its time in use and the end of the episode do not depend on the order.
  const std::string env =
      "dl_inference(apps=custom,custom=[app(a_s=0.002,b_s=0,max_batch=1),app(a_s=0.005,b_s=0,"
      "max_batch=1)],load=0.8,duration_s=5)";
  const Figures rr = play_episodes(env, "rr");
  for (const char* policy : {"lowest_util", "sfq", "aged", "max_slowdown", "edf", "wspt", "triton",
                             "least_slack", "clipper", "clockwork", "nexus(cycle_s=0)"}) {
    const Figures f = play_episodes(env, policy);
    for (std::size_t e = 0; e < kEpisodes; ++e)
      for (const char* metric : {"utilisation", "device_s_0", "device_s_1", "requests_done"})
        EXPECT_NEAR(f.at(metric)[e], rr.at(metric)[e], 1e-9 * rr.at(metric)[e]) << policy;
  }
}

}  // namespace inference_theory_test
}  // namespace park::test
