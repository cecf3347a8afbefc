// park bench as scripts see it: files, exit codes, interruption and resumption.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "park/core/error.h"
#include "park/files/durable.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace bench_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string write_suite(int episodes, int jobs = 30, const std::string& policies = "[]") {
  const std::string path = scratch_path("suite.json");
  std::ofstream(path) << R"({"schema": "park.suite", "version": 1, "name": "tiny",
    "summary": "for a test", "seed": 3, "environments": [{"env": "load_balance",
    "config": {"servers": 3, "jobs": )"
                      << jobs << R"(}, "episodes": )" << episodes << R"(,
    "metrics": ["avg_response_s"], "baselines": ["random", "least_work", "shortest_queue"],
    "policies": )" << policies
                      << R"(, "timeline": ["least_work"]}]})";
  return path;
}

std::vector<std::string> bench(const std::string& suite, const std::string& out) {
  return {"bench", suite, "--out", out, "--workers", "2"};
}

Json results_of(const std::string& folder) {
  return Json::parse(read_text(folder + "/results.json"));
}

std::size_t episodes_of(const Json& results) {
  std::size_t sum = 0;
  for (const Json& one : results.at("results")) sum += one.at("episodes").get<std::size_t>();
  return sum;
}

TEST(Bench, WritesResultsThatVerifyAcceptsAndAReport) {
  const std::string suite = write_suite(12), out = scratch_path("out");
  const Finished park = run_park(bench(suite, out));
  ASSERT_EQ(park.code, 0) << park.err;
  EXPECT_NE(park.out.find("shortest_queue"), std::string::npos);
  for (const char* title : {"score", "% better than ", "difference", "P(better)"})
    EXPECT_NE(park.out.find(title), std::string::npos) << title << park.out;
  const Json results = results_of(out);
  EXPECT_EQ(results.at("schema"), "park.bench");
  EXPECT_EQ(results.at("interrupted"), false);
  EXPECT_EQ(episodes_of(results), 36u);
  EXPECT_EQ(results["results"][0].at("per_episode").at("avg_response_s").size(), 12u);
  EXPECT_TRUE(read_text(out + "/report.html").starts_with("<!doctype html>"));
  EXPECT_TRUE(
      read_text(out + "/results.csv").starts_with("env,policy,seed,episode,metric,unit,value\n"));
  const Finished verified = run_park({"bench", "verify", out + "/results.json"});
  EXPECT_EQ(verified.code, 0) << verified.out << verified.err;
  EXPECT_NE(
      verified.out.find("a change of 1 block of a result would be found with a probability of "),
      std::string::npos)
      << verified.out;
  const Json whole = Json::parse(
      run_park({"bench", "verify", out + "/results.json", "--share", "1", "--json", "--quiet"})
          .out);
  EXPECT_EQ(whole.at("episodes_played_again"), 36);
  EXPECT_EQ(whole.at("found").at(0).at("probability"), 1);
  const Finished again = run_park(bench(suite, out));
  EXPECT_EQ(again.code, 2);
  EXPECT_NE(again.err.find("is finished; give --overwrite"), std::string::npos) << again.err;
}

TEST(Bench, RowsAreThoseOfRun) {
  const std::string suite = write_suite(12), out = scratch_path("out");
  ASSERT_EQ(run_park(bench(suite, out)).code, 0);
  const Finished run =
      run_park({"run", "load_balance(servers=3,jobs=30)", "--policy",
                "random,least_work,shortest_queue", "--episodes", "12", "--seed", "3", "--json"});
  const Json played = Json::parse(run.out), results = results_of(out);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(results["results"][i]["per_episode"], played["results"][i]["per_episode"]);
}

