// `park distill`: the file it writes plays, the object has the published keys, and bad input is one
// line with exit code 2.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace distill_command_test {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

const std::string kEnv = "load_balance(servers=3,jobs=40)";

Words command(const Words& more) {
  Words all{"distill",    kEnv,       "--teacher",
            "least_work", "--rounds", "2",
            "--episodes", "4",        "--validation-episodes",
            "4"};
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(Distill, TheFilePlaysAsItsTeacher) {
  const std::string out = scratch_path("my.tree");
  const Finished done = run_park(command({"--leaves", "3", "--seed", "5", "--out", out, "--json"}));
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_EQ(j.at("rounds").size(), 2u);
  EXPECT_EQ(j.at("file"), out);
  EXPECT_TRUE(j.at("finished").get<bool>());
  EXPECT_GE(j.at("agreement").at(0).at("free").at("first").get<double>(), 0.95);
  const Finished played = run_park(
      {"run", kEnv, "--policy", "tree(file=" + out + "),least_work", "--episodes", "6", "--json"});
  ASSERT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(
      run_park(command({"--leaves", "3", "--seed", "5", "--out", out + "2", "--threads", "2"}))
          .code,
      0);
  EXPECT_EQ(read_text(out), read_text(out + "2"));
}

TEST(Distill, ExportsTheTree) {
  const std::string tree = scratch_path("my.tree"), code = scratch_path("my_tree.h");
  ASSERT_EQ(run_park(command({"--leaves", "3", "--out", tree})).code, 0);
  const Finished wrong = run_park({"distill", "export", tree, "--to", "cpp", "--out", code});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find(":2: is for the layout"), std::string::npos) << "it has other servers";
  ASSERT_EQ(run_park({"distill", "export", tree, "--to", "cpp", "--env", kEnv, "--out", code}).code,
            0);
  EXPECT_NE(read_text(code).find("inline std::int32_t decide_server("), std::string::npos);
  const Json j = Json::parse(run_park({"distill", "export", tree, "--to", "json"}).out);
  const Json& root = j.at("heads").at(0).at("levels").at(0).at("trees").at(0);
  EXPECT_TRUE(root.contains("feature") && root.contains("at_most") && root.contains("yes")) << root;
  EXPECT_EQ(run_park({"distill", "export", tree, "--to", "dot"}).out.substr(0, 15),
            "digraph trees {");
}

TEST(Distill, AReportComparesOnHeldOutEpisodes) {
  const std::string out = scratch_path("my.tree"), page = scratch_path("report.html");
  const Finished done =
      run_park(command({"--leaves", "3", "--out", out, "--report", page, "--against",
                        "shortest_queue", "--test-episodes", "3", "--json"}));
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out);
  EXPECT_EQ(j.at("sizes").size(), 5u);
  EXPECT_EQ(j.at("sizes").at(0).at("asked"), 8);
  EXPECT_GT(j.at("agreement_on_student").at(0).at("free").at("decisions"), 0);
  const Json& policies = j.at("comparison").at("policies");
  EXPECT_EQ(j.at("comparison").at("phase"), "evaluate");
  ASSERT_EQ(policies.size(), 3u);
  EXPECT_EQ(policies.at(0).at("policy"), "least_work");
  EXPECT_EQ(policies.at(0).at("ratio"), 1);
  for (const Json& one : policies) EXPECT_GT(one.at("decision_us").get<double>(), 0);
  EXPECT_TRUE(j.at("ablation").empty()) << "there is one head";
  EXPECT_NEAR(policies.at(2).at("mean").get<double>() - policies.at(0).at("mean").get<double>(),
              policies.at(2).at("difference").at("mean").get<double>(), 1e-9);
  EXPECT_NE(read_text(page).find("default-src 'none'"), std::string::npos);
  const Finished exported = run_park({"distill", "export", out, "--to", "html"});
  EXPECT_NE(exported.out.find("id=\"tree\""), std::string::npos);
}

