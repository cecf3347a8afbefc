// The policies of data/checkpoints, played: a file that is changed, a layout or an operator that no
// longer is what they were trained with would show here.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "park/core/text.h"
#include "park/runs/manifest.h"
#include "tests/kit/reference_data.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace bundled_checkpoints_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Names = std::vector<std::string>;

const fs::path kRoot = PARK_SOURCE_DIR;

/// How much better each policy is, at least, than the best of all tuned heuristics, in parts of its
/// figure. The one for any setting is judged on the first one of its mixture, where it is about as
/// good. The episodes are the same for all, so that the gain is the same bits on one type of
/// processor. On others the sums of a network round differently, and heuristics that are tuned better
/// leave less. Gains of dag_scheduling hardly change with the number of episodes.
struct Demand {
  double least_gain;
  std::string episodes = "20";  // fewer where each is long
};
const std::map<std::string, Demand> kDemands = {{"abr-cellular", {0.02}},
                                                {"abr-fcc", {0.04}},
                                                {"aqm-mixed", {0.01}},
                                                {"congestion_control-wan", {0.3, "8"}},
                                                {"dag_scheduling-any", {-0.015, "4"}},
                                                {"dag_scheduling-classes", {0.05, "4"}},
                                                {"dag_scheduling-batch-bundled", {0.015, "6"}},
                                                {"dag_scheduling-batch-decima", {0.025, "6"}},
                                                {"dag_scheduling-poisson-decima", {0.09, "3"}},
                                                {"load_balance-default", {0.2}}};

/// Runs park in the root of the repository, where the paths of manifests begin.
Json json_of(Names arguments) {
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << testing::PrintToString(arguments) << '\n' << park.err;
  return park.code == 0 ? Json::parse(park.out) : Json();
}

/// The workload that experiments/dag_scheduling makes of Decima's profiles, where they are.
fs::path decima_workload() {
  const fs::path profiles = test::reference_data("decima-tpch");
  if (!fs::exists(profiles)) return {};
  const fs::path file = scratch_path("decima.park");
  static_cast<void>(json_of({"workload", "import-decima", profiles, "--out", file}));
  return file;
}

/// An environment with the paths of reference data.
struct Playable {
  Value env;
  std::string missing{};  // a file of it that is not here
};

Playable playable(const std::string& text) {
  const auto sets = test::reference_sets();
  const Value all = parse_named(text);
  Playable result{.env = {.kind = all.kind, .text = all.text}};
  for (std::size_t i = 0; i < all.keys.size(); ++i) {
    Value value = all.items[i];
    if (const auto set = sets.find(value.text); set != sets.end())
      value = {.kind = Value::Kind::quoted, .text = set->second};
    const bool path = value.text.find('/') != std::string::npos;
    if (path && fs::path(value.text).filename() == "decima.park")
      value = {.kind = Value::Kind::quoted, .text = decima_workload()};
    if (path && !fs::exists(value.text)) result.missing = all.items[i].text;
    result.env.keys.push_back(all.keys[i]);
    result.env.items.push_back(value);
  }
  return result;
}

double mean_of(const Json& result, const std::string& metric) {
  return result.at("metrics").at(metric).at("mean");
}

class BundledCheckpoints : public testing::Test {
 protected:
  BundledCheckpoints() : before_(fs::current_path()) { fs::current_path(kRoot); }
  ~BundledCheckpoints() override { fs::current_path(before_); }

 private:
  fs::path before_;
};

/// What the quick suite plays of an environment.
Json quick_part(const std::string& env) {
  return Json::parse(read_text("park/envs/" + env + "/quick.suite.json")).at("environments").at(0);
}

/// The baselines of all suites of an environment, whose fields are tuned, and each as it is without.
std::set<std::string> heuristics_of(const std::string& env) {
  std::set<std::string> all;
  const auto take = [&all](const Json& part) {
    for (const std::string text : part.at("baselines"))
      all.insert({text, text.substr(0, text.find('('))});
  };
  for (const auto& file : fs::directory_iterator("park/envs/" + env)) {
    if (!file.path().filename().string().ends_with("suite.json")) continue;
    const Json suite = Json::parse(read_text(file.path()));
    for (const Json& part : suite.at("environments")) take(part);
  }
  return all;
}

/// The first metric of an environment; that of a mixture is "METRIC / HEURISTIC".
std::string metric_of(const runs::Manifest& m) { return m.metric.substr(0, m.metric.find(" / ")); }

