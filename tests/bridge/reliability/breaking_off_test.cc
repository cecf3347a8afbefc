// Peers that break off while more waits than is taken. A ping that libzmq 4.3.4 finds behind it, or
// a heartbeat of its own that is due then, would end the process, and with it this program.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "bridge/codec/failure.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/transport/peers.h"
#include "bridge/transport/under_way.h"
#include "bridge/transport/zmq_channel.h"
#include "bridge/transport/zmq_options.h"
#include "park/envs/envs.h"
#include "tests/bridge/serving.h"
#include "tests/siege/zmtp.h"

namespace park::bridge {
namespace breaking_off_test {

using namespace std::chrono_literals;
using siege::Wire;
using siege::Zmtp;
using std::chrono::steady_clock;

Time in_time() { return steady_clock::now() + 20s; }

constexpr std::size_t kFlood = std::size_t{256} << 10;

/// Messages of one short frame, and a ping behind every `messages` of them.
Bytes flood(std::size_t messages, std::size_t bytes) {
  const Bytes ping = siege::command("PING", siege::bytes_of(std::string_view("\0\0", 2)));
  const Bytes message = siege::frame(0, siege::bytes_of("x"));
  Bytes all;
  while (all.size() < bytes) {
    for (std::size_t i = 0; i < messages; ++i)
      all.insert(all.end(), message.begin(), message.end());
    all.insert(all.end(), ping.begin(), ping.end());
  }
  return all;
}

class BreakingOff : public ::testing::Test {
 protected:
  BreakingOff() { envs::register_all(registry_); }
  /// Fails where a server does not let a client in.
  static void expect_served(const std::string& endpoint) {
    zmq::context_t context;
    ZmqChannel channel(context, {.endpoint = endpoint});
    ClientSession session(channel, {});
    session.open(in_time());
    session.close();
  }

  Registry registry_;
};

TEST_F(BreakingOff, AClientEndsNoServer) {
  const test::Serving server(registry_, "tcp://127.0.0.1:*", "load_balance");
  const Bytes all = flood(20, kFlood);
  constexpr int kTries = 60;
  for (int i = 0; i < kTries; ++i) {
    Zmtp client = Zmtp::dealer(server.endpoint(), in_time());
    client.send_raw(all, steady_clock::now() + std::chrono::milliseconds(i % 10));
    client.wire().reset();
  }
  expect_served(server.endpoint());
}

/// Floods each client that comes, once or for long, and breaks off.
class Flooding {
 public:
  explicit Flooding(Bytes all, std::chrono::milliseconds lasts = 0ms)
      : all_(std::move(all)),
        lasts_(lasts),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}
  [[nodiscard]] const std::string& endpoint() const { return listener_.endpoint(); }
  /// Wait until it has broken off so often, or has begun.
  void wait_for(int times) const { wait_for(times, broken_off_); }
  void wait_for_begin() const { wait_for(1, sent_); }

 private:
  static void wait_for(int times, const std::atomic<int>& n) {
    for (const Time latest = in_time(); n < times; std::this_thread::sleep_for(5ms))
      ASSERT_LT(steady_clock::now(), latest);
  }
  void run(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      auto wire = listener_.accept(steady_clock::now() + 50ms);
      if (!wire) continue;
      Zmtp client(std::move(*wire));
      if (!client.shake_hands("ROUTER", steady_clock::now() + 2s)) continue;
      const Time until = steady_clock::now() + lasts_;
      do ++sent_;
      while (client.send_raw(all_, steady_clock::now() + 100ms) && steady_clock::now() < until &&
             !stop.stop_requested());
      std::this_thread::sleep_for(20ms);  // time to read some of it, which a reset takes back
      client.wire().reset();
      ++broken_off_;
    }
  }

  Bytes all_;
  std::chrono::milliseconds lasts_;
  siege::Listener listener_{"tcp://127.0.0.1:*"};
  std::atomic<int> broken_off_ = 0, sent_ = 0;
  std::jthread thread_;
};