TEST(Bench, VerifyNamesWhatWasChanged) {
  const std::string suite = write_suite(4), out = scratch_path("out");
  Json with_data = Json::parse(read_text(suite));  // inputs that are made of files
  with_data["environments"][0] = {
      {"env", "dag_scheduling"},  {"config", {{"jobs", 2}}},         {"episodes", 4},
      {"metrics", {"avg_jct_s"}}, {"baselines", {"random", "fair"}}, {"policies", Json::array()}};
  std::ofstream(suite) << with_data.dump();
  ASSERT_EQ(run_park(bench(suite, out)).code, 0);
  const auto expect_line = [&](const std::function<void(Json&)>& change, const std::string& line) {
    Json results = results_of(out);
    change(results);
    const std::string file = scratch_path("changed.json");
    std::ofstream(file) << results.dump();
    const Finished verified = run_park({"bench", "verify", file, "--quiet"});
    EXPECT_EQ(verified.code, 1) << verified.err;
    EXPECT_NE(('\n' + verified.out).find('\n' + line), std::string::npos) << verified.out;
  };
  expect_line([](Json& json) { json["results"][1]["metrics"]["avg_jct_s"]["iqm"] = 1.5; },
              "results[1].metrics.avg_jct_s.iqm: is 1.5, but the rows give ");
  const auto row = [](Json& json) { json["results"][1]["per_episode"]["avg_jct_s"][2] = 1.5; };
  expect_line(row, "results[1].metrics.avg_jct_s.mean: is ");
  expect_line(row, "results[1].links[0]: is ");
  expect_line(row, "results[1].rows_sha256: is ");
  expect_line(row,
              "dag_scheduling(jobs=2), fair, episode 2, avg_jct_s: recorded 1.5, played again ");
  expect_line([](Json& json) { json["results"][0]["rows_sha256"] = "00"; },
              "results[0].rows_sha256: is \"00\", but the rows give ");
  expect_line([](Json& json) { json["manifest"]["environments"][0]["data"][0]["sha256"] = "00"; },
              "dag_scheduling(jobs=2): data: recorded ");
}

TEST(Bench, ResultsOfVersion1AreComparedAndRankedButNotVerified) {
  const std::string out = scratch_path("out"), old = scratch_path("old.json");
  ASSERT_EQ(run_park(bench(write_suite(4), out)).code, 0);
  Json json = results_of(out);
  json["version"] = 1;
  for (Json& result : json["results"]) {
    result.erase("links");
    result.erase("rows_sha256");
    result["rows_crc32c"] = "00000000";
  }
  std::ofstream(old) << json.dump();
  const Finished verified = run_park({"bench", "verify", old});
  EXPECT_EQ(verified.code, 1);
  EXPECT_EQ(verified.err, "error: " + old +
                              ": has version 1, whose figures and hashes this program does not "
                              "compute; it verifies version 2\n");
  const Json compared =
      Json::parse(run_park({"bench", "compare", old, out + "/results.json", "--json"}).out);
  EXPECT_EQ(compared.at("changes").size(), 3u);
  for (const Json& change : compared.at("changes")) EXPECT_EQ(change.at("verdict"), "equal");
  const Finished board = run_park({"bench", "leaderboard", old, out + "/results.json", "--out",
                                   scratch_path("board.html"), "--json"});
  ASSERT_EQ(board.code, 0) << board.err;
  const Json rows = Json::parse(board.out).at("rows");
  ASSERT_EQ(rows.size(), 3u);
  for (const Json& row : rows) EXPECT_EQ(row.at("files"), (std::vector<int>{0, 1}));
}

TEST(Bench, AnInterruptedRunGoesOnWhereItEnded) {
  const std::string suite = write_suite(160, 6000), whole = scratch_path("whole");
  const std::string part = scratch_path("part");
  ASSERT_EQ(run_park(bench(suite, whole)).code, 0);
  auto chatty = bench(suite, part);
  chatty.insert(chatty.end(), {"--log-level", "debug"});
  Subprocess first(chatty);
  ASSERT_TRUE(first.wait_for_error_text("debug: played"));
  first.signal(SIGINT);
  EXPECT_EQ(first.finish().code, 130);
  const Json left = results_of(part);
  EXPECT_EQ(left.at("interrupted"), true);
  EXPECT_LT(episodes_of(left), 480u);
  EXPECT_FALSE(fs::exists(part + "/report.html"));
  const Finished rest = run_park(bench(suite, part));
  ASSERT_EQ(rest.code, 0) << rest.err;
  const Finished compared =
      run_park({"bench", "compare", whole + "/results.json", part + "/results.json", "--json"});
  const Json comparison = Json::parse(compared.out);
  for (const Json& change : comparison.at("changes"))
    EXPECT_EQ(change.at("verdict"), "equal") << change;
}

