// A running system whose decisions a server makes: it goes on whatever becomes of the server.
#include "bridge/client/remote_decider.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "park/core/as_system.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/load_balance.h"
#include "park/trees/tree_policy.h"
#include "tests/bridge/in_time.h"
#include "tests/bridge/serving.h"
#include "tests/bridge/system.h"

namespace park::bridge {
namespace remote_decider_test {

using namespace std::chrono_literals;
using load_balance::LoadBalance;
using test::ServingPolicy;
using test::System;
using test::wait_for_server;
namespace fs = std::filesystem;

constexpr auto kSlack = 300ms;  // of a machine that is busy

/// Answers with numbers that it is given, and records what it is told.
class Recording final : public Policy {
 public:
  struct Log {
    std::mutex mutex;
    std::int32_t answer = 0;
    std::vector<Ask> asked;
    std::vector<Ended> ended;
    std::vector<double> metrics;
  };
  Recording(Log& log, const Spec& spec)
      : log_(log), server_(Batch(spec.action).field<std::int32_t>("server")) {}
  void act(const Decisions& d, Batch& actions) override {
    const std::lock_guard lock(log_.mutex);
    log_.asked.insert(log_.asked.end(), d.asked.begin(), d.asked.end());
    log_.ended.insert(log_.ended.end(), d.ended.begin(), d.ended.end());
    log_.metrics.insert(log_.metrics.end(), d.metrics.begin(), d.metrics.end());
    for (std::size_t i = 0; i < actions.rows(); ++i) actions.row(i).scalar(server_) = log_.answer;
  }

 private:
  Log& log_;
  Field<std::int32_t> server_;
};

class RemoteDeciderTest : public ::testing::Test {
 protected:
  RemoteDeciderTest() {
    registry_.add_policy({.name = "recording", .summary = "for tests"}, [this](const Spec& spec) {
      return std::make_unique<Recording>(log_, spec);
    });
    envs::register_all(registry_);
    char name[] = "/tmp/park-decider-XXXXXX";
    folder_ = mkdtemp(name);
    endpoint_ = "ipc://" + (folder_ / "socket").string();
    spec_ = registry_.spec("load_balance(servers=4)");
  }
  ~RemoteDeciderTest() override { fs::remove_all(folder_); }

  [[nodiscard]] RemotePolicyConfig config(double timeout_s = 5,
                                          const std::string& policy = "shortest_queue") const {
    return {.endpoint = endpoint_, .policy = policy, .timeout_s = timeout_s};
  }
  Recording::Log log_;
  Registry registry_;
  fs::path folder_;
  std::string endpoint_;
  Spec spec_;
};

/// The figures of what a system reports at its ends.
class Recorder final : public Decider {
 public:
  explicit Recorder(Decider& inner) : inner_(inner) {}
  Context open(const Episode& e) override { return inner_.open(e); }
  Applied decide(Context c, const Outcome& o, ConstRow seen, Row action, Deadline until) override {
    const Applied applied = inner_.decide(c, o, seen, action, until);
    fallbacks += applied == Applied::fallback ? 1 : 0;
    return applied;
  }
  void close(Context c, const Outcome& o, ConstRow seen, std::span<const double> m) override {
    metrics.insert(metrics.end(), m.begin(), m.end());
    inner_.close(c, o, seen, m);
  }
  std::vector<double> metrics;
  int fallbacks = 0;

 private:
  Decider& inner_;
};

/// A system whose decisions a server makes has the figures of the policy here, without fallbacks.
void expect_as_here(const Registry& registry, RemoteDecider& remote,
                    const std::string& policy_text) {
  const RandomEpisodes episodes(Rng(5), {.count = 3});
  LoadBalance::Config fields;
  fields.servers = 4;
  fields.jobs = 200;
  AsSystem system(LoadBalance::spec(fields), std::make_unique<LoadBalance>(fields));
  Recorder recorder(remote);
  wait_for_server(remote);
  Episodes cursor(episodes, 0, 1);
  system.run(cursor, recorder, {});
  std::vector<double> expected;
  const auto stream = registry.stream("load_balance(servers=4,jobs=200)", episodes);
  const auto policy = registry.policy(policy_text, stream->spec());
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    expected.insert(expected.end(), d.metrics.begin(), d.metrics.end());
  });
  EXPECT_EQ(recorder.metrics, expected);
  EXPECT_EQ(recorder.fallbacks, 0);
  EXPECT_EQ(remote.counts().answered, 600u);
  EXPECT_EQ(remote.counts().illegal, 0u);
}

