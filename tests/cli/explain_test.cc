// `park explain`: the objects have the published keys, and bad input is one line with exit code 2.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace explain_command_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kEnv = "dag_scheduling(executors=4,jobs=4)";

Finished explain(const Words& more, const std::string& env = kEnv) {
  Words all{"explain", env, "--policy", "sjf_cp"};
  all.insert(all.end(), more.begin(), more.end());
  return run_park(all);
}

TEST(Explain, LevelsOfAPolicyThatOrdersJobs) {
  const Finished done = explain({"--episodes", "6", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_EQ(j.at("phase"), "train");
  EXPECT_EQ(j.at("episodes"), 6);
  const Json& jobs = j.at("heads").at(0).at("levels").at(0);
  EXPECT_EQ(jobs.at("level"), "jobs");
  EXPECT_TRUE(jobs.at("referred").get<bool>());
  EXPECT_EQ(jobs.at("gain_ratios").at(0).at("leaf"), "job.source");
  const Json& first = jobs.at("forest").at("unseen").at(0);
  EXPECT_GT(first.at("decisions").get<int>(), 0);
  EXPECT_LE(first.at("bootstrap95").at(0).get<double>(), first.at("value").get<double>());
  EXPECT_LE(first.at("value"), jobs.at("forest").at("unseen").at(2).at("value"));
  EXPECT_FALSE(j.at("missing").empty()) << "the limit is a number";
  EXPECT_EQ(explain({"--episodes", "6", "--json", "--threads", "2"}).out, done.out);
}

TEST(Explain, TheShortestJobIsFound) {
  const Finished done = explain({"--episodes", "6"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_NE(done.out.find("smallest job.work_s"), std::string::npos) << done.out;
  EXPECT_NE(done.out.find("missing: limit is a number"), std::string::npos) << done.out;
  const Finished flat = run_park(
      {"explain", "load_balance(servers=3,jobs=60)", "--policy", "least_work", "--episodes", "3"});
  EXPECT_NE(flat.out.find("smallest server.work "), std::string::npos) << flat.out;
  EXPECT_NE(flat.out.find("its candidates refer to none"), std::string::npos) << flat.out;
}

TEST(Explain, OneDecision) {
  const Words place{"--episodes", "4", "--episode", "1", "--decision", "2"};
  Words json = place;
  json.push_back("--json");
  const Finished done = explain(json);
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_TRUE(j.at("answers_from_rows").get<bool>());
  const Json& head = j.at("heads").at(0);
  EXPECT_EQ(head.at("head"), "stage");
  const Json& candidate = head.at("candidates").at(0);
  EXPECT_TRUE(candidate.at("score").is_null());
  EXPECT_TRUE(candidate.at("refers_to").contains("jobs"));
  EXPECT_TRUE(candidate.at("leaves").contains("stage.work_s"));
  EXPECT_TRUE(head.contains("change"));
  std::size_t levels = 0;
  for (const Json& one : j.at("heads"))
    for (const Json& level : one.at("surrogate").at("levels")) {
      double sum = level.at("base").get<double>();
      for (const Json& part : level.at("shap")) sum += part.at("shap").get<double>();
      EXPECT_NEAR(sum, level.at("value").get<double>(), 1e-5) << level;
      ++levels;
    }
  EXPECT_GT(levels, 0u);
  const Finished text = explain(place);
  EXPECT_NE(text.out.find("smallest change of one leaf"), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("surrogate, fitted on"), std::string::npos) << text.out;
}

TEST(Explain, ATimelineHasExplanations) {
  const std::string file = scratch_path("t.json");
  const auto run = [&](const Words& more) {
    Words all{"run", "load_balance(servers=3,jobs=30)", "--policy", "least_work,shortest_queue"};
    all.insert(all.end(), more.begin(), more.end());
    return run_park(all);
  };
  const Finished done = run({"--episodes", "3", "--timeline", file, "--explain", "4"});
  ASSERT_EQ(done.code, 0) << done.err;
  const Json all = Json::parse(read_text(file));
  ASSERT_EQ(all.at("timelines").size(), 2u);
  for (const Json& one : all.at("timelines")) {
    ASSERT_EQ(one.at("explained").size(), 4u);
    // Decisions are taken at arrivals, of which there are thirty.
    const Json& d = one.at("explained").at(2);
    const Json& arrivals = one.at("points").at("time_s");
    EXPECT_EQ(d.at("decisions"), 30);
    EXPECT_TRUE(std::ranges::any_of(arrivals, [&](const Json& t) {
      return std::abs(t.get<double>() - d.at("time_s").get<double>()) < 1e-6;
    })) << d.at("time_s");
  }
  EXPECT_NE(run({"--explain", "4"}).err.find("--explain: needs --timeline FILE.html"),
            std::string::npos);
  EXPECT_NE(
      run({"--explain", "4", "--timeline", file + ".trace.json"}).err.find("--explain: needs"),
      std::string::npos);
  EXPECT_NE(run({"--explain", "4", "--timeline", scratch_path("u.json"), "--episodes", "1"})
                .err.find("--explain: needs at least 2 --episodes"),
            std::string::npos);
}

TEST(Explain, BadInputIsOneLineAndExitCode2) {
  const auto error = [](const Words& more, const std::string& env = kEnv) {
    const Finished done = explain(more, env);
    EXPECT_EQ(done.code, 2) << done.err;
    EXPECT_TRUE(done.out.empty()) << done.out;
    EXPECT_EQ(std::ranges::count(done.err, '\n'), 1) << done.err;
    return done.err;
  };
  EXPECT_NE(error({"--episodes", "0"}).find("--episodes"), std::string::npos);
  EXPECT_NE(error({"--episode", "1"}).find("--episode and --decision: one needs the other"),
            std::string::npos);
  EXPECT_NE(error({"--episodes", "3", "--episode", "3", "--decision", "0"})
                .find("--episode: must be 0 .. 2"),
            std::string::npos);
  EXPECT_NE(error({"--episodes", "1", "--episode", "0", "--decision", "0"})
                .find("--episodes: must be at least 2"),
            std::string::npos);
  EXPECT_NE(error({"--episodes", "2", "--episode", "0", "--decision", "1000000"})
                .find("decision: must be 0 .. "),
            std::string::npos);
  const Words twice{"explain", "load_balance(servers=1,jobs=4)", "--policy", "random", "--quiet"};
  const Finished none = run_park(twice);
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("leaves a choice in"), std::string::npos) << none.err;
  Words forced = twice;
  forced.insert(forced.end(), {"--episodes", "2", "--episode", "0", "--decision", "1"});
  EXPECT_NE(run_park(forced).err.find("is not free"), std::string::npos);
}

}  // namespace explain_command_test
}  // namespace park::cli