/// How much better the first result is than the best of the others, in parts of its figure.
double gain(const Json& results, const runs::Manifest& m, std::string& rival) {
  double best = std::numeric_limits<double>::infinity();
  const double sign = m.lower_is_better ? 1 : -1, own = sign * mean_of(results[0], metric_of(m));
  for (std::size_t i = 1; i < results.size(); ++i)
    if (const double mean = sign * mean_of(results[i], metric_of(m)); mean < best) {
      best = mean;
      rival = results[i].at("policy");
    }
  return (best - own) / std::abs(best);
}

/// Names of the bundled networks.
Names bundled() {
  Names names;
  for (const auto& folder : fs::directory_iterator(kRoot / "data/checkpoints"))
    if (folder.is_directory()) names.push_back(folder.path().filename());
  std::ranges::sort(names);
  return names;
}

class BundledCheckpoint : public BundledCheckpoints,
                          public testing::WithParamInterface<std::string> {};

/// On held-out inputs of what it was validated on it is as much better than the best heuristic as
/// kDemands says.
TEST_P(BundledCheckpoint, BeatsHeuristics) {
  const std::string& name = GetParam();
  ASSERT_TRUE(kDemands.contains(name));
  const Demand& demand = kDemands.at(name);
  const runs::Manifest m =
      runs::parse_manifest(read_text("data/checkpoints/" + name + "/manifest.json"), name);
  const Playable p = playable(m.settings.validation_env());
  if (!p.missing.empty())
    GTEST_SKIP() << "it was trained on data that is not here (docs/data.md): " << p.missing;
  std::string policies = name;
  for (const std::string& text : heuristics_of(p.env.text)) policies += ',' + text;
  const Json played =
      json_of({"run", to_text(p.env), "--policy", policies, "--episodes", demand.episodes})
          .at("results");
  std::string rival;
  const double better = gain(played, m, rival);
  std::printf("%s: %s %.4g, better than %s by %.1f %%\n", name.c_str(), metric_of(m).c_str(),
              mean_of(played[0], metric_of(m)), rival.c_str(), 100 * better);
  EXPECT_GT(better, demand.least_gain);
}

INSTANTIATE_TEST_SUITE_P(All, BundledCheckpoint, testing::ValuesIn(bundled()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

/// The policies of a report's timelines, by the name of the environment.
std::map<std::string, Names> timelines_of(const std::string& report) {
  const std::string begin = "id=\"data\">\n";
  const std::size_t from = report.find(begin) + begin.size();
  const Json data = Json::parse(report.substr(from, report.find("</script>", from) - from));
  std::map<std::string, Names> all;
  for (const Json& timeline : data.at("timelines"))
    for (const Json& one : timeline.at("timelines"))
      all[parse_named(timeline.at("env").get<std::string>()).text].push_back(one.at("policy"));
  return all;
}

/// The quick suite with one episode of each environment, from the folders of these.
Json short_quick_suite() {
  Json suite{{"schema", "park.suite"},  {"version", 1}, {"name", "short"},
             {"summary", "for a test"}, {"seed", 1000}, {"environments", Json::array()}};
  for (const auto& folder : fs::directory_iterator("park/envs")) {
    if (!fs::exists(folder.path() / "quick.suite.json")) continue;
    Json env = quick_part(folder.path().filename());
    env["episodes"] = 1;
    suite["environments"].push_back(env);
  }
  return suite;
}

TEST_F(BundledCheckpoints, ArePlayedAndDrawnByTheQuickSuite) {
  const Json suite = short_quick_suite();
  const std::string file = scratch_path("suite.json"), out = scratch_path("out");
  std::ofstream(file) << suite.dump();
  const Finished park = run_park({"bench", file, "--out", out, "--quiet"});
  ASSERT_EQ(park.code, 0) << park.err;
  const Json results = Json::parse(read_text(out + "/results.json"));
  EXPECT_EQ(results.at("failures").size(), 0u);
  auto drawn = timelines_of(read_text(out + "/report.html"));
  std::size_t checkpoints = 0;
  for (const Json& env : suite.at("environments")) {
    Names played;
    for (const Json& one : results.at("results"))
      if (parse_named(one.at("env").get<std::string>()).text == env.at("env").get<std::string>())
        played.push_back(one.at("policy"));
    for (const std::string policy : env.at("policies")) {
      EXPECT_EQ(std::ranges::count(played, policy), 1) << policy;
      checkpoints += fs::exists("data/checkpoints/" + policy);
    }
    EXPECT_EQ(drawn[env.at("env")], env.at("timeline").get<Names>());
  }
  EXPECT_GT(checkpoints, 0u);
}

}  // namespace bundled_checkpoints_test
}  // namespace park::cli