TEST_F(RemoteDeciderTest, DecidesAsThePolicyWouldHere) {
  const ServingPolicy serving(registry_, endpoint_);
  RemoteDecider remote(config(), spec_);
  expect_as_here(registry_, remote, "shortest_queue");
}

TEST_F(RemoteDeciderTest, ATreeDecidesWithoutFallbacks) {
  trees::register_policies(registry_);
  const std::string file = (folder_ / "my.tree").string();
  std::ofstream(file) << "park-tree 1\nenv load_balance layout " << layout_text(spec_)
                      << "\nfeature done_s = server.drain_s + job.size / server.rate\n"
                         "head server\n  level values\n    if done_s#rank <= 0.5: 1\n    else: 0\n";
  const std::string tree = "tree(file=\"" + file + "\")";
  const ServingPolicy serving(registry_, endpoint_, tree);
  RemoteDecider remote(config(5, ""), spec_);
  expect_as_here(registry_, remote, tree);
}

TEST_F(RemoteDeciderTest, TellsThePolicyWhatBecameOfItsDecisions) {
  const ServingPolicy serving(registry_, endpoint_);
  RemoteDecider remote(config(5, "recording"), spec_);
  wait_for_server(remote);
  System first(remote, spec_), second(remote, spec_);
  log_.answer = 99;
  EXPECT_EQ(first.ask(20s), Applied::projected);
  EXPECT_EQ(first.server(), 3);  // the nearest one that there is
  log_.answer = 2;
  EXPECT_EQ(first.ask(20s), Applied::policy);
  EXPECT_EQ(first.server(), 2);
  EXPECT_EQ(first.ask(20s), Applied::policy);
  first.close(spec_);
  EXPECT_EQ(second.ask(20s), Applied::policy);  // tells the end of the first, too

  ASSERT_EQ(log_.asked.size(), 4u);
  const std::vector<Applied> applied{Applied::policy, Applied::projected, Applied::policy};
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Ask& ask = log_.asked[i];
    EXPECT_EQ(ask.sequence, i);
    EXPECT_EQ(ask.since_last.reward, -1);
    EXPECT_EQ(ask.since_last.elapsed_s, 1);
    EXPECT_EQ(ask.since_last.applied, applied[i]);
  }
  ASSERT_EQ(log_.ended.size(), 1u);
  const Ended& end = log_.ended[0];
  EXPECT_EQ(end.context, log_.asked[0].context);
  EXPECT_EQ(end.decisions, 3u);
  EXPECT_EQ(end.last.reward, -7);
  EXPECT_EQ(end.last.elapsed_s, 2);
  EXPECT_EQ(end.last.end, End::terminated);
  EXPECT_EQ(log_.metrics, std::vector<double>(spec_.metrics.size(), 1.0));
}

TEST_F(RemoteDeciderTest, FallsBackWhereAnIllegalAnswerIsAnError) {
  const ServingPolicy serving(registry_, endpoint_);
  RemoteDecider remote(config(5, "recording"), spec_, {.illegal = Illegal::error});
  wait_for_server(remote);
  System system(remote, spec_);
  log_.answer = 99;
  EXPECT_EQ(system.ask(200ms), Applied::fallback);
  while (remote.counts().illegal == 0) std::this_thread::sleep_for(5ms);
  {
    const std::lock_guard lock(log_.mutex);
    log_.answer = 1;
  }
  EXPECT_EQ(system.ask(20s), Applied::policy);  // the next one is answered
  EXPECT_EQ(system.server(), 1);
  EXPECT_EQ(remote.counts().illegal, 1u);
  EXPECT_EQ(remote.counts().connected, 1u);
  ASSERT_EQ(log_.asked.size(), 2u);
  EXPECT_EQ(log_.asked[1].since_last.applied, Applied::fallback);
}

