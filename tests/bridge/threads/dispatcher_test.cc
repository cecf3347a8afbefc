// A server and its clients over queues in memory: what many play side by side is what each would
// play alone; who does a request, and what that costs. Without sockets, so that the thread
// sanitizer sees everything.
#include "bridge/server/dispatcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/server/stream_service.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/threads/memory.h"
#include "tests/bridge/tools/conformance_client.h"
#include "tests/kit/memory.h"
#include "tests/kit/toy_shop.h"

namespace park::bridge {
namespace dispatcher_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

class DispatcherTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kClients = 6;

  DispatcherTest() {
    envs::register_all(registry_);
    registry_.add_env<park::test::ToyShop>();
  }

  /// Serves until it is told to stop.
  void serve(const std::stop_token& stop, std::uint32_t workers) {
    memory_.serve(stop, {.limits = {}, .name = "memory", .workers = workers}, [this] {
      return std::make_unique<StreamService>(registry_, StreamServiceOptions{});
    });
  }

  std::string played(const std::string& env) { return test::rollout(*memory_.channel(), env, 30s); }

  Registry registry_;
  test::Memory memory_;
};

TEST_F(DispatcherTest, ClientsSideBySidePlayWhatEachPlaysAlone) {
  const std::vector<std::string> envs{
      "toy_shop(customers=6)",           "load_balance(servers=3,jobs=30)",
      "load_balance(servers=2,jobs=20)", "toy_shop(customers=9,mood=busy)",
      "load_balance(servers=5,jobs=40)", "toy_shop(customers=4)"};
  std::vector<std::string> alone;
  for (std::size_t c = 0; c < kClients; ++c) {
    const std::jthread server([&](const std::stop_token& stop) { serve(stop, 1); });
    alone.push_back(played(envs[c]));
  }
  std::vector<std::string> together(kClients);
  {
    const std::jthread server([&](const std::stop_token& stop) { serve(stop, 3); });
    std::vector<std::jthread> clients;
    for (std::size_t c = 0; c < kClients; ++c)
      clients.emplace_back([&, c] { together[c] = played(envs[c]); });
  }
  EXPECT_EQ(together, alone);
}

