// What the texts of other people may name: bundled data, what lies in allowed folders, nothing else.
#include "park/core/access.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "park/core/error.h"
#include "tests/core/counter_env.h"
#include "tests/kit/scratch_folder.h"

namespace park {
namespace access_test {

namespace fs = std::filesystem;

struct Part {
  static constexpr std::string_view kName = "part";
  std::string file{};
  bool operator==(const Part&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("file", self.file, FieldDoc{.doc = "data", .names = Names::file});
  }
};

struct Texts {
  std::string data = "small", how = "fast", word{}, forgotten{}, server{};
  std::vector<std::string> files{};
  std::vector<Part> parts{};
  Part part{};
  Value unread{};
  double number = 0;
  bool operator==(const Texts&) const = default;
  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("data", self.data,
          FieldDoc{.doc = "data", .names = Names::file, .bundled = "small|large"});
    visit("how", self.how, FieldDoc{.doc = "a choice", .choices = "fast|slow"});
    visit("word", self.word, FieldDoc{.doc = "a name", .names = Names::nothing});
    visit("forgotten", self.forgotten, FieldDoc{.doc = "nobody said what it opens"});
    visit("server", self.server, FieldDoc{.doc = "where", .names = Names::endpoint});
    visit("files", self.files, FieldDoc{.doc = "data", .names = Names::file});
    visit("parts", self.parts, FieldDoc{.doc = "data"});
    visit("part", self.part, FieldDoc{.doc = "data"});
    visit("unread", self.unread, FieldDoc{.doc = "nobody said what it opens"});
    visit("number", self.number, FieldDoc{.doc = "a number"});
  }
};

/// The line that refuses a text; empty: it is allowed.
std::string refusal(const Access& access, const std::string& fields) {
  try {
    access.check(parse_text("texts(" + fields + ")"), field_infos<Texts>());
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_allowed);
    return error.what();
  }
  return "";
}

TEST(Access, BundledDataAlone) {
  const Access access;
  EXPECT_EQ(refusal(access, "data=small,how=slow,word=\"/any/word\",number=3"), "");
  EXPECT_EQ(refusal(access, "data=large,files=[],parts=[part,part()],part=part(file=\"\")"), "");
  EXPECT_EQ(refusal(access, "data=\"/etc/passwd\""), "data: allowed are small, large");
  EXPECT_EQ(refusal(access, "data=medium"), "data: allowed are small, large");
  EXPECT_EQ(refusal(access, "files=[\"\",x]"),
            "files[1]: this server opens no files to its clients");
}

TEST(Access, NestedTextsAreLookedAt) {
  const Access access;
  const std::string none = ": this server opens no files to its clients";
  EXPECT_EQ(refusal(access, "part=part(file=x)"), "part.file" + none);
  EXPECT_EQ(refusal(access, "parts=[part,part(file=x)]"), "parts[1].file" + none);
}

TEST(Access, WhatNobodyDeclaredIsRefused) {
  const Access access;
  EXPECT_EQ(refusal(access, "forgotten=x"),
            "forgotten: this server takes no such text from others");
  EXPECT_EQ(refusal(access, "unread=a(b=c)"), "unread: this server takes no such text from others");
}

TEST(Access, ServersOnlyWhereTheyAreAllowed) {
  Access access;
  const std::string tcp = "server=\"tcp://127.0.0.1:1\"", file = "server=\"/etc/passwd\"";
  EXPECT_EQ(refusal(access, tcp), "server: this server connects to no other");
  EXPECT_EQ(refusal(access, file), "server: this server connects to no other");
  access.allow_remote();
  EXPECT_EQ(refusal(access, tcp), "");
  EXPECT_EQ(refusal(access, file), "server: this server opens no files to its clients");
}

class AllowedFolder : public ::testing::Test {
 protected:
  AllowedFolder() {
    for (const char* folder : {"in", "in/deep", "out", "in2"}) fs::create_directory(at(folder));
    for (const char* file : {"in/file", "in/deep/file", "out/file"})
      test::write_text(at(file), "x");
    access_.allow_data(at("in"));
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_.file(name); }
  void link(const std::string& to, const std::string& from) const {
    fs::create_symlink(at(to), at(from));
  }
  [[nodiscard]] bool holds(const std::string& name) const { return access_.holds(at(name)); }

  test::ScratchFolder folder_{"access"};
  Access access_;
};

TEST_F(AllowedFolder, HoldsWhatLiesInIt) {
  for (const char* name : {"in", "in/", "in/file", "in/deep", "in/deep/../file", "in/not there",
                           "in/no/such/folder", "out/../in/file"})
    EXPECT_TRUE(holds(name)) << name;
  for (const char* name : {"out", "out/file", "in/../out/file", "in/no/../../out", "in2", "i", ""})
    EXPECT_FALSE(holds(name)) << name;
  EXPECT_FALSE(access_.holds(""));
  EXPECT_FALSE(access_.holds(at("out/file") + std::string("\0/../../in/file", 15)));
  EXPECT_EQ(refusal(access_, "data=\"" + at("in/file") + "\""), "");
  EXPECT_EQ(refusal(access_, "data=\"" + at("out/file") + "\""),
            "data: allowed are small, large and files in the folders that this server opens");
}