TEST_F(RemoteDeciderTest, FallsBackInTimeWithoutAServer) {
  RemoteDecider remote(config(), spec_);
  System system(remote, spec_);
  for (int i = 0; i < 5; ++i)
    EXPECT_TRUE(
        test::within(50ms + kSlack, [&] { EXPECT_EQ(system.ask(50ms), Applied::fallback); }));
  EXPECT_NE(remote.trouble().find("no server answers"), std::string::npos) << remote.trouble();
  EXPECT_EQ(remote.counts().connected, 0u);
}

TEST_F(RemoteDeciderTest, GoesOnWhenTheServerComesBack) {
  RemoteDecider remote(config(1), spec_);
  System first(remote, spec_), second(remote, spec_);
  for (unsigned round = 1; round <= 3; ++round) {
    {
      const ServingPolicy serving(registry_, endpoint_);
      EXPECT_EQ(first.ask_until_policy(), Applied::policy) << remote.trouble();
      EXPECT_EQ(second.ask_until_policy(), Applied::policy);
      EXPECT_EQ(first.ask(10s), Applied::policy);
      EXPECT_EQ(remote.counts().connected, round);
    }
    EXPECT_EQ(first.ask(50ms), Applied::fallback);
  }
  first.close(spec_);
  const ServingPolicy serving(registry_, endpoint_);
  EXPECT_EQ(second.ask_until_policy(), Applied::policy) << remote.trouble();
  System third(remote, spec_);  // has the slot of the first
  EXPECT_EQ(third.ask(10s), Applied::policy);
}

TEST_F(RemoteDeciderTest, CountsAnswersThatComeTooLate) {
  const ServingPolicy serving(registry_, "tcp://127.0.0.1:*");
  const test::Relaying slow(endpoint_, serving.endpoint(),
                            [](std::size_t, test::Way way, wire::Envelope::Reader e,
                               std::span<const std::byte> bytes, test::Post& post) {
                              const bool late = way == test::Way::to_client && e.isAnswer();
                              post.on(bytes, late ? 150ms : 0ms);
                            });
  RemoteDecider remote(config(), spec_);
  wait_for_server(remote);
  System system(remote, spec_);
  EXPECT_EQ(system.ask(20ms), Applied::fallback);
  EXPECT_EQ(system.ask(10s), Applied::policy);
  EXPECT_EQ(remote.counts().late, 1u);
  EXPECT_EQ(remote.counts().connected, 1u);
}

TEST_F(RemoteDeciderTest, LeavesAServerThatIsSilent) {
  const ServingPolicy serving(registry_, "tcp://127.0.0.1:*");
  std::atomic<bool> mute{true};
  const test::Relaying relaying(endpoint_, serving.endpoint(),
                                [&](std::size_t, test::Way, wire::Envelope::Reader e,
                                    std::span<const std::byte> bytes, test::Post& post) {
                                  if (!(e.isAnswer() && mute)) post.on(bytes);
                                });
  RemoteDecider remote(config(0.3), spec_);
  wait_for_server(remote);
  System system(remote, spec_);
  EXPECT_TRUE(test::within(300ms + kSlack, [&] {  // timeout_s
    EXPECT_EQ(system.ask(1h), Applied::fallback);
  }));
  mute = false;
  EXPECT_EQ(system.ask_until_policy(), Applied::policy) << remote.trouble();
  EXPECT_GE(remote.counts().unanswered, 1u);
}

TEST_F(RemoteDeciderTest, AsksForManyThreads) {
  const ServingPolicy serving(registry_, endpoint_);
  RemoteDecider remote(config(), spec_);
  EXPECT_EQ(test::decided_by_policy(remote, spec_, 16, 50), 16 * 50);
}

TEST_F(RemoteDeciderTest, WhatIsWrongIsToldAndNotThrown) {
  const ServingPolicy serving(registry_, endpoint_);
  RemotePolicyConfig wrong = config();
  wrong.policy = "shortest_queu";
  RemoteDecider remote(wrong, spec_);
  System system(remote, spec_);
  while (remote.trouble() == "not connected yet") std::this_thread::sleep_for(5ms);
  EXPECT_EQ(system.ask(20ms), Applied::fallback);
  EXPECT_NE(remote.trouble().find("shortest_queue"), std::string::npos) << remote.trouble();
}

}  // namespace remote_decider_test
}  // namespace park::bridge
