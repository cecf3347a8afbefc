// The contract of the command line: names, flags, JSON, exit codes; run on the binary itself.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "tests/kit/subprocess.h"

namespace park::cli {
namespace command_test {

using Json = nlohmann::json;

constexpr const char* kSmall = "load_balance(servers=3,jobs=50)";

Json json_of(const std::vector<std::string>& arguments) {
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  EXPECT_EQ(park.err, "");
  return Json::parse(park.out);
}

/// Exit code 2, nothing on stdout, at most ten lines on stderr that contain these texts.
void expect_bad(const std::vector<std::string>& arguments, const std::vector<std::string>& texts) {
  const Finished park = run_park(arguments);
  SCOPED_TRACE(testing::PrintToString(arguments) + '\n' + park.err);
  EXPECT_EQ(park.code, 2);
  EXPECT_EQ(park.out, "");
  const auto lines = std::ranges::count(park.err, '\n');
  EXPECT_GE(lines, 1);
  EXPECT_LE(lines, 10);
  for (const std::string& text : texts) EXPECT_NE(park.err.find(text), std::string::npos) << text;
}

TEST(Version, TellsCommitCompilerAndModules) {
  const Finished park = run_park({"--version"});
  EXPECT_EQ(park.code, 0);
  EXPECT_TRUE(park.out.starts_with("park "));
  for (const char* word : {"commit", "compiler", "modules"})
    EXPECT_NE(park.out.find(word), std::string::npos);
  const Json json = json_of({"--version", "--json"});
  EXPECT_FALSE(json.at("commit").get<std::string>().empty());
  EXPECT_GE(json.at("modules").size(), 4u);
}

TEST(Version, TellsWhatTheBuildContains) {
  const Json json = json_of({"--version", "--json"});
  EXPECT_EQ(json.at("environments"), json_of({"envs", "--json"}).at("environments").size());
  // Of processors: every one for x86-64 has it, and so has every 64-bit Arm.
  const auto sets = json.at("instruction_sets").get<std::vector<std::string>>();
  EXPECT_TRUE(std::ranges::any_of(sets, [](auto& s) { return s == "sse2" || s == "neon"; }));
  // Versions are numbers and dots; what is not in it is null.
  const auto expect_version = [&](const char* name, bool there) {
    const Json& version = json.at(name);
    ASSERT_EQ(version.is_string(), there) << name;
    EXPECT_NE(version.is_null(), there) << name;
    if (!there) return;
    const auto text = version.get<std::string>();
    EXPECT_NE(text.find('.'), std::string::npos) << name;
    EXPECT_EQ(text.find_first_not_of("0123456789."), std::string::npos) << name << ' ' << text;
    EXPECT_NE(run_park({"--version"}).out.find(text), std::string::npos) << name;
  };
  // The tier quick leaves the module of networks unbuilt.
  const auto module =
      std::filesystem::path(PARK_BINARY).parent_path() / "../lib/libpark_agents_module.so";
  expect_version("libtorch", PARK_HAS_AGENTS == 1 && std::filesystem::exists(module));
  expect_version("capnproto", PARK_HAS_BRIDGE == 1);
  expect_version("zeromq", PARK_HAS_BRIDGE == 1);
}

TEST(Help, EveryCommandHasOneWithAnExample) {
  const std::vector<std::vector<std::string>> commands{{},
                                                       {"envs"},
                                                       {"describe"},
                                                       {"check"},
                                                       {"run"},
                                                       {"tune"},
                                                       {"train"},
                                                       {"record"},
                                                       {"replay"},
                                                       {"workload"},
                                                       {"workload", "import-spark"},
                                                       {"workload", "import-decima"},
                                                       {"workload", "merge"},
                                                       {"workload", "describe"}};
  for (std::vector<std::string> arguments : commands) {
    arguments.push_back("--help");
    const Finished park = run_park(arguments);
    SCOPED_TRACE(park.out + park.err);
    EXPECT_EQ(park.code, 0);
    EXPECT_EQ(park.err, "");
    EXPECT_NE(park.out.find("example:\n  park "), std::string::npos);
    std::istringstream lines(park.out);
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  }
}

#if !PARK_HAS_AGENTS
TEST(Train, IsNotAvailableWithoutLibTorch) {
  const std::string out = scratch_path("run");
  const Finished park = run_park({"train", "load_balance", "--out", out});
  EXPECT_EQ(park.code, 1);
  EXPECT_EQ(park.out, "");
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 1) << park.err;
  EXPECT_TRUE(
      park.err.starts_with("error: the training of networks is not available: there is no "))
      << park.err;
  EXPECT_FALSE(std::filesystem::exists(out));
}
#endif

TEST(Envs, ListsEveryEnvironment) {
  const Json json = json_of({"envs", "--json"});
  ASSERT_FALSE(json.at("environments").empty());
  std::vector<std::string> names;
  for (const Json& env : json["environments"]) {
    names.push_back(env.at("name"));
    ASSERT_FALSE(env.contains("unavailable")) << env;
    EXPECT_FALSE(env.at("summary").get<std::string>().empty());
    EXPECT_TRUE(env.contains("twin"));
    EXPECT_TRUE(env.at("traits").at("replayable").is_boolean());
  }
  EXPECT_NE(std::ranges::find(names, "load_balance"), names.end());
  const Finished text = run_park({"envs"});
  for (const std::string& name : names) EXPECT_NE(text.out.find(name), std::string::npos);
}

/// However many fields a policy has.
TEST(Describe, MeaningsOfPoliciesHaveRoom) {
  const Json list = json_of({"envs", "--json"});
  for (const Json& env : list.at("environments")) {
    const std::string out = run_park({"describe", env.at("name")}).out;
    const std::size_t line = out.find("\n  policy ");
    ASSERT_NE(line, std::string::npos) << env.at("name");
    EXPECT_LT(out.find("meaning", line) - line, 90U) << env.at("name");
  }
}

TEST(Describe, JsonHasThePublishedKeys) {
  const Json list = json_of({"envs", "--json"});
  ASSERT_FALSE(list.at("environments").empty());
  for (const Json& env : list["environments"]) {
    const Json json = json_of({"describe", env.at("name"), "--json"});
    EXPECT_EQ(json.at("name"), env.at("name"));
    EXPECT_TRUE(json.at("version").is_number_integer());
    EXPECT_EQ(json.at("layout_hash").get<std::string>().size(), 16u);
    EXPECT_FALSE(json.at("observation").at("leaves").empty());
    EXPECT_FALSE(json.at("action").at("leaves").empty());
    EXPECT_TRUE(json.at("info").is_array());
    EXPECT_FALSE(json.at("config").empty());
    EXPECT_FALSE(json.at("metrics").empty());
    EXPECT_TRUE(json.at("traits").is_object());
    const std::vector<std::string> policies = json.at("policies");
    EXPECT_NE(std::ranges::find(policies, "random"), policies.end());
  }
}

TEST(Describe, LayoutIgnoresCapacitiesButNotHeads) {
  const auto layout = [](const std::string& env) {
    return json_of({"describe", env, "--json"}).at("layout_hash").get<std::string>();
  };
  EXPECT_EQ(layout("load_balance(jobs=5)"), layout("load_balance"));
  EXPECT_NE(layout("load_balance(servers=4)"), layout("load_balance"));
}

TEST(Describe, TextAndMarkdownShowEveryFieldAndMetric) {
  const Json json = json_of({"describe", "load_balance", "--json"});
  for (const char* form : {"--quiet", "--markdown"}) {
    const Finished park = run_park({"describe", "load_balance", form});
    EXPECT_EQ(park.code, 0);
    for (const Json& field : json.at("config"))
      EXPECT_NE(park.out.find(field.at("name").get<std::string>()), std::string::npos);
    for (const Json& metric : json.at("metrics"))
      EXPECT_NE(park.out.find(metric.at("name").get<std::string>()), std::string::npos);
  }
}

TEST(Run, JsonHasOneResultPerPolicyInOrder) {
  const Json json = json_of({"run", kSmall, "--policy", "random,power_of_d(d=2),power_of_d(d=3)",
                             "--episodes", "4", "--seed", "7", "--json"});
  ASSERT_EQ(json.size(), 1u);
  const Json& results = json.at("results");
  ASSERT_EQ(results.size(), 3u);
  EXPECT_EQ(results[0].at("policy"), "random");
  EXPECT_EQ(results[1].at("policy"), "power_of_d");  // canonical: 2 is the default
  EXPECT_EQ(results[2].at("policy"), "power_of_d(d=3)");
  for (const Json& one : results) {
    EXPECT_EQ(one.size(), 9u);
    EXPECT_EQ(one.at("env"), kSmall);
    EXPECT_EQ(one.at("seed"), 7);
    EXPECT_EQ(one.at("episodes"), 4);
    EXPECT_EQ(one.at("decisions"), 4 * 50);
    EXPECT_TRUE(one.at("wall_s").is_number());
    EXPECT_TRUE(one.at("metrics").contains("reward"));
    EXPECT_EQ(one.at("metrics").size(), one.at("per_episode").size());
    for (const auto& [name, metric] : one.at("metrics").items()) {
      EXPECT_EQ(metric.size(), 5u) << name;
      EXPECT_EQ(one.at("per_episode").at(name).size(), 4u) << name;
      EXPECT_EQ(metric.at("ci95").size(), 2u) << name;
      EXPECT_TRUE(metric.at("better") == "lower" || metric.at("better") == "higher") << name;
    }
  }
}

Json without_times(Json json) {
  for (Json& result : json.at("results")) result.erase("wall_s");
  return json;
}

TEST(Run, SameSeedSameResultsForAnyWorkersAndCompany) {
  const auto play = [](const std::string& policies, const std::string& episodes,
                       const std::string& workers, const std::string& seed) {
    return without_times(json_of({"run", kSmall, "--policy", policies, "--episodes", episodes,
                                  "--workers", workers, "--seed", seed, "--json"}));
  };
  const Json once = play("random,shortest_queue", "40", "0", "1");
  EXPECT_EQ(play("random,shortest_queue", "40", "0", "1"), once);
  EXPECT_EQ(play("random,shortest_queue", "40", "3", "1"), once);
  EXPECT_EQ(play("shortest_queue", "40", "2", "1").at("results")[0], once["results"][1]);
  EXPECT_NE(play("random,shortest_queue", "40", "0", "2"), once);

  // Fewer episodes are the first ones.
  const Json some = play("random", "3", "0", "1");
  const std::vector<double> all = once["results"][0]["per_episode"]["avg_response_s"];
  const std::vector<double> few = some["results"][0]["per_episode"]["avg_response_s"];
  EXPECT_EQ(few, std::vector<double>(all.begin(), all.begin() + 3));
}

TEST(Run, StatisticsAreThoseOfTheEpisodes) {
  const Json json = json_of({"run", kSmall, "--policy", "random", "--episodes", "2", "--json"});
  const Json& one = json.at("results")[0];
  const std::vector<double> values = one.at("per_episode").at("avg_response_s");
  const Json& metric = one.at("metrics").at("avg_response_s");
  const double mean = (values[0] + values[1]) / 2;
  const double half = 12.706204736 * std::abs(values[0] - values[1]) / 2;
  EXPECT_NEAR(metric.at("mean"), mean, 1e-9 * mean);
  EXPECT_NEAR(metric.at("sd"), std::abs(values[0] - values[1]) / std::sqrt(2.0), 1e-9 * mean);
  EXPECT_NEAR(metric.at("ci95")[0], mean - half, 1e-7 * mean);
  EXPECT_NEAR(metric.at("ci95")[1], mean + half, 1e-7 * mean);
}

TEST(Run, OneEpisodeHasNoSpread) {
  const Json json = json_of({"run", kSmall, "--policy", "random", "--episodes", "1", "--json"});
  const Json& metric = json.at("results")[0].at("metrics").at("avg_response_s");
  EXPECT_TRUE(metric.at("mean").is_number());
  EXPECT_TRUE(metric.at("sd").is_null());
  EXPECT_EQ(metric.at("ci95"), Json::array({nullptr, nullptr}));
}

TEST(Run, TextIsATable) {
  const Finished park =
      run_park({"run", kSmall, "--policy", "random,shortest_queue", "--episodes", "5"});
  EXPECT_EQ(park.code, 0);
  for (const char* word : {"avg_response_s [s], lower is better", "95 % interval", "difference",
                           "random", "shortest_queue", "5 episodes, seed 1, paired"})
    EXPECT_NE(park.out.find(word), std::string::npos) << word << '\n' << park.out;
}

TEST(Run, SaveWritesTheResultsAndNeverReplaces) {
  const std::string path = scratch_path("results.json");
  const std::vector<std::string> command{"run",        kSmall, "--policy", "random",
                                         "--episodes", "2",    "--save",   path};
  ASSERT_EQ(run_park(command).code, 0);
  const std::string text = read_text(path);
  const Json saved = Json::parse(text);
  EXPECT_EQ(saved.at("schema"), "park.results");
  EXPECT_EQ(saved.at("version"), 1);
  EXPECT_EQ(saved.at("results").size(), 1u);
  expect_bad(command, {"--save", path, "--overwrite"});
  EXPECT_EQ(read_text(path), text);

  std::vector<std::string> again = command;
  again.push_back("--overwrite");
  EXPECT_EQ(run_park(again).code, 0);
  const auto folder = std::filesystem::path(path).parent_path();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(Run, TimelineShowsTheFirstEpisodeAndChangesNoResult) {
  const std::string path = scratch_path("timeline.json");
  const std::vector<std::string> plain{"run",        kSmall, "--policy", "random,shortest_queue",
                                       "--episodes", "3",    "--json"};
  std::vector<std::string> with = plain;
  with.insert(with.end(), {"--timeline", path});
  EXPECT_EQ(without_times(json_of(with)), without_times(json_of(plain)));
  const Json timeline = Json::parse(read_text(path));
  EXPECT_EQ(timeline.at("schema"), "park.timeline");
  EXPECT_EQ(timeline.at("version"), 2);
  const Json results = json_of(plain).at("results");
  ASSERT_EQ(timeline.at("timelines").size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const Json& one = timeline["timelines"][i];
    EXPECT_EQ(one.at("episode"), 0);
    EXPECT_EQ(one.at("episodes"), 3);
    const Json whats = one.at("whats");
    const auto arrivals = std::ranges::count_if(one.at("points").at("what"), [&](const Json& what) {
      return whats.at(what.get<std::size_t>()) == "arrival";
    });
    EXPECT_EQ(arrivals, 50);
    for (const Json& metric : timeline.at("metrics")) {
      const std::string name = metric.at("name");
      EXPECT_EQ(one.at("metrics").at(name), results[i].at("per_episode").at(name)[0]);
      EXPECT_EQ(one.at("means").at(name), results[i].at("metrics").at(name).at("mean"));
    }
  }
}

TEST(Run, TheNameOfTheTimelineDecidesItsForm) {
  for (const std::string ending : {".html", ".json", ".trace.json"}) {
    const std::string path = scratch_path("form" + ending);
    EXPECT_EQ(
        run_park({"run", kSmall, "--policy", "random", "--episodes", "1", "--timeline", path}).code,
        0);
    const std::string text = read_text(path);
    if (ending == ".html") {
      EXPECT_TRUE(text.starts_with("<!doctype html>"));
    } else {
      EXPECT_TRUE(Json::parse(text).contains(ending == ".json" ? "timelines" : "traceEvents"));
    }
  }
}

TEST(Workload, DescribeWritesAPage) {
  const std::string path = scratch_path("page.html");
  const std::vector<std::string> command{"workload", "describe", "bundled", "--html", path};
  EXPECT_EQ(run_park(command).code, 0);
  EXPECT_TRUE(read_text(path).starts_with("<!doctype html>"));
  expect_bad(command, {"--html", "--overwrite"});
}

TEST(Tune, FindsTheBestOfTheGridOnTrainingInputs) {
  const Json json = json_of({"tune", "load_balance(servers=10,jobs=100)", "--policy", "power_of_d",
                             "--episodes", "10", "--json"});
  EXPECT_EQ(json.at("phase"), "train");
  EXPECT_EQ(json.at("strategy"), "grid");
  EXPECT_EQ(json.at("finished"), true);
  const Json& tried = json.at("tried");
  ASSERT_GE(tried.size(), 2u);
  const auto best = std::ranges::min_element(
      tried, {}, [](const Json& trial) { return trial.at("mean").get<double>(); });
  EXPECT_EQ(json.at("best"), best->at("policy"));
  EXPECT_EQ(tried[0].at("difference").at("mean"), 0);

  // The same policy and seed, other episodes: evaluation inputs never meet training inputs.
  const Json run = json_of({"run", "load_balance(servers=10,jobs=100)", "--policy", "power_of_d",
                            "--episodes", "10", "--json"});
  EXPECT_NE(run.at("results")[0].at("metrics").at("avg_response_s").at("mean"),
            tried[0].at("mean"));
}

TEST(Tune, BudgetEndsIt) {
  const Json json = json_of({"tune", kSmall, "--policy", "power_of_d", "--episodes", "2",
                             "--budget-evals", "3", "--json"});
  EXPECT_EQ(json.at("tried").size(), 3u);
  EXPECT_EQ(json.at("finished"), false);
}

TEST(Tune, AGridMayBeGivenAndItsBorderIsTold) {
  const std::vector<std::string> command{"tune",       "load_balance(servers=10,jobs=100)",
                                         "--policy",   "power_of_d",
                                         "--episodes", "5",
                                         "--grid",     "d=1|2|3"};
  auto words = command;
  words.emplace_back("--json");
  const Json json = json_of(words);
  EXPECT_EQ(json.at("fields").at("d"), (Json{"1", "2", "3"}));
  EXPECT_EQ(json.at("best"), "power_of_d(d=3)");
  EXPECT_EQ(json.at("border"), Json{"d"});
  EXPECT_EQ(json.at("tries"), 3);
  EXPECT_EQ(json.at("episodes"), 5);
  EXPECT_NE(run_park(command).out.find("The best d is the end of its grid"), std::string::npos);
}

TEST(Tune, SeveralDescentsSpendTheBudget) {
  const Json json = json_of({"tune", kSmall, "--policy", "power_of_d", "--episodes", "2", "--grid",
                             "d=1:9:1", "--search", "descent", "--budget-evals", "7", "--json"});
  EXPECT_EQ(json.at("strategy"), "coordinate_descent");
  EXPECT_EQ(json.at("tries"), 7);
}

TEST(RecordAndReplay, RepeatsAndNoticesChanges) {
  const std::string path = scratch_path("lb.record");
  const Finished written = run_park({"record", kSmall, "--policy", "random", "--episode", "2",
                                     "--decisions", "10", "--out", path});
  ASSERT_EQ(written.code, 0) << written.err;
  const Json same = json_of({"replay", path, "--json"});
  EXPECT_EQ(same.at("replays")[0].at("same"), true);
  EXPECT_EQ(same.at("replays")[0].at("decisions"), 10);
  expect_bad({"record", kSmall, "--policy", "random", "--out", path}, {"--out", "--overwrite"});

  std::string text = read_text(path);
  const std::size_t at = text.find("outcome reward=");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + std::string("outcome reward=-").size(), "9");
  std::ofstream(path) << text;
  const Finished changed = run_park({"replay", path});
  EXPECT_EQ(changed.code, 1) << changed.out << changed.err;
  EXPECT_NE(changed.out.find("not the same"), std::string::npos);
  EXPECT_NE(changed.out.find("reward"), std::string::npos);
}

TEST(BadInput, NamesTheFieldAndWhatIsAllowed) {
  expect_bad({}, {"command", "run"});
  expect_bad({"nosuch"}, {"nosuch", "describe"});
  expect_bad({"workload"}, {"import-spark"});
  expect_bad({"workload", "nosuch"}, {"nosuch", "merge"});
  expect_bad({"run"}, {"ENV: is required", "--policy: is required"});
  expect_bad({"run", kSmall, "--policy"}, {"--policy"});
  expect_bad({"run", kSmall, "--policy", ""}, {"--policy: must not be empty"});
  expect_bad({"run", kSmall, "--policy", "random,"}, {"--policy"});
  expect_bad({"run", kSmall, "--policy", "random", "--nosuch"}, {"--nosuch"});
  expect_bad({"run", kSmall, "more", "--policy", "random"}, {"more"});
  expect_bad({"run", "load_balanc", "--policy", "random"}, {"load_balanc'", "load_balance"});
  expect_bad({"run", kSmall, "--policy", "shortest_que"}, {"shortest_queue", "random"});
  expect_bad({"run", kSmall, "--policy", "random", "--episodes", "0"}, {"--episodes", "1 to"});
  expect_bad({"run", kSmall, "--policy", "random", "--episodes", "1e3"}, {"--episodes"});
  expect_bad({"run", kSmall, "--policy", "random", "--seed", "-1"}, {"--seed"});
  expect_bad({"run", kSmall, "--policy", "random", "--workers", "9999"}, {"--workers", "256"});
  expect_bad({"run", kSmall, "--policy", "random", "--log-level", "loud"},
             {"--log-level", "debug"});
  expect_bad({"run", "load_balance(servers=0)", "--policy", "random"}, {"servers", "[1,"});
  expect_bad({"run", "load_balance(server=2)", "--policy", "random"}, {"server'", "servers"});
  expect_bad({"run", "load_balance(servers=2", "--policy", "random"}, {"ENV", "position"});
  expect_bad({"run", "load_balance(servers=2))", "--policy", "random"}, {"ENV", "position"});
  expect_bad({"run", kSmall, "--policy", "power_of_d(d=0)"}, {"d = 0"});
  expect_bad({"run", kSmall, "--policy", "random,power_of_d(d=0)"},
             {"--policy power_of_d(d=0): d"});
  expect_bad({"run", kSmall, "--policy", "random", "--seed", "1", "--seed", "2"}, {"--seed"});
  expect_bad({"describe", "nosuch"}, {"nosuch", "load_balance"});
  expect_bad({"describe", "load_balance", "--json", "--markdown"}, {"--markdown"});
  expect_bad({"tune", kSmall, "--policy", "random"}, {"no field to tune"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--metric", "speed"}, {"avg_response_s"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--fields", "x"}, {"--fields", "d"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--grid", "d"}, {"--grid", "FIELD=VALUES"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--grid", "d=a|b"}, {"--grid d", "a"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--grid", "e=1|2"},
             {"--grid", "\"e\"", "d"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--grid", "d=3:1:1"},
             {"--grid d", "low:high:step"});
  expect_bad({"tune", kSmall, "--policy", "power_of_d", "--grid", "d=1|2", "--grid", "d=3|4"},
             {"--grid", "twice"});
  expect_bad({"tune", kSmall, "--policy", "random,power_of_d"}, {"--policy"});
}

TEST(BadInput, SaysWhereAnUnknownNameMayComeFrom) {
  expect_bad({"run", "nosuch", "--policy", "random"}, {"a plug-in needs --plugin FILE"});
  expect_bad({"run", "load_balance", "--policy", "nosuch"}, {"random", "a run's folder"});
  expect_bad({"run", "load_balance", "--policy", "random", "--episode", "1"},
             {"did you mean '--episodes'? see park run --help"});
  expect_bad({"run", "load_balance", "--policy", "load_balance-defaul"},
             {"did you mean 'load_balance-default'?"});
}

TEST(BadInput, ReportsEverythingAtOnceAndAtMostTenLines) {
  expect_bad({"run", "nosuch", "--policy", "nope", "--episodes", "0", "--seed", "x"},
             {"nosuch", "nope", "--episodes", "--seed"});
  std::string fields;
  for (int i = 0; i < 20; ++i)
    fields += (i > 0 ? "," : "") + std::string("x") + std::to_string(i) + "=1";
  const Finished park = run_park({"run", "load_balance(" + fields + ")", "--policy", "random"});
  EXPECT_EQ(park.code, 2);
  EXPECT_EQ(std::ranges::count(park.err, '\n'), 10);
  EXPECT_NE(park.err.find("and 11 more"), std::string::npos) << park.err;
}

TEST(BadInput, Files) {
  const std::string missing = scratch_path("missing");
  const std::string garbage = scratch_path("garbage");
  std::ofstream(garbage) << "this is no such file\n";
  expect_bad({"replay", missing}, {missing});
  expect_bad({"replay", garbage, missing}, {garbage, missing});
  expect_bad({"run", kSmall, "--policy", "random", "--save", missing + "/x.json"}, {"--save"});
  expect_bad({"run", kSmall, "--policy", "random", "--save", "/"}, {"--save"});
  expect_bad({"run", kSmall, "--policy", "random", "--timeline", missing + ".png"},
             {"--timeline", ".html, .json or .trace.json"});
  expect_bad({"workload", "describe", missing}, {missing});
  expect_bad({"workload", "describe", garbage}, {garbage});
  expect_bad({"workload", "describe", "bundled", "--html", missing + ".pdf"}, {"--html", ".html"});
  expect_bad({"workload", "merge", garbage, "--out", missing}, {garbage});
  expect_bad({"workload", "import-spark", garbage, "--out", missing}, {garbage});
  expect_bad({"workload", "import-spark", garbage}, {"--out: is required"});
  expect_bad({"workload", "import-decima", missing, "--out", missing}, {missing});
  expect_bad({"workload", "import-decima", missing, "--out", garbage}, {"--out", "--overwrite"});
  EXPECT_FALSE(std::filesystem::exists(missing));
}

TEST(BadInput, Workloads) {
  const std::string missing = scratch_path("missing");
  const std::string garbage = scratch_path("garbage");
  std::ofstream(garbage) << "PARKWORK, but not really\n";
  for (const std::string& file : {missing, garbage}) {
    const std::string env = "dag_scheduling(workload=" + file + ")";
    expect_bad({"describe", env, "--json"}, {"ENV", file});
    expect_bad({"run", env, "--policy", "fifo", "--episodes", "0"}, {"ENV", file, "--episodes"});
  }
}

TEST(Workload, ImportMergeDescribe) {
  const std::string log = std::string(PARK_SOURCE_DIR) + "/tests/data/spark/1g-6.log.gz";
  const std::string one = scratch_path("one.park"), both = scratch_path("both.park");
  const std::vector<std::string> import{"workload",     "import-spark", log,     "--exclude",
                                        "setup,warmup", "--name",       "trial", "--inflation",
                                        "none",         "--out",        one,     "--json"};
  const Json made = json_of(import);
  EXPECT_EQ(made.at("out"), one);
  EXPECT_GT(made.at("report").at("executions"), 0);
  EXPECT_EQ(made.at("workload").at("name"), "trial");
  EXPECT_EQ(made.at("workload").at("inflation"), false);
  EXPECT_EQ(made.at("workload").at("jobs"), made.at("workload").at("per_job").size());
  expect_bad(import, {"--out", one, "--overwrite"});

  Json described = json_of({"workload", "describe", one, "--json"});
  described.at("workload")["memory_bytes"] = made.at("workload").at("memory_bytes");  // spare room
  EXPECT_EQ(described.at("workload"), made.at("workload"));
  const Json merged =
      json_of({"workload", "merge", one, one, "--name", "twice", "--out", both, "--json"});
  EXPECT_EQ(merged.at("workload").at("jobs"), made.at("workload").at("jobs"));
  EXPECT_EQ(merged.at("workload").at("total").at("samples"),
            2 * made.at("workload").at("total").at("samples").get<int>());
  const Finished text = run_park({"workload", "describe", both});
  EXPECT_NE(text.out.find("workload twice"), std::string::npos) << text.out;

  const Json run = json_of({"run", "dag_scheduling(executors=4,jobs=2,workload=" + one + ")",
                            "--policy", "fifo", "--episodes", "1", "--json"});
  EXPECT_EQ(run.at("results")[0].at("metrics").at("jobs_done").at("mean"), 2);
}

TEST(Streams, QuietAndJsonKeepStderrEmpty) {
  const Finished park =
      run_park({"run", kSmall, "--policy", "random", "--episodes", "2", "--quiet"});
  EXPECT_EQ(park.err, "");
  const Finished debug =
      run_park({"run", kSmall, "--policy", "random", "--episodes", "2", "--log-level", "debug"});
  EXPECT_NE(debug.err.find("debug: playing random"), std::string::npos);
  EXPECT_EQ(debug.out.find("debug"), std::string::npos);
}

/// Interrupts a run that would take hours, once it plays; waits longer if it had no time at all.
Finished interrupted_run(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--episodes", "10000000", "--log-level", "debug"});
  for (int wait_ms = 300;; wait_ms *= 4) {
    Subprocess park(arguments);
    EXPECT_TRUE(park.wait_for_error_text("debug: playing"));
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    park.signal(SIGINT);
    Finished finished = park.finish();
    if (finished.out.find("per_episode") != std::string::npos || wait_ms > 20000) return finished;
  }
}

TEST(Interrupt, KeepsWhatIsFinished) {
  const std::string path = scratch_path("part.json");
  const Finished park = interrupted_run({"run", kSmall, "--policy", "random,shortest_queue",
                                         "--json", "--save", path, "--overwrite"});
  EXPECT_EQ(park.code, 130);
  const Json json = Json::parse(park.out);
  EXPECT_EQ(json.at("interrupted"), true);
  ASSERT_EQ(json.at("results").size(), 1u);  // the second policy had not begun
  const Json& one = json["results"][0];
  const std::size_t episodes = one.at("episodes");
  EXPECT_GT(episodes, 0u);
  EXPECT_EQ(one.at("per_episode").at("avg_response_s").size(), episodes);
  EXPECT_EQ(one.at("episode_ids").size(), episodes);
  EXPECT_EQ(Json::parse(read_text(path)).at("results"), json.at("results"));

  // What was kept is what a whole run gives.
  const Json whole = json_of({"run", kSmall, "--policy", "random", "--episodes", "1", "--json"});
  ASSERT_EQ(one.at("episode_ids")[0], 0);
  EXPECT_EQ(one["per_episode"]["avg_response_s"][0],
            whole.at("results")[0].at("per_episode").at("avg_response_s")[0]);
}

TEST(Interrupt, EndsTuning) {
  Subprocess park({"tune", kSmall, "--policy", "power_of_d", "--episodes", "1000000", "--json",
                   "--log-level", "debug"});
  ASSERT_TRUE(park.wait_for_error_text("debug: trying"));
  park.signal(SIGINT);
  const Finished finished = park.finish();
  EXPECT_EQ(finished.code, 130);
  EXPECT_EQ(Json::parse(finished.out).at("finished"), false);
}

/// The cases are solved at once, and the second policy plays for seconds.
TEST(Interrupt, LeavesTheOptimumWithThePoliciesThatPlayedAllCases) {
  const std::string slow = "lookahead(base=fair,futures=16,candidates=8)";
  std::vector<std::string> optimum{"optimum",
                                   "dag_scheduling(executors=2,jobs=2)",
                                   "--only-orders",
                                   "--policy",
                                   "fifo," + slow + ",fair",
                                   "--log-level",
                                   "debug"};
  for (const bool json : {false, true}) {
    if (json) optimum.push_back("--json");
    Subprocess park(optimum);
    ASSERT_TRUE(park.wait_for_error_text("debug: playing lookahead"));
    park.signal(SIGINT);
    const Finished finished = park.finish();
    EXPECT_EQ(finished.code, 130) << finished.err;
    EXPECT_NE(finished.out.find("fifo"), std::string::npos) << finished.out;
    EXPECT_EQ(finished.out.find("lookahead"), std::string::npos) << finished.out;
    if (!json) continue;
    const Json left = Json::parse(finished.out);
    EXPECT_EQ(left.at("policies").size(), 1u);
    for (const Json& one : left.at("cases")) EXPECT_EQ(one.at("rewards").size(), 1u);
  }
}

}  // namespace command_test
}  // namespace park::cli