TEST_F(AllowedFolder, LinksCountByWhereTheyLead) {
  link("in/file", "out/back");
  link("in", "whole");
  EXPECT_TRUE(holds("out/back"));
  EXPECT_TRUE(holds("whole/file"));
  link("in/deep", "in/near");
  EXPECT_TRUE(holds("in/near/file"));
  EXPECT_TRUE(holds("in"));
}

TEST_F(AllowedFolder, LinksThatLeaveItAreRefused) {
  link("out/file", "in/deep/away");
  EXPECT_FALSE(holds("in/deep/away"));
  EXPECT_FALSE(holds("in/deep")) << "with a file that is read with the folder";
  EXPECT_FALSE(holds("in"));
  EXPECT_TRUE(holds("in/file"));
  EXPECT_TRUE(holds("in/deep/file"));
}

TEST_F(AllowedFolder, ALinkIsRefusedWhetherItsTargetIsThereOrNot) {
  link("out/not there", "in/deep/away");
  EXPECT_FALSE(holds("in/deep/away"));
  EXPECT_FALSE(holds("in/deep/away/file"));
  EXPECT_FALSE(holds("in/deep"));
}

TEST_F(AllowedFolder, LinksBehindLinksAreFollowed) {
  fs::create_directory(at("in/other"));
  link("out/file", "in/other/away");
  link("in/other", "in/deep/near");
  EXPECT_FALSE(holds("in/deep"));
  link("in/round", "in/round");
  EXPECT_FALSE(holds("in/round"));
}

TEST_F(AllowedFolder, MustBeAFolder) {
  for (const char* name : {"in/file", "nowhere"})
    EXPECT_EQ(test::error_of([&] { access_.allow_data(at(name)); }),
              "'" + at(name) + "' is not a folder");
}

using test::counter_registry;

std::string error_code_and_text(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return (error.code() == Errc::not_allowed ? "not allowed: " : "other: ") +
           std::string(error.what());
  }
  return "";
}

TEST(AccessOfRegistry, RunningSystemsAreForTheUserAlone) {
  const Registry registry = counter_registry();
  Access access;
  access.allow_remote();
  EXPECT_EQ(registry.env("counter(goal=7)", access).text(), "counter(goal=7)");
  EXPECT_EQ(error_code_and_text([&] { static_cast<void>(registry.env("counter_twin", access)); }),
            "not allowed: env: counter_twin is not simulated");
  EXPECT_EQ(
      error_code_and_text([&] { static_cast<void>(registry.env("counter(goal=0)", access)); }),
      "other: goal = 0 is outside [1, 1000]");
}

TEST(AccessOfRegistry, LoadedPoliciesAreBundledOrInAnAllowedFolder) {
  const test::ScratchFolder folder("policies");
  Registry registry = counter_registry();
  registry.add_policy_loader(
      {.takes = [](const std::string&) { return true; },
       .fields = &field_infos<test::Constant::Config>,
       .make = [](const Value&, const Spec&) -> std::unique_ptr<Policy> { return nullptr; },
       .bundled = [](const std::string& name) { return name == "ours"; }});
  Access access;
  const auto told = [&](const std::string& text) {
    return error_code_and_text([&] { static_cast<void>(registry.canonical_policy(text, access)); });
  };
  EXPECT_EQ(told("ours"), "");
  EXPECT_EQ(told("constant(amount=2)"), "");
  EXPECT_EQ(told("our"), "other: no policy 'our'; there are constant, random");
  const std::string refused = "not allowed: policy: this server opens no files to its clients";
  EXPECT_EQ(told(folder.file("")), refused);
  EXPECT_EQ(told(folder.file("none")), refused);
  access.allow_data(folder.file(""));
  EXPECT_EQ(told(folder.file("none")), "");
  EXPECT_NE(told("/etc/passwd"), "");
}

TEST(AccessOfRegistry, ASpecKeepsATextThatItsEnvironmentAllows) {
  const Registry registry = counter_registry();
  Spec spec = registry.spec("counter(goal=7)");
  const auto kept = [&](const std::string& text) {
    spec.text = text;
    return registry.admitted(spec, {}).text;
  };
  EXPECT_EQ(kept("counter(goal=7)"), "counter(goal=7)");
  for (const std::string text : {"counter_twin", "counter(goal=0)", "counter(", "none", ""})
    EXPECT_EQ(kept(text), "") << text;
  spec.name = "other";
  EXPECT_EQ(kept("counter(goal=7)"), "") << "it is another one's";
}

}  // namespace access_test
}  // namespace park
