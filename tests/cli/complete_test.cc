// Completion of command lines, without a shell: what park __complete answers.
#include "cli/frame/complete.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/frame/complete_text.h"
#include "cli/frame/complete_values.h"
#include "park/command/strings.h"
#include "tests/kit/subprocess.h"

namespace park::cli {
namespace complete_test {

/// The answer for a line: the words that fit, and the last line.
struct Answer {
  std::vector<std::string> words;
  std::string end;

  [[nodiscard]] bool has(const std::string& word) const {
    return std::ranges::find(words, word) != words.end();
  }
};

Answer answer(const std::string& text) {
  Answer all;
  std::vector<std::string> lines = command::split(text, '\n');
  EXPECT_EQ(lines.back(), "");
  lines.pop_back();
  EXPECT_FALSE(lines.empty());
  all.end = lines.back();
  lines.pop_back();
  for (const std::string& line : lines) all.words.push_back(line.substr(0, line.find('\t')));
  return all;
}

Answer of(const std::vector<std::string>& words) {
  static Console* const console = new Console(std::cerr, false);
  static Session* const session = new Session(*console, 110);
  static const Nodes* const nodes = new Nodes(command_tree());
  return answer(complete(*nodes, words, *session));
}

using Words = std::vector<std::string>;

TEST(Complete, CommandsAreThoseOfTheHelp) {
  const Answer all = of({""});
  EXPECT_EQ(all.words, names_of(command_tree()));
  EXPECT_EQ(all.end, ":end");
  EXPECT_EQ(of({"r"}).words, (Words{"run", "record", "replay"}));
  EXPECT_EQ(of({"data", "work"}).words, Words{"workload"});
  EXPECT_EQ(of({"data", "traces", "sp"}).words, Words{"split"});
  EXPECT_EQ(of({"nosuch", ""}).words, (Words{"--version", "--help"}));
}

void add_paths(const Nodes& nodes, std::vector<const Node*>& all) {
  for (const auto& node : nodes) {
    all.push_back(node.get());
    add_paths(node->children, all);
  }
}

TEST(Complete, EveryOptionAndCommandOfEveryCommandIsThere) {
  const Nodes nodes = command_tree();
  std::vector<const Node*> all;
  add_paths(nodes, all);
  EXPECT_GT(all.size(), 50u);
  for (const Node* node : all) {
    SCOPED_TRACE(node->path);
    Words line = command::split(node->path, ' ');
    line.erase(line.begin());
    line.emplace_back("-");
    Words options;
    for (const Option& option : node->options.list())
      if (!option.positional()) options.push_back(option.name);
    options.emplace_back("--help");
    EXPECT_EQ(of(line).words, options);
    line.back() = "";
    for (const std::string& name : names_of(node->children)) EXPECT_TRUE(of(line).has(name));
  }
}

TEST(Complete, NamesOfOptionsWithKnownValuesExist) {
  const Nodes nodes = command_tree();
  std::vector<const Node*> all;
  add_paths(nodes, all);
  for (const std::string& name : completed_names())
    EXPECT_TRUE(std::ranges::any_of(all, [&](const Node* node) {
      return std::ranges::find(node->options.list(), name, &Option::name) !=
             node->options.list().end();
    })) << name;
}

TEST(Complete, OptionsThatWereGivenAreGone) {
  EXPECT_TRUE(of({"run", "load_balance", "--pol"}).has("--policy"));
  EXPECT_FALSE(of({"run", "--policy", "random", "--"}).has("--policy"));
  EXPECT_FALSE(of({"run", "--policy=random", "--"}).has("--policy"));
  EXPECT_TRUE(of({"tune", "--grid", "d=1|2", "--gr"}).has("--grid"));  // may be repeated
  EXPECT_EQ(of({"--v"}).words, Words{"--version"});
}

TEST(Complete, ValuesWithChoices) {
  EXPECT_EQ(of({"run", "--phase", ""}).words, (Words{"train", "validate", "evaluate"}));
  EXPECT_EQ(of({"run", "--phase", "v"}).words, Words{"validate"});
  EXPECT_EQ(of({"run", "--phase=v"}).words, Words{"--phase=validate"});
  EXPECT_EQ(of({"run", "--episodes", ""}).words, Words{});
  EXPECT_EQ(of({"run", "--episodes", ""}).end, ":end");
}

TEST(Complete, EnvironmentsAndTheirFields) {
  EXPECT_TRUE(of({"run", ""}).has("load_balance"));
  EXPECT_EQ(of({"run", "load_b"}).words, Words{"load_balance"});
  EXPECT_EQ(of({"train", "--validate-on", "load_b"}).words, Words{"load_balance"});
  const Answer field = of({"run", "load_balance(serv"});
  EXPECT_EQ(field.words, Words{"load_balance(servers="});
  EXPECT_EQ(field.end, ":open");
  EXPECT_EQ(of({"run", "load_balance(servers=3,size"}).words,
            Words{"load_balance(servers=3,sizes="});
  EXPECT_FALSE(of({"run", "load_balance(servers=3,"}).has("load_balance(servers=3,servers="));
  EXPECT_TRUE(of({"run", "load_balance(sizes="}).has("load_balance(sizes=exponential"));
  EXPECT_EQ(of({"run", "load_balance(sizes=exp"}).words, Words{"load_balance(sizes=exponential"});
  EXPECT_EQ(of({"run", "nosuch("}).words, Words{});
}

TEST(Complete, PoliciesThatFit) {
  const Answer any = of({"run", "--policy", ""});
  EXPECT_TRUE(any.has("least_work"));
  EXPECT_TRUE(any.has("sjf_cp"));
  const Answer fit = of({"run", "load_balance", "--policy", ""});
  EXPECT_TRUE(fit.has("least_work"));
  EXPECT_FALSE(fit.has("sjf_cp"));
  EXPECT_EQ(of({"run", "load_balance", "--policy", "random,shortest_q"}).words,
            Words{"random,shortest_queue"});
  EXPECT_EQ(of({"run", "load_balance", "--policy=power_of_d("}).end, ":open");
  EXPECT_EQ(of({"run", "load_balance", "--policy", "random,power_of_d("}).words,
            Words{"random,power_of_d(d="});
  EXPECT_EQ(of({"run", "load_balance", "--policy", "./r"}).end, ":files");
}

TEST(Complete, NothingIsConnectedTo) {
  EXPECT_TRUE(of({"run", "remote(endpoint=ipc:///nowhere)", "--policy", "rand"}).has("random"));
}

TEST(Complete, FilesElsewhere) {
  EXPECT_EQ(of({"replay", ""}).end, ":files");
  EXPECT_EQ(of({"replay", "one", "tw"}).end, ":files");
  EXPECT_EQ(of({"run", "--save", ""}).end, ":files");
  EXPECT_TRUE(of({"bench", "quick"}).has("quick-v2"));
  EXPECT_EQ(of({"bench", "./su"}).end, ":files");
  EXPECT_TRUE(of({"bench", "ver"}).has("verify"));
}

TEST(Complete, OtherNames) {
  EXPECT_EQ(of({"tune", "load_balance", "--metric", "avg_resp"}).words, Words{"avg_response_s"});
  EXPECT_TRUE(
      of({"check", "--property", "repeats_itself,time_"}).has("repeats_itself,time_adds_up"));
  EXPECT_EQ(of({"help", "dist"}).words, Words{"distill"});
  EXPECT_EQ(of({"completion", ""}).words, (Words{"bash", "zsh", "fish"}));
}

TEST(Complete, TypedTexts) {
  const TypedText nested = read_typed("a(x=1,list=[b(y=\"(,\",z=");
  EXPECT_EQ(nested.name, "a");
  EXPECT_EQ(nested.fields, Words{"list"});
  EXPECT_EQ(nested.given, Words{"y"});
  EXPECT_EQ(nested.field, "z");
  EXPECT_TRUE(nested.inside);
  const TypedText closed = read_typed("a(x=b(y=1),");
  EXPECT_EQ(closed.fields, Words{});
  EXPECT_EQ(closed.given, Words{"x"});
  EXPECT_EQ(closed.begin, std::string("a(x=b(y=1),").size());
  EXPECT_FALSE(read_typed("a(x=1)").inside);
  EXPECT_TRUE(read_typed("a(x=[1,").list);
  for (const char* odd : {"", ")", "](", "a)(", "=,", "\"", "((((", "a(=,=)"})
    static_cast<void>(read_typed(odd));
}

TEST(Complete, FieldsOfNestedStructs) {
  const auto fields = [](const std::string& name) {
    EXPECT_EQ(name, "outer");
    FieldInfo inner{.name = "depth", .doc = "how deep", .default_text = "3"};
    FieldInfo kind{.name = "kind", .choices = {"wide", "narrow"}};
    FieldInfo on{.name = "on", .type = "bool"};
    return std::vector<FieldInfo>{{.name = "model", .fields = {inner, kind, on}}};
  };
  const auto words = [&](const std::string& text) {
    Words all;
    for (const Candidate& one : complete_fields(text, fields)) all.push_back(one.word);
    return all;
  };
  EXPECT_EQ(words("outer(model=[in("),
            (Words{"outer(model=[in(depth=", "outer(model=[in(kind=", "outer(model=[in(on="}));
  EXPECT_EQ(words("outer(model=in(kind=w"), Words{"outer(model=in(kind=wide"});
  EXPECT_EQ(words("outer(model=in(depth="), Words{"outer(model=in(depth=3"});
  EXPECT_EQ(words("outer(model=in(on=t"), Words{"outer(model=in(on=true"});
  EXPECT_EQ(words("outer(nosuch=in("), Words{});
  EXPECT_EQ(words("outer(model=in(depth=1)"), Words{});
}

TEST(Complete, TheProgramAnswersWithoutReadingOptions) {
  const Finished park =
      run_park({"__complete", "run", "--help", "--nosuch", "load_balance", "--q"});
  EXPECT_EQ(park.code, 0);
  EXPECT_EQ(park.err, "");
  EXPECT_EQ(park.out, "--quiet\tno progress\n:end\n");
  EXPECT_EQ(run_park({"__complete"}).code, 0);
}

TEST(UnknownCommand, BringsTheNearestOne) {
  const Finished top = run_park({"rum"});
  EXPECT_EQ(top.code, 2);
  EXPECT_NE(top.err.find("\"rum\": no such command; did you mean 'run'? it is "), std::string::npos)
      << top.err;
  const Finished verb = run_park({"workload", "mrege"});
  EXPECT_EQ(verb.code, 2);
  EXPECT_NE(verb.err.find("did you mean 'merge'? it is "), std::string::npos) << verb.err;
  EXPECT_EQ(run_park({"nosuch"}).err.find("did you mean"), std::string::npos);
}

}  // namespace complete_test
}  // namespace park::cli
