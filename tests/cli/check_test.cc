// `park check`: exit codes, the table, the object, and environments that another program serves.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#if PARK_HAS_BRIDGE
#include <memory>
#include <thread>

#include "bridge/server/server.h"
#include "bridge/server/stream_service.h"
#include "tests/check/tank.h"
#endif
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace check_command_test {

using Json = nlohmann::json;

/// The first environment of the list that is simulated.
std::string some_env() {
  const Json list = Json::parse(run_park({"envs", "--json"}).out);
  for (const Json& env : list.at("environments"))
    if (!env.at("traits").at("system").get<bool>()) return env.at("name");
  return "";
}

const Json& property(const Json& checked, const std::string& name) {
  for (const Json& p : checked.at("properties"))
    if (p.at("name") == name) return p;
  throw std::runtime_error("no property " + name);
}

bool is_violated(const Json& p) { return p.at("result") == "violated"; }

TEST(Check, ASoundEnvironmentIsATableAndExit0) {
  const Finished text = run_park({"check", some_env(), "--property", "spec_is_valid,twins_agree"});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_EQ(text.err, "");
  EXPECT_TRUE(text.out.starts_with("property ")) << text.out;
  EXPECT_NE(text.out.find(some_env() + ": 2 properties, 2 ok\n"), std::string::npos) << text.out;
}

TEST(Check, JsonHasThePublishedKeys) {
  const std::string env = some_env();
  const Finished done = run_park({"check", env, "--seed", "3", "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.out;
  const Json json = Json::parse(done.out);
  EXPECT_EQ(json.at("env"), env);
  EXPECT_EQ(json.at("repeat"), "park check '" + env + "' --seed 3");
  ASSERT_GE(json.at("properties").size(), 26u);
  for (const Json& p : json["properties"]) {
    EXPECT_FALSE(p.at("says").get<std::string>().empty()) << p;
    EXPECT_EQ(p.at("result"), "ok") << p;
    EXPECT_TRUE(p.at("violations").empty()) << p;
    EXPECT_EQ(p.at("repeat"), "park check '" + env + "' --property " +
                                  p.at("name").get<std::string>() + " --seed 3");
  }
}

TEST(Check, EveryTwinIsRegisteredAndASystemHoldsWhatItOwes) {
  const Json list = Json::parse(run_park({"envs", "--json"}).out);
  for (const Json& env : list.at("environments")) {
    std::vector<std::string> words{"check", env.at("name"), "--quiet"};
    if (!env.at("traits").at("system").get<bool>())
      words.insert(words.end(), {"--property", "twins_agree"});
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 0) << done.out;
  }
}

TEST(Check, ATextThatIsNotLongViolatesAndExits1) {
  const Finished done = run_park({"check", some_env(), "--long", "--json"});
  EXPECT_EQ(done.code, 1) << done.err;
  const Json json = Json::parse(done.out);
  ASSERT_EQ(json.at("properties").size(), 1u);
  EXPECT_TRUE(is_violated(json["properties"][0])) << json;
}

TEST(Check, BadInputIsNamedAndExits2) {
  const auto refused = [](std::vector<std::string> words, const std::string& text) {
    words.insert(words.begin(), "check");
    const Finished done = run_park(words);
    EXPECT_EQ(done.code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_NE(done.err.find(text), std::string::npos) << done.err;
  };
  refused({}, "ENV: is required");
  refused({"nosuch"}, "no environment 'nosuch'");
  refused({some_env() + "(nosuch=1)"}, "unknown field 'nosuch'");
  refused({some_env() + "("}, "position");
  refused({some_env(), "--property", "no_property"}, "no property 'no_property'");
  refused({some_env(), "--property", "long_runs_allocate_nothing"}, "--long");
  refused({some_env(), "--episodes", "0"}, "--episodes");
}

TEST(Check, HelpHasAnExample) {
  EXPECT_NE(run_park({"check", "--help"}).out.find("example:\n  park check "), std::string::npos);
}

#if PARK_HAS_BRIDGE

/// The environment of another author, served by a program of his own.
class ServedTank {
 public:
  ServedTank()
      : server_({.endpoint = "tcp://127.0.0.1:*", .limits = {}},
                [this] {
                  return std::make_unique<bridge::StreamService>(registry_,
                                                                 bridge::StreamServiceOptions{});
                }),
        thread_([this](const std::stop_token& stop) { server_.run(stop); }) {}
  [[nodiscard]] std::string text(const std::string& env) const {
    return "remote(endpoint=\"" + server_.endpoint() + "\",env=\"" + env + "\")";
  }

 private:
  [[nodiscard]] static Registry tanks() {
    Registry registry;
    registry.add_env<test::Tank>();
    return registry;
  }

  const Registry registry_ = tanks();
  bridge::Server server_;
  std::jthread thread_;
};

TEST(Check, AServedEnvironmentIsPlayedThroughItsStream) {
  const ServedTank served;
  const Finished done = run_park({"check", served.text("tank"), "--json", "--quiet"});
  EXPECT_EQ(done.code, 0) << done.out << done.err;
  const Json json = Json::parse(done.out);
  for (const char* name : {"spec_is_valid", "observations_are_sound", "metrics_are_told",
                           "episodes_end", "every_prefix_completes", "repeats_itself"})
    EXPECT_EQ(property(json, name).at("result"), "ok") << name;
  for (const char* name : {"watching_changes_nothing", "steady_state_allocates_nothing"}) {
    EXPECT_EQ(property(json, name).at("result"), "not applicable") << name;
    EXPECT_FALSE(property(json, name).at("reason").get<std::string>().empty()) << name;
  }
}

TEST(Check, FaultsOfAServedEnvironmentAreToldWithTheirRepetition) {
  const ServedTank served;
  const std::string env = served.text("tank(opens_late=true)");
  const std::string two = "horizon_only_cuts,repeats_itself";
  const Finished text = run_park({"check", env, "--property", two});
  EXPECT_EQ(text.code, 1) << text.err;
  EXPECT_NE(text.out.find("    an episode is not truncated at its horizon\n"), std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("    repeat: park check '"), std::string::npos) << text.out;
  const Json json = Json::parse(run_park({"check", env, "--property", two, "--json"}).out);
  EXPECT_TRUE(is_violated(property(json, "horizon_only_cuts")));
  EXPECT_FALSE(property(json, "horizon_only_cuts").at("violations").empty());
  EXPECT_EQ(property(json, "repeats_itself").at("result"), "ok");
}

TEST(Check, RowsThatNoClientTakesAreViolations) {
  const ServedTank served;
  const Finished done = run_park({"check", served.text("tank(overflows=true)"), "--property",
                                  "observations_are_sound", "--json"});
  EXPECT_EQ(done.code, 1) << done.err;
  const Json found = property(Json::parse(done.out), "observations_are_sound");
  EXPECT_NE(found.at("violations").at(0).get<std::string>().find("level: a value is outside"),
            std::string::npos)
      << found;
}

TEST(Check, AServerThatIsGoneIsNoViolation) {
  std::string env;
  {
    const ServedTank served;
    env = served.text("tank");
  }
  env.insert(env.size() - 1, ",timeout_s=0.2");
  const Finished done = run_park({"check", env});
  EXPECT_EQ(done.code, 2);
  EXPECT_EQ(done.out, "");
  EXPECT_NE(done.err.find("no server answers"), std::string::npos) << done.err;
}

#endif

}  // namespace check_command_test
}  // namespace park::cli