TEST_F(BreakingOff, AServerEndsNoClient) {
  const Flooding server(flood(1'100, kFlood));
  zmq::context_t context;
  ZmqChannel channel(context, {.endpoint = server.endpoint()});
  for (int times = 1; times <= 3; ++times) {
    server.wait_for(times);
    EXPECT_FALSE(channel.recv(steady_clock::now() + 200ms).has_value());
  }
}

TEST_F(BreakingOff, AFloodHoldsUpNoClientBeyondItsDeadline) {
  const Flooding server(flood(1'000, kFlood), 10s);
  zmq::context_t context;
  ZmqChannel channel(context, {.endpoint = server.endpoint()});
  server.wait_for_begin();
  const Time begin = steady_clock::now();
  try {
    EXPECT_FALSE(channel.recv(begin + 20ms).has_value());
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::TOO_MUCH);
  }
  EXPECT_LT(steady_clock::now() - begin, 5s);
}

/// A server's socket whose messages are taken when the test says so.
class WaitingMessages : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMostBytes = 20'000;
  static constexpr std::size_t kSent = std::size_t{512} << 10;

  WaitingMessages() {
    read_always(router_);
    peers_.emplace(context_, router_, kMostBytes, Peers::Allowed{});
    bind_to(router_, "tcp://127.0.0.1:*");
    client_.emplace(Zmtp::dealer(router_.get(zmq::sockopt::last_endpoint), in_time()));
    while (all_.size() < kSent) all_.insert(all_.end(), one_.begin(), one_.end());
  }
  /// Takes a message that is there.
  bool take() {
    zmq::message_t route, body;
    if (!receive_now(router_, route) || !receive_now(router_, body)) return false;
    const auto bytes = bytes_of(route);
    static_cast<void>(peers_->heard(body, {bytes.begin(), bytes.end()}, one_.size()));
    return true;
  }
  /// Whether the connection is over after so many rounds of a second each.
  bool over_after(int rounds, const std::function<void()>& taking) {
    for (; rounds > 0 && !client_->wire().over(); --rounds) {
      client_->send_raw(all_, steady_clock::now() + 1s);
      peers_->take_events();
      peers_->look(now_ += 1s);
      taking();
    }
    return client_->wire().over();
  }

  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  std::optional<Peers> peers_;
  std::optional<Zmtp> client_;
  Bytes one_ = siege::frame(0, Bytes(100)), all_;
  Time now_{};
};

TEST_F(WaitingMessages, OneOfWhichTooMuchWaitsIsEnded) {
  EXPECT_TRUE(over_after(400, [this] { take(); }));
}

TEST_F(WaitingMessages, ManySmallOnesAreAFloodThatEndsAtTheNextLook) {
  while (all_.size() < 4 * kSent) all_.insert(all_.end(), all_.begin(), all_.begin() + kSent);
  client_->send_raw(all_, in_time());
  peers_->take_events();
  for (const Time latest = in_time(); !client_->wire().over();) {
    ASSERT_LT(steady_clock::now(), latest);
    take();
    peers_->look(now_ += 20ms);
  }
}

TEST_F(WaitingMessages, OneThatIsHeardInTimeMaySendHoweverMuch) {
  std::size_t taken = 0;
  EXPECT_FALSE(over_after(20, [&] {
    for (const Time latest = in_time(); taken < all_.size() / one_.size();) {
      ASSERT_LT(steady_clock::now(), latest);
      if (take()) ++taken;
    }
    taken = 0;
    peers_->drained();
  }));
}

/// ZeroMQ's own would be due after a second.
TEST_F(BreakingOff, NeitherSideSendsHeartbeats) {
  const test::Serving server(registry_, "tcp://127.0.0.1:*", "load_balance");
  Zmtp silent = Zmtp::dealer(server.endpoint(), in_time());
  std::byte any{};
  EXPECT_EQ(silent.wire().recv({&any, 1}, steady_clock::now() + 1500ms), 0u);
  EXPECT_FALSE(silent.wire().over());
}

TEST(UnderWay, AFrameTakesItsHeadAndWhatEncryptionAdds) {
  EXPECT_EQ(wire_bytes(0, false), 2u);
  EXPECT_EQ(wire_bytes(255, false), 257u);
  EXPECT_EQ(wire_bytes(256, false), 265u);
  EXPECT_EQ(wire_bytes(222, true), 257u);
  EXPECT_EQ(wire_bytes(223, true), 265u);
}

}  // namespace breaking_off_test
}  // namespace park::bridge
