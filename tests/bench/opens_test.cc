// Results of somebody else open no server and run no program unless whoever verifies them says so, and
// what the suite does not have is not opened at all.
#include "park/bench/opens.h"

#include <gtest/gtest.h>

#include <atomic>

#include "park/bench/verify.h"
#include "park/core/error.h"
#include "park/runs/checkpoint.h"
#include "park/search/lookahead.h"
#include "small_suite.h"

namespace park::bench {
namespace opens_test {

using Lines = std::vector<std::string>;

const std::string kFar = "far(endpoint=x)", kEnv = "load_balance(servers=3,jobs=40)";
const std::string kServer =
    "far connects to a server, which --allow-remote of park bench verify permits";

std::atomic<int> opened;  // times that `far` was made

/// `far` answers as least_work, and declares that it connects to an endpoint; so does `far_env`.
struct FarRegistry : Registry {
  FarRegistry() {
    const std::vector<FieldInfo> fields{{.name = "endpoint",
                                         .doc = "x",
                                         .type = "text",
                                         .default_text = "\"\"",
                                         .names = Names::endpoint}};
    envs::register_all(*this);
    search::register_policies(*this);
    runs::add_checkpoint_policies(*this);
    add_policy({.name = "far", .summary = "x", .reference = "x"}, fields,
               [](const Value&, const Spec& spec) {
                 ++opened;
                 return small_registry().policy("least_work", spec);
               });
    add_env(OutsideEnv{
        .name = "far_env",
        .fields = fields,
        .spec = [](const Value&) -> Spec { throw Error(Errc::unavailable, "it was opened"); },
        .open = [](auto&&...) -> std::unique_ptr<Stream> { return nullptr; }});
  }
};

const Registry& registry() {
  static const FarRegistry all;
  return all;
}

Lines replayed(const BenchResults& results, const Opens& opens) {
  const Facts facts = check_facts(registry(), results, opens);
  Lines lines = facts.lines;
  const Replay replay = choose_blocks(registry(), results,
                                      {.seed = 1, .share = 1, .only = facts.agree, .opens = opens});
  lines.insert(lines.end(), replay.lines.begin(), replay.lines.end());
  play_blocks(registry(), results, replay.blocks, 1,
              {.stop = [] { return false; },
               .on_block =
                   [&](const Block& block, BlockResult&& played) {
                     const Lines more = check_block(results, block, played);
                     lines.insert(lines.end(), more.begin(), more.end());
                   }});
  return lines;
}

TEST(Opens, APolicyThatTheSuiteLacksIsNotOpened) {
  BenchResults forged = played();
  forged.entries[2].policy = kFar;
  opened = 0;
  EXPECT_EQ(replayed(forged, kOpensAll), (Lines{kEnv + ", " + kFar + ": is no policy of the suite",
                                                kEnv + ", power_of_d(d=3): has no result"}));
  EXPECT_EQ(opened, 0);
}

TEST(Opens, NothingIsPlayedInAnEnvironmentThatDiffers) {
  BenchResults forged = played();
  forged.environments[0].text = "far_env";
  const Lines lines = replayed(forged, kOpensAll);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "far_env: canonical text: recorded far_env, here " + kEnv);
}

TEST(Opens, AServerOfTheSuiteIsConnectedToWhereThatIsPermitted) {
  BenchResults results = played();
  results.suite.environments[0].policies = {kFar};
  results.entries[2] = results.entries[1];  // it answers as least_work
  results.entries[2].policy = kFar;
  results.entries[2].baseline = false;
  opened = 0;
  EXPECT_EQ(replayed(results, {.torchscript = true}),
            Lines{kEnv + ", " + kFar + ", could not be played again: " + kServer});
  EXPECT_EQ(opened, 0);
  EXPECT_EQ(replayed(results, {.remote = true}), Lines{});
  EXPECT_GT(opened, 0);
}

std::string refusal(const std::string& policy, const Opens& opens) {
  try {
    check_policy_opens(registry(), policy, opens);
    return "";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::not_allowed);
    return error.what();
  }
}

TEST(Opens, PoliciesWithinPoliciesCountToo) {
  EXPECT_EQ(refusal("lookahead(base=" + kFar + ")", {}), kServer);
  EXPECT_EQ(refusal("lookahead(base=" + kFar + ")", {.remote = true}), "");
  EXPECT_EQ(refusal("lookahead(base=least_work)", {}), "");
}

TEST(Opens, TorchScriptIsAProgram) {
  for (const std::string policy : {"a/net.pt", "torchscript"}) {
    EXPECT_EQ(refusal(policy + "(sample=true)", {.remote = true}),
              policy +
                  " is TorchScript, a program, which --allow-torchscript of park bench verify "
                  "permits");
    EXPECT_EQ(refusal(policy, {.torchscript = true}), "");
  }
  EXPECT_EQ(refusal("lookahead(base=a/net.pt)", {}).find("a/net.pt is TorchScript"), 0u);
  EXPECT_EQ(refusal("a/net.onnx", {}), "");
}

TEST(Opens, AnEnvironmentBehindAServerIsNoneOfThoseThatAreOpenedUnasked) {
  Suite suite = played().suite;
  suite.environments = {{.name = "far_env"}};
  const auto complaint = [&](const Opens& opens) -> std::string {
    try {
      static_cast<void>(resolve(registry(), suite, opens));
      return "";
    } catch (const Error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(complaint({}),
            "far_env: far_env connects to a server, which --allow-remote of park bench verify "
            "permits");
  EXPECT_EQ(complaint({.remote = true}), "far_env: it was opened");
}

}  // namespace opens_test
}  // namespace park::bench