TEST(Bench, OneProcessAtATime) {
  const std::string suite = write_suite(4), out = scratch_path("out");
  fs::create_directories(out);
  {
    const files::FolderLock other(out, "writes into");
    const Finished refused = run_park(bench(suite, out));
    EXPECT_EQ(refused.code, 1);
    EXPECT_EQ(refused.err, "error: " + out + ": another process writes into it\n");
    EXPECT_TRUE(fs::is_empty(out));
  }
  EXPECT_EQ(run_park(bench(suite, out)).code, 0);
}

TEST(Bench, ItsFolderIsItsOwnWhileItPlays) {
  const std::string suite = write_suite(160, 6000), out = scratch_path("out");
  auto chatty = bench(suite, out);
  chatty.insert(chatty.end(), {"--log-level", "debug"});
  Subprocess first(chatty);
  ASSERT_TRUE(first.wait_for_error_text("debug: played"));
  EXPECT_THROW(files::FolderLock(out, "writes into"), Error);
  first.signal(SIGINT);
  EXPECT_EQ(first.finish().code, 130);
  const files::FolderLock free(out, "writes into");
}

TEST(Bench, ResultsOfAnotherSuiteAreNotMixedIn) {
  const std::string out = scratch_path("out");
  ASSERT_EQ(run_park(bench(write_suite(12), out)).code, 0);
  auto other = bench(write_suite(13), out);
  other.push_back("--resume");
  const Finished park = run_park(other);
  EXPECT_EQ(park.code, 2);
  EXPECT_NE(park.err.find("holds results of something else: \"episodes\": 12"), std::string::npos)
      << park.err;
}

#if PARK_HAS_BRIDGE
TEST(Bench, APolicyThatCannotPlayIsReportedAndTheOthersGoOn) {
  const std::string out = scratch_path("out");
  const std::string remote =
      "remote(endpoint=\"ipc://" + scratch_path("nobody") + "\",timeout_s=1)";
  const std::string suite = write_suite(4, 30, Json{remote}.dump());
  const Finished park = run_park(bench(suite, out));
  EXPECT_EQ(park.code, 1) << park.err;
  const Json results = results_of(out);
  EXPECT_EQ(results.at("failures").size(), 1u);
  EXPECT_EQ(episodes_of(results), 12u);
  EXPECT_NE(park.out.find(" (4 failed)"), std::string::npos) << park.out;
  EXPECT_EQ(results.at("standings").size(), 4u);
  EXPECT_LT(results["standings"][3].at("percent_better").at("value"), 0);
  const std::string board = scratch_path("board.html");
  const Json ranked = Json::parse(
      run_park({"bench", "leaderboard", out + "/results.json", "--out", board, "--json"}).out);
  ASSERT_EQ(ranked.at("rows").size(), 4u);
  for (const Json& row : ranked["rows"]) {
    EXPECT_EQ(row.at("board"), 0);
    EXPECT_EQ(row.at("failed"), row.at("policy").get<std::string>().starts_with("remote") ? 4 : 0);
  }
}
#endif

