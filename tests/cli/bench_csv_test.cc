#include "cli/bench/bench_csv.h"

#include <gtest/gtest.h>

#include "park/bench/summary.h"

namespace park::cli {
namespace bench_csv_test {

/// Two policies whose figures differ by 1 in each of two episodes.
bench::BenchResults small() {
  bench::BenchResults results;
  results.suite.seed = 7;
  results.suite.environments = {{.name = "x", .episodes = 2, .metrics = {"time"}}};
  results.environments = {
      {.text = "x(a=1,b=2)",
       .metrics = {{.name = "time", .unit = "s", .lower_is_better = true, .doc = ""}}}};
  results.entries = {
      {.policy = "random",
       .baseline = true,
       .episodes = {{.id = 0, .decisions = 3, .events = 9, .metrics = {2}},
                    {.id = 1, .decisions = 4, .events = 8, .metrics = {bench::kUndefined}}}},
      {.policy = "good",
       .baseline = true,
       .episodes = {{.id = 0, .decisions = 3, .events = 9, .metrics = {1}},
                    {.id = 1, .decisions = 4, .events = 8, .metrics = {3}}}}};
  return results;
}

TEST(BenchCsv, HasEveryFigureOfEveryEpisode) {
  EXPECT_EQ(bench_csv(small()),
            "env,policy,seed,episode,metric,unit,value\n"
            "\"x(a=1,b=2)\",random,7,0,time,s,2\n"
            "\"x(a=1,b=2)\",random,7,0,decisions,1,3\n"
            "\"x(a=1,b=2)\",random,7,0,events,1,9\n"
            "\"x(a=1,b=2)\",random,7,1,time,s,\n"
            "\"x(a=1,b=2)\",random,7,1,decisions,1,4\n"
            "\"x(a=1,b=2)\",random,7,1,events,1,8\n"
            "\"x(a=1,b=2)\",good,7,0,time,s,1\n"
            "\"x(a=1,b=2)\",good,7,0,decisions,1,3\n"
            "\"x(a=1,b=2)\",good,7,0,events,1,9\n"
            "\"x(a=1,b=2)\",good,7,1,time,s,3\n"
            "\"x(a=1,b=2)\",good,7,1,decisions,1,4\n"
            "\"x(a=1,b=2)\",good,7,1,events,1,8\n");
}

TEST(BenchCsv, TheSummaryHasAggregatesComparisonsAndScores) {
  bench::BenchResults results = small();
  results.entries[0].episodes[1].metrics[0] = 4;
  const std::string text = bench_summary_csv(results);
  EXPECT_TRUE(text.starts_with("env,policy,against,metric,unit,figure,value,interval,low,high\n"));
  for (const char* line :
       {"\"x(a=1,b=2)\",random,,time,s,mean,3,bootstrap95,2,4\n",
        "\"x(a=1,b=2)\",good,,time,s,iqm,2,bootstrap95,1,3\n",
        "\"x(a=1,b=2)\",good,random,time,s,mean_difference,-1,ci95,-1,-1\n",
        "\"x(a=1,b=2)\",good,random,time,s,mean_difference,-1,bootstrap95,-1,-1\n",
        "\"x(a=1,b=2)\",good,random,time,1,probability_of_improvement,1,bootstrap95,1,1\n",
        "\"x(a=1,b=2)\",good,,score,1,mean,1,bootstrap95,1,1\n",
        "\"x(a=1,b=2)\",random,,percent_better,%,mean,-50,bootstrap95,",
        "\"x(a=1,b=2)\",random,,percent_to_bound,%,mean,,bootstrap95,,\n",
        ",random,,score,1,mean,0,bootstrap95,", ",good,,score,1,mean,1,bootstrap95,"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

}  // namespace bench_csv_test
}  // namespace park::cli