/// What each head of the student costs, where the teacher tells its scores.
TEST(Distill, AReportSaysWhatEachHeadCosts) {
  const Words words{"distill",
                    "dag_scheduling(executors=6,jobs=4)",
                    "--teacher",
                    "dag_scheduling-batch-tree",
                    "--rounds",
                    "1",
                    "--episodes",
                    "2",
                    "--leaves",
                    "6",
                    "--json",
                    "--validation-episodes",
                    "2",
                    "--test-episodes",
                    "3",
                    "--report",
                    scratch_path("report.html"),
                    "--out",
                    scratch_path("my.tree")};
  const Finished done = run_park(words);
  ASSERT_EQ(done.code, 0) << done.err;
  const Json j = Json::parse(done.out), teacher = j.at("comparison").at("policies").at(0);
  ASSERT_EQ(j.at("ablation").size(), 2u);
  EXPECT_EQ(j.at("ablation").at(0).at("student_head"), "stage");
  EXPECT_EQ(j.at("ablation").at(1).at("student_head"), "limit");
  for (const Json& one : j.at("ablation"))
    EXPECT_NEAR(one.at("ratio").get<double>() * teacher.at("mean").get<double>(),
                one.at("mean").get<double>(), 1e-9);
  Words heuristic = words;
  heuristic.at(3) = "srpt_capped";
  const Finished without = run_park(heuristic);
  ASSERT_EQ(without.code, 0) << without.err;
  EXPECT_TRUE(Json::parse(without.out).at("ablation").empty());
  EXPECT_NE(without.err.find("what each head costs is left out: a policy has no scores"),
            std::string::npos)
      << without.err;
}

TEST(Distill, AnEditIsComparedWithWhatItWas) {
  const std::string tree = scratch_path("my.tree"), out = scratch_path("new.tree");
  ASSERT_EQ(run_park(command({"--leaves", "3", "--out", tree})).code, 0);
  const Words edit{"distill", "edit", tree, "--env", kEnv, "--episodes", "3", "--out", out};
  const auto with = [&](const Words& more) {
    Words all = edit;
    all.insert(all.end(), more.begin(), more.end());
    return run_park(all);
  };
  const Finished done =
      with({"--add-rule", "server \"the first one\": #value = 0", "--set-leaf", "1=0.5", "--json"});
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out).at("results").size(), 2u);
  EXPECT_NE(
      read_text(out).find("head server\n  rule \"the first one\": #value = 0\n  level values"),
      std::string::npos)
      << read_text(out);
  EXPECT_EQ(with({"--prune", "1"}).code, 0);
  EXPECT_NE(with({}).err.find("--add-rule, --set-leaf or --prune: one of them"), std::string::npos);
  EXPECT_NE(with({"--set-leaf", "1=nan"}).err.find("must be LEAF=NUMBER"), std::string::npos);
  EXPECT_NE(with({"--set-leaf", "99=1"}).err.find("there is no leaf 99"), std::string::npos);
  const Finished bad = with({"--add-rule", "server \"x\": no.leaf = 1"});
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("there is no leaf 'no.leaf'"), std::string::npos) << bad.err;
}

/// Some rounds are taken over from the interrupted call, the others are made anew.
TEST(Distill, ResumesToTheSameBytes) {
  const std::string whole = scratch_path("whole.tree"), part = scratch_path("part.tree");
  const auto rounds = [](const char* count, const std::string& out) {
    return Words{"distill",    kEnv,       "--teacher",
                 "least_work", "--rounds", count,
                 "--episodes", "4",        "--validation-episodes",
                 "4",          "--leaves", "6",
                 "--out",      out};
  };
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  ASSERT_EQ(run_park(rounds("8", whole)).code, 0);
  EXPECT_FALSE(std::ifstream(whole + ".rounds").good()) << "a finished call leaves none";

  Subprocess process(rounds("1000", part));
  ASSERT_TRUE(process.wait_for_error_text("round 2:"));
  process.signal(SIGINT);
  ASSERT_EQ(process.finish().code, 128 + SIGINT);
  ASSERT_TRUE(std::ifstream(part + ".rounds").good());
  const Finished other = run_park(with(rounds("8", part), {"--resume", "--seed", "2"}));
  EXPECT_EQ(other.code, 2);
  EXPECT_NE(other.err.find("plan.seed: is 1, this call has 2"), std::string::npos) << other.err;
  ASSERT_EQ(run_park(with(rounds("8", part), {"--resume"})).code, 0);
  EXPECT_EQ(read_text(part), read_text(whole));

  const Finished none = run_park(with(rounds("8", part), {"--resume"}));
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find(".rounds"), std::string::npos) << none.err;
}