TEST(Bench, BadInputIsOneLineEach) {
  const Finished unknown = run_park({"bench", "no-such-suite"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("SUITE: no suite 'no-such-suite'; it is a file or one of "),
            std::string::npos)
      << unknown.err;
  const Finished misfit = run_park({"bench", write_suite(2), "--policy", "fifo"});
  EXPECT_EQ(misfit.code, 2);
  EXPECT_NE(misfit.err.find("--policy fifo: fits no environment of the suite"), std::string::npos)
      << misfit.err;
  EXPECT_EQ(run_park({"bench"}).code, 2);
  EXPECT_EQ(run_park({"bench", "verify", "/nowhere"}).code, 2);
  for (const std::string option : {"--share", "--tolerance"})
    for (const std::string value : {"2", "-1", "half", "0.5x"}) {
      const Finished refused = run_park({"bench", "verify", "/nowhere", option, value});
      EXPECT_EQ(refused.code, 2);
      EXPECT_NE(refused.err.find(option + ": \"" + value + "\" is not a number from 0 to 1"),
                std::string::npos)
          << refused.err;
    }
}

TEST(Bench, ALeaderboardHasEveryPolicyOnce) {
  const std::string suite = write_suite(6), out = scratch_path("out"), more = scratch_path("more");
  ASSERT_EQ(run_park(bench(suite, out)).code, 0);
  auto with = bench(suite, more);
  with.insert(with.end(), {"--policy", "round_robin"});
  ASSERT_EQ(run_park(with).code, 0);
  const std::string page = scratch_path("board.html");
  const Finished park = run_park({"bench", "leaderboard", out + "/results.json",
                                  more + "/results.json", "--out", page, "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json board = Json::parse(park.out);
  ASSERT_EQ(board.at("rows").size(), 4u);
  EXPECT_EQ(board["rows"][0].at("files"), (std::vector<int>{0, 1}));
  EXPECT_EQ(board["rows"][3].at("policy"), "round_robin");
  EXPECT_EQ(board["rows"][3].at("files"), (std::vector<int>{1}));
  EXPECT_TRUE(fs::exists(page));
}

TEST(Bench, OnALeaderboardOnlyTheSameEpisodesShareATable) {
  const std::string out = scratch_path("out"), fewer = scratch_path("fewer");
  ASSERT_EQ(run_park(bench(write_suite(12), out)).code, 0);
  ASSERT_EQ(run_park(bench(write_suite(9), fewer)).code, 0);
  const Finished park =
      run_park({"bench", "leaderboard", out + "/results.json", fewer + "/results.json", "--out",
                scratch_path("board.html"), "--json"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json rows = Json::parse(park.out).at("rows");
  ASSERT_EQ(rows.size(), 6u);
  for (const Json& row : rows) EXPECT_EQ(row.at("episodes"), row.at("board") == 0 ? 12 : 9);
  for (const std::size_t random : {0u, 3u}) EXPECT_DOUBLE_EQ(rows[random].at("score"), 0);
}

TEST(Bench, CompareTellsHowManyEpisodesItRestsOn) {
  const std::string out = scratch_path("out"), fewer = scratch_path("fewer");
  ASSERT_EQ(run_park(bench(write_suite(12), out)).code, 0);
  ASSERT_EQ(run_park(bench(write_suite(9), fewer)).code, 0);
  const Finished park =
      run_park({"bench", "compare", out + "/results.json", fewer + "/results.json"});
  EXPECT_NE(park.out.find("episodes"), std::string::npos) << park.out;
  EXPECT_NE(park.out.find(" 9  equal"), std::string::npos) << park.out;
}

TEST(Bench, ASuiteThatOnlyHasABundledNameIsToldApart) {
  const std::string suite = write_suite(4), out = scratch_path("out");
  Json named = Json::parse(read_text(suite));
  named["name"] = "load-balance-v2";
  std::ofstream(suite) << named.dump();
  ASSERT_EQ(run_park(bench(suite, out)).code, 0);
  const Finished verified = run_park({"bench", "verify", out + "/results.json", "--quiet"});
  EXPECT_EQ(verified.code, 1);
  EXPECT_NE(verified.out.find("suite: seed: recorded 3, but load-balance-v2 has "),
            std::string::npos)
      << verified.out;
  const Finished board = run_park({"bench", "leaderboard", out + "/results.json", "--out",
                                   scratch_path("board.html"), "--json"});
  EXPECT_EQ(Json::parse(board.out).at("files")[0].at("suite"), "load-balance-v2 (changed)");
}

}  // namespace bench_test
}  // namespace park::cli
