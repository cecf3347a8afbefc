// Means of dl_inference over many episodes: waiting times of queueing theory, rates of arrivals.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/kit/estimates.h"

namespace park::test {
namespace inference_means_test {

TEST(DlInferenceMeans, WaitsOfMD1) {
  // Batches of one, 5 ms each, at the load 0.5.
  const Figures f = play_episodes(
      "dl_inference(apps=custom,custom=[app(a_s=0.005,b_s=0,max_batch=1)],load=0.5,duration_s="
      "600)",
      "rr");
  const double wait_s = pollaczek_khinchine(100, 0.005, 0.005 * 0.005) - 0.005;
  EXPECT_NEAR(estimate(f.at("avg_wait_s")).mean, wait_s, 0.01 * wait_s);
  expect_mean(f.at("avg_wait_s"), wait_s, 0.02);
  expect_mean(f.at("utilisation"), 0.5, 0.01);
  expect_mean(f.at("macro_slowdown"), 1 + wait_s / 0.005, 0.02);
}

TEST(DlInferenceMeansLong, BurstsKeepTheMeanRate) {
  for (const char* times : {"exponential", "fixed"}) {
    const Figures f = play_episodes(std::string("dl_inference(apps=custom,custom=[app(a_s=0.005,"
                                                "b_s=0,max_batch=1)],arrivals=bursts,load=0.5,"
                                                "duration_s=400,burst_times=") +
                                        times + ")",
                                    "rr");
    // Poisson counts have a variance of their mean; counts of bursts have more.
    std::vector<double> requests = f.at("requests_done");
    expect_mean(requests, 100 * 400, 0.05);
    const Figures steady = play_episodes(
        "dl_inference(apps=custom,custom=[app(a_s=0.005,b_s=0,max_batch=1)],load=0.5,duration_s="
        "400)",
        "rr");
    EXPECT_GT(estimate(f.at("avg_wait_s")).mean, 10 * estimate(steady.at("avg_wait_s")).mean);
  }
}

TEST(DlInferenceMeans, LoadsAreThoseOfFullBatches) {
  // Loads of 0.6 at full batches: the requests of an application per second are known.
  const Figures equal = play_episodes("dl_inference(load=0.6,duration_s=20)", "aged");
  double per_request_s = 0;
  for (const double one :
       {0.002 / 32 + 0.0002, 0.004 / 32 + 0.0005, 0.006 / 32 + 0.0008, 0.01 / 32 + 0.001})
    per_request_s += one;
  expect_mean(equal.at("requests_done"), 4 * 20 * 0.6 / per_request_s, 0.01);
  const Figures load =
      play_episodes("dl_inference(load=0.6,duration_s=20,rates=equal_load)", "aged");
  double requests = 0;
  for (const double one :
       {0.002 / 32 + 0.0002, 0.004 / 32 + 0.0005, 0.006 / 32 + 0.0008, 0.01 / 32 + 0.001})
    requests += 20 * 0.15 / one;
  expect_mean(load.at("requests_done"), requests, 0.01);
}

}  // namespace inference_means_test
}  // namespace park::test