TEST(Distill, TextNamesTheRounds) {
  const Finished done = run_park(command({"--out", scratch_path("my.tree"), "--quiet"}));
  EXPECT_EQ(done.code, 0);
  EXPECT_NE(done.out.find("round  decisions  leaves  avg_response_s"), std::string::npos)
      << done.out;
  EXPECT_NE(done.out.find("play it: park run '"), std::string::npos) << done.out;
}

TEST(Distill, BadInputIsOneLineAndExitCode2) {
  const std::string out = scratch_path("my.tree");
  const auto error = [](const Words& more) {
    const Finished done = run_park(command(more));
    EXPECT_EQ(done.code, 2) << done.err;
    return done.err;
  };
  EXPECT_NE(error({"--out", out, "--leaves", "0"}).find("--leaves"), std::string::npos);
  EXPECT_NE(error({"--out", out, "--episodes", "0"}).find("--episodes"), std::string::npos);
  EXPECT_NE(error({"--out", "no/such/folder/x"}).find("--out: there is no folder"),
            std::string::npos);
  EXPECT_NE(error({}).find("--out"), std::string::npos);
  const Finished none = run_park({"distill", "load_balance(servers=1)", "--teacher", "random",
                                  "--out", out, "--episodes", "1"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("there is no decision that leaves a choice"), std::string::npos)
      << none.err;
  EXPECT_NE(error({"--out", out, "--weights", "gap"})
                .find("gap needs a teacher that has scores; least_work has none of server"),
            std::string::npos);
  EXPECT_NE(error({"--out", out, "--separate", "fair"})
                .find("--separate: load_balance has no separate strategy 'fair'; it has none"),
            std::string::npos);
  EXPECT_FALSE(std::ifstream(out).good()) << "nothing half-written";
}

TEST(Distill, AnInterruptKeepsFinishedRounds) {
  const std::string out = scratch_path("my.tree");
  Words words = command({"--out", out});
  words[5] = "1000";
  Subprocess process(words);
  ASSERT_TRUE(process.wait_for_error_text("round 2:"));
  process.signal(SIGINT);
  const Finished done = process.finish();
  EXPECT_EQ(done.code, 128 + SIGINT) << done.err;
  EXPECT_EQ(run_park({"run", kEnv, "--policy", "tree(file=" + out + ")", "--episodes", "1"}).code,
            0);
}

TEST(Trees, AFileForAnotherLayoutIsNamed) {
  const std::string file = scratch_path("other.tree");
  std::ofstream(file)
      << "park-tree 1\nenv x layout 0123456789abcdef\nhead server\n  level values: 1\n";
  const Finished done = run_park({"run", kEnv, "--policy", "tree(file=" + file + ")"});
  EXPECT_EQ(done.code, 2);
  EXPECT_NE(done.err.find(file + ":2: is for the layout"), std::string::npos) << done.err;
}

TEST(Trees, ABenchmarkRecordsTheFile) {
  const std::string tree = scratch_path("my.tree"), suite = scratch_path("suite.json"),
                    out = scratch_path("results");
  ASSERT_EQ(run_park(command({"--leaves", "3", "--out", tree})).code, 0);
  Json json = Json::parse(R"({"schema": "park.suite", "version": 1, "name": "t", "summary": "s",
    "seed": 5, "environments": [{"env": "load_balance", "config": {"servers": 3, "jobs": 40},
      "episodes": 3, "metrics": ["avg_response_s"], "baselines": ["random", "least_work"]}]})");
  json["environments"][0]["policies"] = {"tree(file=" + tree + ")"};
  std::ofstream(suite) << json;
  const Finished played = run_park({"bench", suite, "--out", out});
  ASSERT_EQ(played.code, 0) << played.err;
  EXPECT_EQ(run_park({"bench", "verify", out + "/results.json"}).code, 0);
  std::ofstream(tree, std::ios::app) << "# another comment\n";
  const Finished changed = run_park({"bench", "verify", out + "/results.json"});
  EXPECT_NE(changed.code, 0);
  EXPECT_NE(changed.out.find("files"), std::string::npos) << changed.out << changed.err;
}

}  // namespace distill_command_test
}  // namespace park::cli