TEST_F(DispatcherTest, AServerMayEndAtAnyTime) {
  for (int round = 0; round < 20; ++round) {
    std::optional<std::jthread> server(std::in_place,
                                       [&](const std::stop_token& stop) { serve(stop, 2); });
    std::vector<std::jthread> clients;
    for (std::size_t c = 0; c < kClients; ++c)
      clients.emplace_back([&] {
        try {
          static_cast<void>(test::rollout(*memory_.channel(), "toy_shop(customers=200)", 200ms));
        } catch (const Failed&) {  // late, or told that it ends
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    server.reset();
  }
}

/// A server and one client on the same thread, without an allocation of its own.
class Direct final : public Channel {
 public:
  explicit Direct(Dispatcher::MakeService make)
      : replies_(64),
        dispatcher_({.limits = {}, .name = "direct", .workers = 1}, std::move(make),
                    {.send =
                         [this](const Bytes&, std::span<const std::byte> e) {
                           replies_[put_++ % replies_.size()].assign(e.begin(), e.end());
                         },
                     .wake =
                         [this] {
                           const std::lock_guard lock(mutex_);
                           woken_ = true;
                           ready_.notify_one();
                         }}) {}
  ~Direct() noexcept override = default;  // else as lax as the messages' destructors

  void send(std::span<const std::byte> envelope) override {
    const auto begin = preamble();
    const std::array<std::span<const std::byte>, 2> frames{begin, envelope};
    dispatcher_.receive(route_, frames, now());
  }
  std::optional<std::span<const std::byte>> recv(Time until) override {
    while (taken_ == put_) {
      {
        std::unique_lock lock(mutex_);
        if (!ready_.wait_until(lock, until, [this] { return woken_; })) return {};
        woken_ = false;
      }
      dispatcher_.finish_done();
    }
    return replies_[taken_++ % replies_.size()];
  }
  Time now() override { return steady_clock::now(); }
  std::string endpoint() const override { return "memory"; }

 private:
  const Bytes route_{std::byte{1}};
  std::vector<Bytes> replies_;
  std::size_t put_ = 0, taken_ = 0;
  std::mutex mutex_;
  std::condition_variable ready_;
  bool woken_ = false;
  Dispatcher dispatcher_;  // last: its workers use the rest
};

/// Answers steps, and says who did it; one of stream 1 lasts until it is let go.
class Watched final : public Service {
 public:
  struct Seen {
    std::atomic<std::thread::id> by;
    std::atomic<int> done = 0;
    std::promise<void> begun, let_go;
  };
  Watched(Seen& seen, bool may_wait) : seen_(seen), may_wait_(may_wait) {}
  void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) override {
    seen_.by = std::this_thread::get_id();
    ++seen_.done;
    if (request.getStep().getStream() == 1) {
      seen_.begun.set_value();
      seen_.let_go.get_future().wait_for(30s);
    }
    reply.initDecisions();
  }
  [[nodiscard]] bool may_wait() const override { return may_wait_; }

 private:
  Seen& seen_;
  bool may_wait_;
};

ClientSession::Fill step(std::uint32_t stream) {
  return [stream](wire::Envelope::Builder e) { e.initStep().setStream(stream); };
}

Time in_time() { return steady_clock::now() + 20s; }

/// A watched server and its client.
struct WatchedDispatcher {
  explicit WatchedDispatcher(bool may_wait)
      : channel([this, may_wait] { return std::make_unique<Watched>(seen, may_wait); }),
        session(channel, {}) {
    session.open(in_time());
  }
  /// Whether a step is done on the thread that owns the dispatcher.
  bool does_it_itself() {
    static_cast<void>(session.call(in_time(), step(0)));
    return seen.by.load() == std::this_thread::get_id();
  }

  Watched::Seen seen;
  Direct channel;
  ClientSession session;
};

TEST(Dispatcher, DoesQuickStepsItselfUntilOneIsSlow) {
  WatchedDispatcher dispatcher(false);
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(dispatcher.does_it_itself());  // it does not know them yet
  const Time latest = in_time();
  while (!dispatcher.does_it_itself()) ASSERT_LT(steady_clock::now(), latest);
  const std::jthread other([&] {
    dispatcher.seen.begun.get_future().wait();
    std::this_thread::sleep_for(2ms);
    dispatcher.seen.let_go.set_value();
  });
  static_cast<void>(dispatcher.session.call(in_time(), step(1)));
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(dispatcher.does_it_itself());
}

TEST(Dispatcher, NeverDoesALargeMessageItself) {
  WatchedDispatcher dispatcher(false);
  const Time latest = in_time();
  while (!dispatcher.does_it_itself()) ASSERT_LT(steady_clock::now(), latest);
  static_cast<void>(dispatcher.session.call(in_time(), [](wire::Envelope::Builder e) {
    e.initStep().initActions().initColumns(1).init(0, 100'000);
  }));
  EXPECT_NE(dispatcher.seen.by.load(), std::this_thread::get_id());
}

TEST(Dispatcher, NeverDoesWhatMayWaitItself) {
  WatchedDispatcher dispatcher(true);
  for (int i = 0; i < 300; ++i) EXPECT_FALSE(dispatcher.does_it_itself());
}

TEST(Dispatcher, ARequestThatItComesToTooLateIsNotDone) {
  WatchedDispatcher dispatcher(true);
  const auto slow = dispatcher.session.send(0ms, step(1));
  const auto late = dispatcher.session.send(1ms, step(0));
  const auto patient = dispatcher.session.send(10min, step(0));
  const auto always = dispatcher.session.send(0ms, step(0));
  dispatcher.seen.begun.get_future().wait();
  std::this_thread::sleep_for(20ms);
  dispatcher.seen.let_go.set_value();
  EXPECT_TRUE(dispatcher.session.wait(slow, in_time()).isDecisions());
  try {
    static_cast<void>(dispatcher.session.wait(late, in_time()));
    ADD_FAILURE() << "it was done";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::LATE);
    EXPECT_NE(std::string(failed.what()).find("it was of use for 1"), std::string::npos)
        << failed.what();
  }
  EXPECT_TRUE(dispatcher.session.wait(patient, in_time()).isDecisions());
  EXPECT_TRUE(dispatcher.session.wait(always, in_time()).isDecisions());
  EXPECT_EQ(dispatcher.seen.done, 3);
}

/// What a session of it owns is in another process.
class Elsewhere final : public Service {
 public:
  void handle(wire::Envelope::Reader, wire::Envelope::Builder reply) override {
    reply.initDecisions();
  }
  [[nodiscard]] std::uint64_t bytes_elsewhere() const override {
    return 2 * Limits{}.most_session_bytes;
  }
};

TEST(Dispatcher, WhatASessionOwnsInAnotherProcessCounts) {
  Direct channel([] { return std::make_unique<Elsewhere>(); });
  ClientSession session(channel, {});
  session.open(in_time());
  EXPECT_TRUE(session.call(in_time(), step(0)).isDecisions());
  try {
    static_cast<void>(session.call(in_time(), step(0)));
    ADD_FAILURE() << "it was done";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::TOO_MUCH);
    EXPECT_EQ(std::string(failed.what()).find("bytes: the session keeps 2147"), 0u)
        << failed.what();
  }
}

/// Steps of so many rows, done by workers where they may wait.
class SteadySteps : public ::testing::TestWithParam<std::pair<std::uint32_t, bool>> {
 protected:
  SteadySteps() { envs::register_all(registry_); }

  Registry registry_;
};

TEST_P(SteadySteps, AllocateNothing) {
  const auto [slots, may_wait] = GetParam();
  // After an episode everything has its size; the next one does not end before the last step.
  constexpr std::uint64_t kEpisode = 1100, kBegun = 50, kSteps = 1000;
  Direct channel([&, may_wait = may_wait] {
    return std::make_unique<StreamService>(
        registry_, StreamServiceOptions{.env = "load_balance(jobs=1100,interval_s=1e6)",
                                        .may_wait = may_wait});
  });
  ClientSession session(channel, {});
  const auto latest = [] { return steady_clock::now() + 60s; };
  session.open(latest());
  const auto opened = session.call(latest(), [&, n = slots](wire::Envelope::Builder e) {
    auto open = e.initOpenStream();
    open.setSlots(n);
    auto episodes = open.initEpisodes(2 * n);
    for (std::uint32_t i = 0; i < 2 * n; ++i) {
      episodes[i].setNumber(i);
      episodes[i].initEpisode().setInputs(i);
    }
  });
  const Spec spec = read(opened.getStreamOpened().getSpec());
  const std::uint32_t stream = opened.getStreamOpened().getStream();
  DecisionsReader reader(spec, slots);
  Decisions decisions(spec);
  reader.read(opened.getStreamOpened().getFirst(), decisions);
  Batch actions(spec.action);
  actions.resize(slots);
  const auto step_on = [&] {
    const auto fill = [&](wire::Envelope::Builder e) {
      e.initStep().setStream(stream);
      write(actions, e.getStep().initActions());
    };
    reader.read(session.call(latest(), std::ref(fill)).getDecisions(), decisions);
  };
  for (std::uint64_t i = 0; i < kEpisode + kBegun; ++i) step_on();
  const park::test::AllocationCount allocations;
  for (std::uint64_t i = 0; i < kSteps; ++i) step_on();
  EXPECT_EQ(allocations.count(), 0u);
  EXPECT_EQ(decisions.asked.size(), slots);
  EXPECT_EQ(decisions.asked[0].sequence, kBegun + kSteps);
}

INSTANTIATE_TEST_SUITE_P(Rows, SteadySteps,
                         ::testing::Values(std::pair(1u, false), std::pair(1u, true),
                                           std::pair(256u, true)));

}  // namespace dispatcher_test
}  // namespace park::bridge
