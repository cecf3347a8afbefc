// Files of suites: they are read and written alike, and every mistake in them is named. The bundled
// ones are whole, for this build, and tell how their baselines were tuned.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "park/bench/results_parts.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/envs/bundled_texts.h"
#include "small_suite.h"
#include "tests/kit/scratch_folder.h"

namespace park::bench {
namespace suite_file_test {

/// What parse_suite or resolve says is wrong with a text; empty: nothing.
std::string wrong_with(const std::string& text) {
  try {
    static_cast<void>(resolve(small_registry(), parse_suite(text, "s")));
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

std::string changed(const std::string& what, const std::string& by) {
  std::string text = small_suite_text();
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(SuiteFile, IsReadAndWrittenAlike) {
  const Suite suite = parse_suite(small_suite_text(), "s");
  EXPECT_EQ(suite.environments.at(0).text(), "load_balance(servers=3,jobs=40)");
  EXPECT_EQ(suite.environments[0].all_policies(),
            (std::vector<std::string>{"random", "least_work", "power_of_d(d=3)"}));
  JsonWriter json;
  write_suite(json, suite);
  const std::string text = json.take();
  JsonWriter again;
  write_suite(again, parse_suite(text, "s"));
  EXPECT_EQ(again.take(), text);
}

TEST(SuiteFile, ABoundIsOneOfThePolicies) {
  const std::string text = changed("\"policies\": [\"power_of_d(d=3)\"]",
                                   "\"policies\": [\"power_of_d(d=3)\"], "
                                   "\"bound\": \"power_of_d(d=3)\"");
  const Suite suite = parse_suite(text, "s");
  EXPECT_EQ(suite.environments[0].bound, "power_of_d(d=3)");
  JsonWriter json;
  write_suite(json, suite);
  EXPECT_EQ(parse_suite(json.take(), "s").environments[0].bound, "power_of_d(d=3)");
  const BenchResults results = resolve(small_registry(), suite);
  for (const Entry& entry : results.entries)
    EXPECT_EQ(entry.bound, entry.policy == "power_of_d(d=3)");
  for (const char* other : {"least_work", "power_of_d"})
    EXPECT_EQ(wrong_with(changed("\"episodes\": 11",
                                 std::string("\"episodes\": 11, \"bound\": \"") + other + '"')),
              std::string("s: environments[0].bound: \"") + other + "\" is none of the policies");
  EXPECT_EQ(wrong_with(changed("\"episodes\": 11", "\"episodes\": 11, \"bound\": 1")),
            "s: environments[0].bound: is not a text");
}

TEST(SuiteFile, EveryMistakeIsNamed) {
  EXPECT_EQ(wrong_with(small_suite_text()), "");
  EXPECT_EQ(wrong_with("[]"), "s:1: is no JSON object");
  EXPECT_EQ(wrong_with("{\n\"schema\":\n}").find("s:3: no JSON: "), 0U);
  EXPECT_EQ(wrong_with(changed("park.suite", "park.bench")),
            "s: its schema is \"park.bench\", not \"park.suite\"");
  EXPECT_EQ(wrong_with(changed("\"version\": 1,", "\"version\": 2,")),
            "s: version 2 is newer than 1, which this program reads");
  EXPECT_EQ(wrong_with(changed("\"seed\": 5", "\"seed\": -5")),
            "s.seed: is not a whole number that is not negative");
  EXPECT_EQ(wrong_with(changed("\"episodes\": 11", "\"episode\": 11")),
            "s: environments[0].episodes: is missing; it is a whole number that is not negative\n"
            "s: environments[0].episode: there is no such member\n"
            "s: environments[0].episodes: is 0, not 1 to 10000000");
  EXPECT_EQ(wrong_with(changed("\"episodes\": 11", "\"episodes\": 10000001")),
            "s: environments[0].episodes: is 10000001, not 1 to 10000000");
  EXPECT_EQ(wrong_with(changed("\"servers\": 3", "\"servers\": \"(\""))
                .find("s: environments[0].config.servers: '(': expected a value"),
            0U);
  EXPECT_EQ(wrong_with(changed("\"least_work\"]", "\"random\"]")),
            "s: environments[0]: has \"random\" twice");
  EXPECT_EQ(wrong_with(changed("\"power_of_d(d=3)\"", "\"power_of_d\", \"power_of_d(d=2)\"")),
            "load_balance(servers=3,jobs=40): has the policy power_of_d twice");
  EXPECT_EQ(wrong_with(changed("\"jobs_done\"", "\"jobs_won\"")),
            "load_balance(servers=3,jobs=40): has no metric \"jobs_won\"");
  EXPECT_EQ(wrong_with(changed("\"version\": 1, \"config\"", "\"version\": 7, \"config\"")),
            "load_balance(servers=3,jobs=40): the suite is for version 7 of the environment; this "
            "build has 1");
  EXPECT_NE(wrong_with(changed("\"servers\": 3", "\"servers\": 0")).find("servers"),
            std::string::npos);
  EXPECT_NE(wrong_with(changed("round_robin", "round_robins")).find("round_robin"),
            std::string::npos);
}

/// The small suite, whose baseline of the first environment was tuned.
std::string tuned(const std::string& what, const std::string& by) {
  std::string text = changed("\"random\", \"least_work\"],", R"json("random", "power_of_d(d=4)"],
       "tuning": {"training": {"jobs": 50}, "validation": {"interval_s": 60}, "tuned": [
         {"policy": "power_of_d(d=4)", "command": "park tune load_balance --policy power_of_d",
          "episodes": 200, "tries": 8}]},)json");
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(SuiteFile, SaysHowBaselinesWereTuned) {
  const Suite suite = parse_suite(tuned("", ""), "s");
  const SuiteTuning& tuning = suite.environments.at(0).tuning;
  ASSERT_EQ(tuning.tuned.size(), 1u);
  EXPECT_EQ(tuning.tuned[0].policy, "power_of_d(d=4)");
  EXPECT_EQ(tuning.tuned[0].tries, 8u);
  EXPECT_EQ(tuning.training.at(0), std::pair(std::string("jobs"), std::string("50")));
  JsonWriter json, again;
  write_suite(json, suite);
  const std::string text = json.take();
  write_suite(again, parse_suite(text, "s"));
  EXPECT_EQ(again.take(), text);
  EXPECT_NE(text.find("--policy power_of_d"), std::string::npos);
  EXPECT_NE(text.find("interval_s"), std::string::npos);
}

TEST(SuiteFile, EveryMistakeInItsTuningIsNamed) {
  const std::string front = "s: environments[0].tuning.tuned[0].";
  EXPECT_EQ(wrong_with(tuned("\"policy\": \"power_of_d(d=4)\"", "\"policy\": \"power_of_d\"")),
            front + "policy: \"power_of_d\" is none of the baselines");
  EXPECT_EQ(wrong_with(tuned("\"tries\": 8", "\"tries\": 0")),
            front + "tries: is 0, not 1 to 10000000");
  EXPECT_EQ(wrong_with(tuned("\"tries\": 8", "\"tries\": 8, \"try\": 1")),
            front + "try: there is no such member");
  EXPECT_EQ(wrong_with(tuned("\"jobs\": 50", "\"jobs\": []")),
            "s: environments[0].tuning.training.jobs: is not a number, true, false or a text");
}

TEST(SuiteFile, BundledOnesSayHowEveryBaselineWithFieldsWasTuned) {
  for (const std::string& name : bundled_suites())
    for (const SuiteEnv& env : read_suite(name).environments) {
      SCOPED_TRACE(name + ": " + env.text());
      std::set<std::string> tunable, told;
      for (const std::string& baseline : env.baselines)
        for (const FieldInfo& field : small_registry().policy_fields(parse_text(baseline).text))
          if (!field.tune.empty()) tunable.insert(parse_text(baseline).text);
      for (const TunedBaseline& one : env.tuning.tuned) {
        const std::string policy = parse_text(one.policy).text;
        EXPECT_TRUE(told.insert(policy).second) << policy << " twice";
        EXPECT_TRUE(one.command.starts_with("park tune ")) << one.command;
        EXPECT_NE(one.command.find(" --policy " + policy + " "), std::string::npos) << one.command;
        EXPECT_NE(one.command.find(" --episodes " + std::to_string(one.episodes) + " "),
                  std::string::npos)
            << one.command;
      }
      EXPECT_EQ(told, tunable);
    }
}

TEST(SuiteFile, BundledOnesAreWholeAndForThisBuild) {
  const std::vector<std::string> names = bundled_suites();
  for (const char* name : {"load-balance-v2", "quick-v2"})
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const Suite suite = read_suite(name);
    EXPECT_EQ(suite.name, name);
    for (const SuiteEnv& env : suite.environments) {
      ASSERT_EQ(env.config.size(), small_registry().env_fields(env.name).size());
      for (const FieldInfo& field : small_registry().env_fields(env.name))
        EXPECT_EQ(std::ranges::count(env.config, field.name, [](auto& f) { return f.first; }), 1)
            << env.name << " says every field: " << field.name;
      EXPECT_EQ(env.version, static_cast<std::uint64_t>(small_registry().spec(env.text()).version));
      EXPECT_NE(std::ranges::find(env.baselines, "random"), env.baselines.end());
    }
  }
  EXPECT_THROW(static_cast<void>(read_suite("no-such-suite")), Error);
}

TEST(SuiteFile, ANameWithoutAVersionIsTheNewestOne) {
  EXPECT_EQ(read_suite("quick").name, "quick-v2");
  EXPECT_EQ(read_suite("load-balance").name, "load-balance-v2");
  for (const char* name : {"", "quick-", "quick-v", "load"})
    EXPECT_THROW(static_cast<void>(read_suite(name)), Error) << name;
}

TEST(SuiteFile, ANameOfAReplacedVersionIsTheNewestOne) {
  EXPECT_EQ(read_suite("load-balance-v1").name, "load-balance-v2");
  EXPECT_TRUE(is_replaced_suite("load-balance-v1"));
  for (const char* name : {"load-balance", "load-balance-v2", "load-balance-v3", "load-balance-v0",
                           "load-balance-v1x", "no-such-v1", "-v1", ""})
    EXPECT_FALSE(is_replaced_suite(name)) << name;
  for (const char* name : {"load-balance-v3", "load-balance-v0", "no-such-v1"})
    EXPECT_THROW(static_cast<void>(read_suite(name)), Error) << name;
}

/// What lies in the current folder comes first.
TEST(SuiteFile, AFileWithTheNameOfAReplacedVersionIsThatFile) {
  const test::ScratchFolder folder("suite");
  const std::filesystem::path before = std::filesystem::current_path();
  std::ofstream(folder.file("load-balance-v1")) << small_suite_text();
  std::filesystem::current_path(folder.file(""));
  const bool replaced = is_replaced_suite("load-balance-v1");
  const std::string name = read_suite("load-balance-v1").name;
  std::filesystem::current_path(before);
  EXPECT_FALSE(replaced);
  EXPECT_EQ(name, parse_suite(small_suite_text(), "s").name);
}

TEST(SuiteFile, FilesWithOneNameAreItsPartsInTheOrderOfTheirPositions) {
  std::multimap<std::uint64_t, std::string> parts;
  for (const auto& [file, text] : envs::bundled_suites())
    if (const Suite part = parse_suite(text, std::string(file)); part.name == "quick-v2")
      for (const SuiteEnv& env : part.environments) parts.emplace(part.position, env.text());
  EXPECT_GT(parts.size(), 2u);
  std::vector<std::string> expected, found;
  for (const auto& [position, text] : parts) expected.push_back(text);
  for (const SuiteEnv& env : read_suite("quick-v2").environments) found.push_back(env.text());
  EXPECT_EQ(found, expected);
}

TEST(SuiteFile, TheQuickOneHasEveryEnvironmentThatIsSimulated) {
  const Suite quick = read_suite("quick-v2");
  std::size_t simulated = 0;
  for (const std::string& name : small_registry().env_names()) {
    if (small_registry().spec(name).traits.system) continue;
    ++simulated;
    EXPECT_EQ(std::ranges::count(quick.environments, name, &SuiteEnv::name), 1) << name;
  }
  EXPECT_EQ(quick.environments.size(), simulated);
}

}  // namespace suite_file_test
}  // namespace park::bench
