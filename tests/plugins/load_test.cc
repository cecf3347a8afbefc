// What is refused when a plug-in is loaded, each in one line; and what a loaded one offers.
#include "park/plugins/load.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "park/plugins/probe.h"
#include "tests/kit/scratch_folder.h"
#include "tests/plugins/loaded.h"

namespace park::test {
namespace load_test {

using namespace std::chrono_literals;
using Names = std::vector<std::string>;

/// The line that says why the plug-in of that name is refused.
std::string refusal(const std::string& name, std::chrono::milliseconds deadline = 20s) {
  const std::string text = error_of([&] {
    static_cast<void>(plugins::load(PARK_TEST_PLUGINS "/librefused_" + name + ".so", deadline));
  });
  EXPECT_EQ(text.find('\n'), std::string::npos) << text;
  return text;
}

TEST(Load, TellsWhatAPluginOffers) {
  const plugins::Plugin toys = built("toys");
  EXPECT_EQ(toys.name(), "toys");
  EXPECT_EQ(toys.licence(), "MIT");
  EXPECT_EQ(toys.offer().environments, Names{"toy_shop"});
  EXPECT_EQ(toys.offer().systems, Names{"toy_shop_live"});
  EXPECT_EQ(toys.offer().policies, Names{"keen"});
  EXPECT_EQ(toys.offer().importers, Names{"digits import"});
}

TEST(Load, AnotherInterfaceIsRefusedBeforeCodeOfItRuns) {
  EXPECT_EQ(refusal("stranger"), "is of interface 99; this Park knows 1 to 1");
}

TEST(Load, WhatIsNoPluginIsRefused) {
  EXPECT_EQ(refusal("no_entry"), "has no function park_plugin");
  EXPECT_EQ(refusal("nothing"), "refuses this Park without a reason");
  EXPECT_EQ(refusal("refusing"), "refuses: it needs a newer Park");
  const ScratchFolder folder("no-plugin");
  write_text(folder.file("text.so"), "not a library");
  EXPECT_EQ(error_of([&] { static_cast<void>(plugins::load(folder.file("text.so"))); }),
            "is no ELF file");
  EXPECT_EQ(error_of([&] { static_cast<void>(plugins::load(folder.file("missing.so"))); }),
            "No such file or directory");
}

TEST(Load, AnotherProcessorIsRefused) {
  const ScratchFolder folder("another-processor");
  std::string bytes = read_text(PARK_TEST_PLUGINS "/libtoys.so");
  bytes[18] = 0x2a;  // e_machine: SuperH
  bytes[19] = 0;
  write_text(folder.file("other.so"), bytes);
  const std::string text =
      error_of([&] { static_cast<void>(plugins::load(folder.file("other.so"))); });
  EXPECT_NE(text.find("is for another processor"), std::string::npos) << text;
}

TEST(Load, AMissingSymbolIsNamed) {
  const std::string text = refusal("undefined");
  EXPECT_EQ(text, "cannot be loaded: undefined symbol: function_that_nobody_has");
}

TEST(Load, DamagedTablesAreRefused) {
  EXPECT_EQ(refusal("lacking"), "faulty lacks the function destroy");
  EXPECT_EQ(refusal("nameless"),
            "an environment has the name 'two words'; allowed are letters, digits and _");
  EXPECT_NE(refusal("wrong").find("level"), std::string::npos);
  EXPECT_EQ(refusal("contradicting"), "the table of things is not there");
}

TEST(Load, ACrashInASpecIsALine) {
  const std::string text = refusal("crashing");
  EXPECT_TRUE(text.starts_with("crashed in the spec of faulty (signal 6, ")) << text;
  EXPECT_EQ(refusal("leaving"), "ended the process in the spec of faulty (exit code 7)");
}

TEST(Load, AnEndlessSpecIsALine) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(refusal("endless", 1500ms), "took longer than allowed in the spec of faulty");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 20s);
}

TEST(Load, NamesThatAreTakenAddNothing) {
  const plugins::Plugin toys = built("toys");
  Registry registry = registry_of(built("balance"));
  registry.add_policy({.name = "keen", .summary = "another", .reference = "a test"},
                      [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
  EXPECT_EQ(error_of([&] { toys.add_to(registry); }), "the policy 'keen' has a name that is taken");
  EXPECT_EQ(registry.env_names(), Names{"load_balance"});
  EXPECT_EQ(error_of([&] { built("balance").add_to(registry); }),
            "the environment 'load_balance' has a name that is taken");
  command::DataKinds kinds;
  toys.add_to(kinds);
  EXPECT_EQ(error_of([&] { toys.add_to(kinds); }),
            "the kind of data 'digits' has a name that is taken");
}

TEST(Load, AThrowInTheChildIsALine) {
  EXPECT_EQ(error_of([] {
              plugins::probe([](const plugins::Begin&) { throw Error(Errc::io, "one\ntwo"); }, 10s);
            }),
            "one;two");
}

}  // namespace load_test
}  // namespace park::test
