// The clients that have threads of their own, over queues in memory. Without sockets, so that the
// thread sanitizer sees everything.
#include <gtest/gtest.h>

#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "bridge/client/connection.h"
#include "bridge/client/remote_decider.h"
#include "bridge/server/policy_service.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/load_balance.h"
#include "tests/bridge/system.h"
#include "tests/bridge/threads/memory.h"

namespace park::bridge {
namespace client_test {

using namespace std::chrono_literals;

/// A server of policies that tells its clients to ping often.
class ClientTest : public ::testing::Test {
 protected:
  static constexpr auto kLease = 1500ms;

  ClientTest() {
    envs::register_all(registry_);
    limits_.lease = kLease;
    limits_.heartbeat = 50ms;
  }
  [[nodiscard]] std::unique_ptr<std::jthread> server() {
    return std::make_unique<std::jthread>([this](const std::stop_token& stop) {
      memory_.serve(stop, {.limits = limits_, .name = "memory", .workers = 2}, [this] {
        return std::make_unique<PolicyService>(registry_, PolicyServiceOptions{});
      });
    });
  }
  [[nodiscard]] std::unique_ptr<Connection> connection(std::chrono::milliseconds hello) {
    ConnectOptions options{.address = {.endpoint = "memory"}};
    options.hello = hello;
    return std::make_unique<Connection>(std::move(options), [this] { return memory_.channel(); });
  }
  [[nodiscard]] RemoteDecider decider() {
    return {[this](std::chrono::milliseconds hello) { return connection(hello); }, "shortest_queue",
            20s, spec_};
  }

  Registry registry_;
  Limits limits_;
  test::Memory memory_;
  const Spec spec_ = load_balance::LoadBalance::spec({});
};

TEST_F(ClientTest, AnIdleSessionIsKeptAlive) {
  const auto serving = server();
  const auto idle = connection(20s);
  std::this_thread::sleep_for(2 * kLease);
  try {
    static_cast<void>(
        idle->session().call(idle->deadline(), [](wire::Envelope::Builder e) { e.initFamily(); }));
    ADD_FAILURE() << "a server of policies has a family";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::UNSUPPORTED) << failed.what();  // so it was heard
  }
}

TEST_F(ClientTest, ADeciderAsksForManyThreads) {
  const auto serving = server();
  RemoteDecider remote = decider();
  EXPECT_EQ(test::decided_by_policy(remote, spec_, 8, 40), 8 * 40);
}

TEST_F(ClientTest, ADeciderOutlivesItsServers) {
  RemoteDecider remote = decider();
  for (int round = 0; round < 3; ++round) {
    auto serving = server();
    std::latch served(4);
    std::vector<std::jthread> systems;
    for (int t = 0; t < 4; ++t)
      systems.emplace_back([&] {
        test::System system(remote, spec_);
        EXPECT_EQ(system.ask_until_policy(), Applied::policy) << remote.trouble();
        served.count_down();
        for (int i = 0; i < 5; ++i) system.ask(50ms);  // meanwhile its server ends
        system.close(spec_);
      });
    served.wait();
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    serving.reset();
  }
  EXPECT_GE(remote.counts().connected, 3u);
}

}  // namespace client_test
}  // namespace park::bridge
