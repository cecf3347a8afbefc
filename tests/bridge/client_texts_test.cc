// What clients may name where they choose the environment or the policy: bundled data alone, unless
// the server opens more. The answer tells nothing of what is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bridge/client/remotes.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/spec.h"
#include "bridge/server/policy_service.h"
#include "bridge/server/stream_service.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#include "tests/kit/scratch_folder.h"

namespace park::bridge {
namespace client_texts_test {

namespace fs = std::filesystem;

/// Remembers the text of the spec that it was made with.
class Reader final : public Policy {
 public:
  static inline std::string read;
  explicit Reader(const Spec& spec) { read = spec.text; }
  void act(const Decisions&, Batch&) override {}
};

class ClientTexts : public ::testing::Test {
 protected:
  ClientTexts() {
    envs::register_all(registry_);
    bridge::register_all(registry_);
    runs::add_checkpoint_policies(registry_);
    registry_.add_policy({.name = "reader", .summary = "for tests"},
                         [](const Spec& spec) { return std::make_unique<Reader>(spec); });
    for (const char* folder : {"data", "secret"}) fs::create_directory(folder_.file(folder));
    test::write_text(there_, "size\n1\n2\n");
    test::write_text(folder_.file("data/recording"), "size\n1\n2\n");
  }

  /// The answer to a text: the code of a failure and its words, or "opened".
  template <class Fill>
  std::string answer(Service& service, Fill&& fill) {
    EnvelopeWriter request, reply;
    EnvelopeReader reader;
    fill(request.begin());
    try {
      service.handle(reader.read(request.finish()), reply.begin());
    } catch (const Failed& failed) {
      return (failed.code() == Code::NOT_ALLOWED ? "not allowed: " : "other: ") +
             std::string(failed.what());
    } catch (const Error& error) {
      return (error.code() == Errc::not_allowed ? "not allowed: " : "other: ") +
             std::string(error.what());
    }
    return "opened";
  }
  std::string env(const std::string& text, const Access& access = {}, const std::string& own = "") {
    StreamService service(registry_, {.env = own, .access = access});
    return answer(service, [&](wire::Envelope::Builder to) {
      auto open = to.initOpenStream();
      open.setEnv(text);
      open.setSlots(1);
      open.initEpisodes(1)[0].setNumber(0);
    });
  }
  std::string policy(const std::string& text, const Access& access = {},
                     const std::string& own = "", const std::string& spec_text = "") {
    PolicyService service(registry_, {.policy = own, .access = access});
    Spec spec = registry_.spec("load_balance(servers=2)");
    spec.text = spec_text;
    return answer(service, [&](wire::Envelope::Builder to) {
      auto open = to.initOpenPolicy();
      open.setPolicy(text);
      write(spec, open.initSpec());
    });
  }
  static std::string recording(const std::string& file) {
    return "load_balance(sizes=recorded,recording=\"" + file + "\")";
  }
  static bool is_refused(const std::string& answer) {
    return answer.starts_with("not allowed: ") && answer.find('\n') == std::string::npos;
  }

