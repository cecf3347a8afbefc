// Environments of plug-ins: the same bytes as the classes in the tree, the properties that every
// environment owes, and what happens where one breaks a rule.
#include "park/plugins/env.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "park/check/driver.h"
#include "park/check/presets.h"
#include "park/check/properties.h"
#include "park/core/golden.h"
#include "park/envs/envs.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"
#include "tests/plugins/shop/shop.h"

namespace park::test {
namespace plugin_env_test {

const Registry& toys() {
  static const Registry registry = registry_of(built("toys"));
  return registry;
}

const Registry& toys_of_tree() {
  static const Registry registry = [] {
    Registry r;
    r.add_env<ToyShop>();
    r.add_policy<Keen>();
    return r;
  }();
  return registry;
}

const Registry& balance() {
  static const Registry registry = registry_of(built("balance"));
  return registry;
}

const Registry& tree() {
  static const Registry registry = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return registry;
}

/// All episodes of a text by a policy, several at once.
std::map<std::uint64_t, check::Trajectory> played(const Registry& registry, const std::string& env,
                                                  const std::string& policy) {
  const RandomEpisodes source(phase_rng(5, Phase::evaluate), {.count = 6, .mean_horizon_s = 2000});
  const auto stream = registry.stream(env, source, {.slots = 3});
  const auto agent = registry.policy(policy, stream->spec());
  return check::trajectories(*stream, *agent);
}

void expect_same(const Registry& a, const Registry& b, const std::string& env,
                 const std::string& policy) {
  const auto left = played(a, env, policy), right = played(b, env, policy);
  ASSERT_EQ(left.size(), 6u);
  ASSERT_EQ(right.size(), 6u);
  for (const auto& [id, trajectory] : left) {
    EXPECT_EQ(check::difference(a.spec(env), trajectory, right.at(id)), "")
        << env << ", " << policy << ", episode " << id;
    EXPECT_EQ(trajectory.metrics.size(), right.at(id).metrics.size());
  }
}

TEST(PluginEnv, DescribesItselfAsTheClassInTheTree) {
  for (const std::string env : {"toy_shop", "toy_shop(staff=[clerk(rate=2),clerk],mood=busy)"}) {
    const Spec there = toys().spec(env), here = toys_of_tree().spec(env);
    EXPECT_EQ(there.text, here.text);
    EXPECT_EQ(layout_hash(there), layout_hash(here));
    EXPECT_EQ(there.summary, here.summary);
    EXPECT_EQ(there.version, here.version);
    EXPECT_EQ(there.traits.cloneable, here.traits.cloneable);
    ASSERT_EQ(there.metrics.size(), here.metrics.size());
    for (std::size_t i = 0; i < here.metrics.size(); ++i)
      EXPECT_EQ(there.metrics[i].doc, here.metrics[i].doc);
  }
  const auto there = toys().env_fields("toy_shop"), here = toys_of_tree().env_fields("toy_shop");
  ASSERT_EQ(there.size(), here.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(there[i].type, here[i].type);
    EXPECT_EQ(there[i].default_text, here[i].default_text);
    EXPECT_EQ(there[i].fields.size(), here[i].fields.size());
    EXPECT_EQ(there[i].choices, here[i].choices);
  }
}

TEST(PluginEnv, GivesTheBytesOfTheClassInTheTree) {
  expect_same(toys(), toys_of_tree(), "toy_shop", "keen");
  expect_same(toys(), toys_of_tree(), "toy_shop(customers=40,mood=busy)", "keen(first=true)");
  for (const std::string policy : {"shortest_queue", "power_of_d(d=3)", "size_interval"})
    expect_same(balance(), tree(), "load_balance(jobs=200)", policy);
}

TEST(PluginEnv, ReplaysTheGoldenRecordOfItsClass) {
  std::ifstream in(PARK_SOURCE_DIR "/park/envs/load_balance/golden/load_balance.txt");
  const ReplayReport report = replay(in, balance());
  EXPECT_GT(report.decisions, 0u);
  for (const Difference& d : report.differences)
    ADD_FAILURE() << d.line << ": " << d.field << ": " << d.expected << ", now " << d.found;
}

TEST(PluginEnv, TellsTheFilesOfItsInputs) {
  const ScratchFolder folder("plugin-files");
  const auto files = balance().data_files("load_balance(sizes=recorded,recording=\"" +
                                          folder.file("a.csv") + "\")");
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0], folder.file("a.csv"));
  EXPECT_TRUE(balance().data_files("load_balance").empty());
}

