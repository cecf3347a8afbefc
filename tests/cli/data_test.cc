// `park data`, of whatever kinds the environments of this build contribute, and how commands are
// found.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/frame/commands.h"
#include "park/command/data_kinds.h"
#include "park/envs/envs.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace data_test {

using Json = nlohmann::json;

Json json_of(const std::vector<std::string>& arguments) {
  const Finished park = run_park(arguments);
  EXPECT_EQ(park.code, 0) << park.err;
  return Json::parse(park.out);
}

TEST(DataCommand, ListsTheKindsOfEnvironmentsThatExist) {
  std::set<std::string> environments;
  const Json all = json_of({"envs", "--json"});
  for (const Json& env : all.at("environments")) environments.insert(env.at("name"));
  const Finished table = run_park({"data"});
  EXPECT_EQ(table.code, 0) << table.err;
  const Json kinds = json_of({"data", "--json"}).at("kinds");
  EXPECT_EQ(kinds.size(), envs::data_kinds().all().size());
  for (const Json& kind : kinds) {
    EXPECT_TRUE(environments.contains(kind.at("environment"))) << kind;
    EXPECT_FALSE(kind.at("actions").empty()) << kind;
    EXPECT_NE(table.out.find('\n' + kind.at("name").get<std::string>() + ' '), std::string::npos);
  }
}

TEST(DataCommand, EveryActionHasAHelpWithAnExample) {
  const Json kinds = json_of({"data", "--json"}).at("kinds");
  for (const Json& kind : kinds) {
    for (const Json& action : kind.at("actions")) {
      std::vector<std::string> words{"data", kind.at("name"), action.at("name")};
      if (action.contains("form")) words.push_back(action.at("form"));
      std::string command = "park";
      for (const std::string& word : words) command += ' ' + word;
      words.emplace_back("--help");
      const Finished help = run_park(words);
      EXPECT_EQ(help.code, 0) << command;
      EXPECT_TRUE(help.out.starts_with(command + " - ")) << help.out;
      EXPECT_NE(help.out.find("example:\n  " + command + ' '), std::string::npos) << help.out;
    }
  }
}

TEST(DataCommand, WhatIsWrongIsToldInOneLine) {
  const Finished kind = run_park({"data", "nonsense"});
  EXPECT_EQ(kind.code, 2);
  EXPECT_TRUE(kind.err.starts_with("error: KIND: no kind of data 'nonsense'; ")) << kind.err;
  const command::DataKinds kinds = envs::data_kinds();
  for (const command::DataKind& one : kinds.all()) {
    const Finished none = run_park({"data", one.name});
    EXPECT_EQ(none.code, 2);
    EXPECT_TRUE(none.err.starts_with("error: park data " + one.name + ": needs a command: "))
        << none.err;
    const Finished action = run_park({"data", one.name, "nonsense"});
    EXPECT_EQ(action.code, 2);
    EXPECT_TRUE(action.err.starts_with("error: \"nonsense\": no such command; it is "))
        << action.err;
  }
}

TEST(DataKinds, AreSortedAndHaveDifferentNames) {
  command::DataKinds kinds;
  for (const char* name : {"b", "a"})
    kinds.add({.name = name, .summary = "", .environment = "", .example = "", .actions = {}});
  EXPECT_EQ(kinds.all().front().name, "a");
  EXPECT_EQ(kinds.find("b"), &kinds.all().back());
  EXPECT_EQ(kinds.find("c"), nullptr);
  EXPECT_THROW(
      kinds.add({.name = "a", .summary = "", .environment = "", .example = "", .actions = {}}),
      Error);
}

class NamedCommand final : public Command {
 public:
  explicit NamedCommand(std::string name) : name_(std::move(name)) {}
  CommandInfo info() const override {
    return {.name = name_, .summary = "", .details = "", .example = ""};
  }
  int run(Session&) override { return kDone; }

 private:
  std::string name_;
};

TEST(Commands, StandByPlaceThenByName) {
  Commands commands({});
  commands.add(2, std::make_unique<NamedCommand>("first"));
  commands.add(2, std::make_unique<NamedCommand>("also"));
  commands.add(1, std::make_unique<NamedCommand>("zero"));
  std::vector<std::string> names;
  for (const auto& command : commands.take()) names.push_back(command->info().name);
  EXPECT_EQ(names, (std::vector<std::string>{"zero", "also", "first"}));
  EXPECT_TRUE(commands.take().empty());
}

}  // namespace data_test
}  // namespace park::cli