  Registry registry_;
  const test::ScratchFolder folder_{"client-texts"};
  const std::string there_ = folder_.file("secret/recording"),
                    missing_ = folder_.file("secret/nothing");
};

TEST_F(ClientTexts, FilesOfTheServerAreRefusedInTheSameWordsWhetherTheyAreThereOrNot) {
  for (const auto make :
       {+[](const std::string& file) { return recording(file); },
        +[](const std::string& file) { return "dag_scheduling(workload=\"" + file + "\")"; }}) {
    EXPECT_TRUE(is_refused(env(make(there_)))) << env(make(there_));
    EXPECT_EQ(env(make(there_)), env(make(missing_)));
  }
  EXPECT_TRUE(is_refused(policy(there_))) << policy(there_);
  EXPECT_EQ(policy(folder_.file("secret")), policy(missing_));
  EXPECT_TRUE(policy(".").starts_with("other: no policy '.'; ")) << policy(".");
}

/// No field opens what it is given, whatever else it says of it.
TEST_F(ClientTexts, NoFieldOfAnyEnvironmentOrPolicyTellsWhatIsThere) {
  const std::string folder = folder_.file("secret");
  std::size_t texts = 0;
  const auto check = [&](const std::string& name, const FieldInfo& field, const auto& open) {
    if (field.type.find("text") == std::string::npos || !field.choices.empty()) return;
    ++texts;
    const auto told = [&](const std::string& path) {
      return open(name + "(" + field.name + "=\"" + path + "\")");
    };
    EXPECT_NE(told(folder), "opened") << name << "." << field.name;
    for (const std::string& path : {folder, there_})
      EXPECT_EQ(told(path), told(missing_)) << name << "." << field.name;
  };
  for (const std::string& name : registry_.env_names())
    for (const FieldInfo& field : registry_.env_fields(name))
      check(name, field, [&](const std::string& text) { return env(text); });
  for (const std::string& name : registry_.policy_names())
    for (const FieldInfo& field : registry_.policy_fields(name))
      check(name, field, [&](const std::string& text) { return policy(text); });
  EXPECT_GE(texts, 10u);
}

TEST_F(ClientTexts, TheWordsForBundledDataOpenBundledData) {
  for (const std::string& name : registry_.env_names())
    for (const FieldInfo& field : registry_.env_fields(name))
      for (const std::string& word : field.bundled)
        EXPECT_EQ(env(name + "(" + field.name + "=" + word + ")"), "opened") << field.name;
}

TEST_F(ClientTexts, NobodyMakesTheServerConnect) {
  for (const std::string text :
       {"remote(endpoint=\"tcp://127.0.0.1:9\",timeout_s=0.1)", "remote"}) {
    EXPECT_TRUE(is_refused(env(text))) << env(text);
    Access access;
    access.allow_remote();
    EXPECT_FALSE(is_refused(env(text, access)));
  }
  const std::string text = "remote(timeout_s=0.1,endpoint=\"tcp://127.0.0.1:9\")";
  EXPECT_TRUE(is_refused(policy(text))) << policy(text);
  Access access;
  access.allow_remote();
  EXPECT_NE(policy(text, access).find("no server answers"), std::string::npos);
  EXPECT_TRUE(is_refused(policy("remote(endpoint=\"" + there_ + "\")", access)));
}

TEST_F(ClientTexts, AnAllowedFolderIsOpen) {
  Access access;
  access.allow_data(folder_.file("data"));
  EXPECT_EQ(env(recording(folder_.file("data/recording")), access), "opened");
  EXPECT_TRUE(is_refused(env(recording(there_), access)));
  EXPECT_TRUE(is_refused(env(recording(folder_.file("data/../secret/recording")), access)));
  fs::create_symlink(there_, folder_.file("data/link"));
  EXPECT_TRUE(is_refused(env(recording(folder_.file("data/link")), access)));
  EXPECT_EQ(env(recording(folder_.file("data/recording")), access), "opened");
}

TEST_F(ClientTexts, WhatTheServerItselfNamesIsOpen) {
  const std::string own = recording(there_);
  EXPECT_EQ(env("", {}, own), "opened");
  EXPECT_EQ(env(own, {}, own), "opened");
  EXPECT_TRUE(is_refused(env(recording(missing_), {}, own)));
}

TEST_F(ClientTexts, AServerOfOnePolicyTellsNothingOfPaths) {
  EXPECT_EQ(policy("power_of_d(d=2)", {}, "power_of_d"), "opened");
  EXPECT_TRUE(is_refused(policy(there_, {}, "random")));
  EXPECT_EQ(policy(folder_.file("secret"), {}, "random"), policy(missing_, {}, "random"));
}

TEST_F(ClientTexts, APolicyDoesNotSeeTheTextOfASpecThatNamesMore) {
  const auto read = [&](const std::string& text, const Access& access = {}) {
    EXPECT_EQ(policy("reader", access, "", text), "opened");
    return Reader::read;
  };
  EXPECT_EQ(read("load_balance(servers=2)"), "load_balance(servers=2)");
  EXPECT_EQ(read(recording(there_)), "");
  EXPECT_EQ(read("dag_scheduling"), "") << "the text of another environment";
  Access access;
  access.allow_data(folder_.file("secret"));
  EXPECT_EQ(read(recording(there_), access), recording(there_));
}

}  // namespace client_texts_test
}  // namespace park::bridge