TEST(PluginEnv, RefusesFieldsInTheWordsOfTheTree) {
  for (const std::string env :
       {"load_balance(servers=0)", "load_balance(server=3)", "load_balance(servers=3,rates=[1])"}) {
    const auto ask = [&](const Registry& r) {
      return error_of([&] { static_cast<void>(r.spec(env)); });
    };
    EXPECT_EQ(ask(balance()), ask(tree())) << env;
    EXPECT_NE(ask(tree()), "no error") << env;
  }
}

/// Lines about what is violated.
std::string violations(const Registry& registry, const check::Preset& preset) {
  check::Subject subject = check::make_subject(registry, preset);
  subject.knows_systems = false;
  std::string text;
  for (const check::Property& property : check::properties()) {
    if (property.long_runs != preset.is_long) continue;
    const check::Finding found = check::check_property(property, subject);
    if (found.verdict == check::Verdict::violated)
      text +=
          preset.text + ": " + std::string(property.name) + ": " + found.violations.text() + '\n';
  }
  return text;
}

TEST(PluginEnv, OwesWhatEveryEnvironmentOwes) {
  EXPECT_EQ(violations(toys(), {.text = "toy_shop"}), "");
  EXPECT_EQ(violations(balance(), {.text = "load_balance(servers=3,jobs=20)"}), "");
  EXPECT_EQ(violations(balance(), {.text = "load_balance(servers=4,jobs=12000,interval_s=20)",
                                   .is_long = true}),
            "");
  EXPECT_EQ(violations(registry_of(first_plugin()), {.text = "first_jobs"}), "");
}

TEST(PluginEnv, ThrowsWhatItsClassThrows) {
  EXPECT_EQ(error_of([&] { static_cast<void>(played(toys(), "toy_shop(fault=refuses)", "keen")); }),
            "plug-in toys: toy_shop: too much");
}

/// The environment `faulty` of refused/refused.c, with the note of the first interface.
std::string faulty(const std::string& fault, const std::string& kind = "faulty",
                   std::uint32_t slots = 1) {
  const Registry registry =
      registry_of(plugins::load(PARK_TEST_PLUGINS "/librefused_" + kind + ".so"));
  return error_of([&] {
    const RandomEpisodes source(Rng(1), {.count = slots});
    const auto stream = registry.stream("faulty(fault=" + fault + ")", source, {.slots = slots});
    RandomPolicy policy(stream->spec());
    static_cast<void>(check::trajectories(*stream, policy));
  });
}

TEST(PluginEnv, WhatItGivesIsChecked) {
  EXPECT_EQ(faulty("none"), "no error");
  EXPECT_EQ(faulty("fail"), "plug-in refused: faulty: it failed with code 77 and without a text");
  for (const std::string fault : {"reward", "time", "end"})
    EXPECT_NE(faulty(fault).find("allowed are a finite reward, a finite time from 0 on"),
              std::string::npos)
        << fault;
  EXPECT_EQ(faulty("value"), "leaf 'level': allowed are finite numbers");
  EXPECT_NE(faulty("count").find("things"), std::string::npos);
  EXPECT_EQ(faulty("index"), "leaf 'thing.next' = 2: allowed are 0 to 1");
  EXPECT_EQ(faulty("null"), "leaf 'thing.next': its column is NULL");
  EXPECT_EQ(faulty("metrics"), "sum: nothing to add up");
}

/// Whether a stream of several slots steps the environments together.
bool steps_together(const Registry& registry, const std::string& env) {
  const auto make = registry.env_factory(env);
  const auto first = make(), second = make();
  Env* const both[] = {first.get(), second.get()};
  return first->group(both) != nullptr;
}

TEST(PluginEnv, StepsTogetherWhatHasNoGroups) {
  EXPECT_TRUE(steps_together(balance(), "load_balance"));
  EXPECT_FALSE(steps_together(toys(), "toy_shop"));
  EXPECT_FALSE(steps_together(registry_of(first_plugin()), "first_jobs"));
  // Rows of 16 kB: a call has one environment, and three with fewer servers.
  expect_same(balance(), tree(), "load_balance(jobs=60,servers=1100)", "shortest_queue");
  expect_same(balance(), tree(), "load_balance(jobs=60,servers=500)", "shortest_queue");
}

TEST(PluginEnv, WhatItGivesTogetherIsChecked) {
  const auto together = [](const std::string& fault) { return faulty(fault, "together", 5); };
  EXPECT_EQ(together("none"), "no error");
  EXPECT_EQ(together("fail"), "all of them are gone");
  EXPECT_EQ(together("value"), "leaf 'level': allowed are finite numbers");
  for (const std::string fault : {"reward", "time", "end"})
    EXPECT_NE(together(fault).find("allowed are a finite reward, a finite time from 0 on"),
              std::string::npos)
        << fault;
}

}  // namespace plugin_env_test
}  // namespace park::test
