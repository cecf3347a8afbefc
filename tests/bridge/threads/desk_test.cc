// A server and many clients, each on a thread of its own, over queues in memory: what they play is
// what each would play alone. Without sockets, so that the thread sanitizer sees everything.
#include "bridge/server/desk.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bridge/server/stream_service.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "tests/bridge/tools/conformance_client.h"
#include "tests/conformance/toy_shop.h"

namespace park::bridge {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Messages from some threads to one.
class Queue {
 public:
  struct Message {
    std::size_t from = 0;
    Bytes bytes;
  };
  void put(Message message) {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
    ready_.notify_one();
  }
  void wake() {
    const std::lock_guard lock(mutex_);
    woken_ = true;
    ready_.notify_one();
  }
  /// The next message; nothing at the time, or where it was woken.
  std::optional<Message> take(Time until) {
    std::unique_lock lock(mutex_);
    ready_.wait_until(lock, until, [&] { return !messages_.empty() || woken_; });
    woken_ = false;
    if (messages_.empty()) return {};
    Message first = std::move(messages_.front());
    messages_.pop_front();
    return first;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::deque<Message> messages_;
  bool woken_ = false;
};

class QueueChannel final : public Channel {
 public:
  QueueChannel(Queue& out, Queue& in, std::size_t number) : out_(out), in_(in), number_(number) {}
  void send(std::span<const std::byte> envelope) override {
    out_.put({number_, {envelope.begin(), envelope.end()}});
  }
  std::optional<std::span<const std::byte>> recv(Time until) override {
    auto message = in_.take(until);
    if (!message) return {};
    received_ = std::move(message->bytes);
    return received_;
  }
  Time now() override { return steady_clock::now(); }
  std::string endpoint() const override { return "memory"; }

 private:
  Queue& out_;
  Queue& in_;
  std::size_t number_;
  Bytes received_;
};

class DeskTest : public ::testing::Test {
 protected:
  static constexpr std::size_t kClients = 6;

  DeskTest() : from_server_(kClients) {
    envs::register_all(registry_);
    registry_.add_env<park::test::ToyShop>();
  }

  /// Serves until it is told to stop.
  void serve(const std::stop_token& stop, std::uint32_t workers) {
    Desk desk(
        {.limits = {}, .name = "memory", .workers = workers},
        [this] { return std::make_unique<StreamService>(registry_, StreamServiceOptions{}); },
        {.send =
             [this](const Bytes& to, std::span<const std::byte> e) {
               from_server_[std::to_integer<std::size_t>(to[0])].put({0, {e.begin(), e.end()}});
             },
         .wake = [this] { to_server_.wake(); }});
    const std::stop_callback wake(stop, [this] { to_server_.wake(); });
    while (!stop.stop_requested()) {
      const Time now = steady_clock::now();
      if (const auto message = to_server_.take(std::min(desk.expire(now), now + 100ms))) {
        const auto begin = preamble();
        const std::array<std::span<const std::byte>, 2> frames{begin, message->bytes};
        desk.receive({static_cast<std::byte>(message->from)}, frames, steady_clock::now());
      }
      desk.finish_done();
    }
    desk.shut_down("the end");
  }

  std::string played(std::size_t client, const std::string& env) {
    QueueChannel channel(to_server_, from_server_[client], client);
    return test::rollout(channel, env, 30s);
  }

  Registry registry_;
  Queue to_server_;
  std::vector<Queue> from_server_;
};

TEST_F(DeskTest, ClientsSideBySidePlayWhatEachPlaysAlone) {
  const std::vector<std::string> envs{"toy_shop(customers=6)",
                                      "load_balance(servers=3,jobs=30)",
                                      "simple_queue",
                                      "toy_shop(customers=9,mood=busy)",
                                      "load_balance(servers=5,jobs=40)",
                                      "toy_shop(customers=4)"};
  std::vector<std::string> alone;
  for (std::size_t c = 0; c < kClients; ++c) {
    const std::jthread server([&](const std::stop_token& stop) { serve(stop, 1); });
    alone.push_back(played(c, envs[c]));
  }
  std::vector<std::string> together(kClients);
  {
    const std::jthread server([&](const std::stop_token& stop) { serve(stop, 3); });
    std::vector<std::jthread> clients;
    for (std::size_t c = 0; c < kClients; ++c)
      clients.emplace_back([&, c] { together[c] = played(c, envs[c]); });
  }
  EXPECT_EQ(together, alone);
}

TEST_F(DeskTest, AServerMayEndAtAnyTime) {
  for (int round = 0; round < 20; ++round) {
    std::optional<std::jthread> server(std::in_place,
                                       [&](const std::stop_token& stop) { serve(stop, 2); });
    std::vector<std::jthread> clients;
    for (std::size_t c = 0; c < kClients; ++c)
      clients.emplace_back([&, c] {
        QueueChannel channel(to_server_, from_server_[c], c);
        try {
          static_cast<void>(test::rollout(channel, "toy_shop(customers=200)", 200ms));
        } catch (const Failed&) {  // late, or told that it ends
        }
      });
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    server.reset();
  }
}

}  // namespace
}  // namespace park::bridge
