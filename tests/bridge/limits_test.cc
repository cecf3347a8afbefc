// What a server bounds: replies that are too large, long texts, and messages that do not end.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/short_text.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/transport/zmq_channel.h"
#include "park/core/env.h"
#include "park/envs/envs.h"
#include "tests/bridge/in_time.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace limits_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

Time in_time() { return steady_clock::now() + 20s; }

/// Its observation has a hundred elements more after each step.
class Growing final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "growing", .summary = "for tests", .reference = "none"};
    s.observation.leaves = {{.name = "load", .low = 0, .high = 1, .doc = "none", .group = "crowd"}};
    s.observation.groups = {{"crowd", 1'000'000}};
    s.action.leaves = {{.name = "push", .dtype = DType::i32, .low = 0, .high = 2, .doc = "how"}};
    s.metrics = {{"pushes", "1", true, "of an episode"}};
    return s;
  }
  void reset(const Episode&, Row row) override { show(row, 0); }
  Outcome step(ConstRow, Row row) override {
    show(row, ++steps_);
    return {0, 1, End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = 0; }

 private:
  void show(Row row, std::size_t steps) const {
    row.resize(crowd_, 100 * steps);
    for (float& load : row[load_]) load = 0.5F;
  }
  GroupId crowd_ = Batch(spec().observation).group("crowd");
  Field<float> load_ = Batch(spec().observation).field<float>("load");
  std::size_t steps_ = 0;
};

class LimitsTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kMostBytes = 20'000;
  static constexpr std::uint32_t kMostSlots = 64;

  LimitsTest() {
    envs::register_all(registry_);
    registry_.add_env(Growing::spec(), [] { return std::make_unique<Growing>(); });
  }
  [[nodiscard]] test::OnThread<Server> serving(std::uint64_t most_bytes) {
    return test::OnThread<Server>(
        ServerOptions{.endpoint = "tcp://127.0.0.1:*", .limits = {.most_bytes = most_bytes}},
        [this] {
          return std::make_unique<StreamService>(
              registry_, StreamServiceOptions{.env = "", .most_slots = kMostSlots});
        });
  }

  Registry registry_;
  zmq::context_t context_;
};

/// A client that sends what it likes and tells what a request fails with.
class Client {
 public:
  Client(zmq::context_t& context, const std::string& endpoint)
      : channel_(context, {.endpoint = endpoint}), session_(channel_, {}) {
    session_.open(in_time());
  }
  std::pair<Code, std::string> failure(const ClientSession::Fill& fill) {
    try {
      static_cast<void>(session_.call(in_time(), fill));
    } catch (const Failed& failed) {
      return {failed.code(), failed.what()};
    }
    return {Code::INTERNAL, ""};
  }
  std::pair<Code, std::string> open(const std::string& env, std::uint32_t slots) {
    return failure([&](wire::Envelope::Builder e) {
      auto to = e.initOpenStream();
      to.setEnv(env);
      to.setSlots(slots);
      auto episodes = to.initEpisodes(slots);
      for (std::uint32_t i = 0; i < slots; ++i) episodes[i].setNumber(i);
    });
  }
  std::pair<Code, std::string> step(std::uint32_t stream, const Batch& actions) {
    return failure([&](wire::Envelope::Builder e) {
      e.initStep().setStream(stream);
      write(actions, e.getStep().initActions());
    });
  }
  std::pair<Code, std::string> close(std::uint32_t stream) {
    return failure([&](wire::Envelope::Builder e) { e.initCloseStream().setStream(stream); });
  }

 private:
  ZmqChannel channel_;
  ClientSession session_;
};

TEST_F(LimitsTest, AStreamWhoseFirstRowsAreTooManyIsNotOpen) {
  const auto server = serving(kMostBytes);
  Client client(context_, server.endpoint());
  const auto [code, text] = client.open("load_balance(servers=100)", kMostSlots);
  EXPECT_EQ(code, Code::TOO_MUCH);
  EXPECT_NE(text.find("at most 20000 are allowed; no stream is open"), std::string::npos) << text;
  EXPECT_EQ(client.close(1).first, Code::UNKNOWN_NAME);
  EXPECT_EQ(client.open("load_balance(servers=2)", kMostSlots).second, "") << "its slots are free";
}

TEST_F(LimitsTest, AStepThatMovesAndHasTooLargeAReplyClosesItsStreamAndSaysSo) {
  const auto server = serving(kMostBytes);
  Client client(context_, server.endpoint());
  ASSERT_EQ(client.open("growing", 1).second, "");
  Batch actions(Growing::spec().action);
  actions.resize(1);
  std::pair<Code, std::string> failed{Code::INTERNAL, ""};
  int steps = 0;
  for (; failed.second.empty() && steps < 200; ++steps) failed = client.step(1, actions);
  EXPECT_EQ(failed.first, Code::TOO_MUCH);
  EXPECT_NE(failed.second.find("; stream 1 has moved and is closed"), std::string::npos)
      << failed.second;
  EXPECT_EQ(client.step(1, actions).first, Code::UNKNOWN_NAME);
  EXPECT_EQ(client.open("growing", kMostSlots).second, "");
}

TEST_F(LimitsTest, AFailureOfManyLinesIsShort) {
  const auto server = serving(Limits{}.most_bytes);
  Client client(context_, server.endpoint());
  std::string env = "load_balance(";
  for (int i = 0; i < 6'000; ++i) env += "f" + std::to_string(i) + "=1,";
  env.back() = ')';
  const auto [code, text] = client.open(env, 1);
  EXPECT_EQ(code, Code::INVALID_CONFIG);
  EXPECT_LE(text.size(), kMostAnswerText);
  EXPECT_NE(text.find("more"), std::string::npos);
  EXPECT_EQ(client.open(std::string(100'000, 'a'), 1).first, Code::TOO_MUCH);
}

/// A service that promises not to wait, and then takes long for a step of stream 1.
class Deceiving final : public Service {
 public:
  void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) override {
    if (request.getStep().getStream() == 1) std::this_thread::sleep_for(2s);
    reply.initDecisions();
  }
  [[nodiscard]] bool may_wait() const override { return false; }
};

TEST_F(LimitsTest, NobodyWaitsForAStepThatWasThoughtToBeQuick) {
  const test::OnThread<Server> server(ServerOptions{.endpoint = "tcp://127.0.0.1:*", .limits = {}},
                                      [] { return std::make_unique<Deceiving>(); });
  const auto step = [](std::uint32_t stream) {
    return [stream](wire::Envelope::Builder e) { e.initStep().setStream(stream); };
  };
  ZmqChannel slow_channel(context_, {.endpoint = server.endpoint()});
  ClientSession slow(slow_channel, {});
  slow.open(in_time());
  Client other(context_, server.endpoint());
  const auto others_longest = [&] {
    auto longest = 0ns;
    const Time end = steady_clock::now() + 1s;
    for (Time begin = steady_clock::now(); begin < end; begin = steady_clock::now()) {
      EXPECT_EQ(other.failure(step(0)).second, "");
      longest = std::max<std::chrono::nanoseconds>(longest, steady_clock::now() - begin);
    }
    return longest;
  };
  EXPECT_TRUE(test::in_time([&] {
    for (int i = 0; i < 200; ++i) static_cast<void>(slow.call(in_time(), step(0)));
    const std::uint64_t long_one = slow.send(10s, step(1));
    const bool good = others_longest() < 200ms;
    static_cast<void>(slow.wait(long_one, in_time()));
    return good;
  }));
}

/// A peer that speaks ZMTP 3 by hand: greeting, handshake, and frames as it likes.
class RawPeer {
 public:
  explicit RawPeer(const std::string& endpoint) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port =
        htons(static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1))));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
    std::string greeting("\xff\0\0\0\0\0\0\0\1\x7f\3\0NULL", 16);
    greeting.resize(64, '\0');
    EXPECT_TRUE(send(greeting));
    EXPECT_TRUE(send(std::string("\4\34\5READY\13Socket-Type\0\0\0\6DEALER", 30)));
  }
  ~RawPeer() { ::close(socket_); }
  RawPeer(const RawPeer&) = delete;
  RawPeer& operator=(const RawPeer&) = delete;

  /// False: the connection is over.
  bool send(const std::string& bytes) {
    for (std::size_t at = 0; at < bytes.size();) {
      const ssize_t n = ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
      if (n <= 0) return false;
      at += static_cast<std::size_t>(n);
    }
    return true;
  }
  /// Sends parts that say that more follow; how many bytes went out before the connection ended.
  std::uint64_t endless(std::size_t part, std::uint64_t most) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 18;
    std::string one =
        part < 256 ? std::string("\1") + static_cast<char>(part) : std::string("\3\0\0\0\0", 5);
    for (int shift = 24; part >= 256 && shift >= 0; shift -= 8)
      one += static_cast<char>(part >> static_cast<unsigned>(shift));
    one.append(part, 'x');
    std::string many;
    while (many.size() < kAtOnce) many += one;
    std::uint64_t sent = 0;
    while (sent < most && send(many)) sent += many.size();
    return sent;
  }

 private:
  int socket_;
};

TEST_F(LimitsTest, AMessageThatDoesNotEndEndsItsConnection) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  const auto server = serving(kMiB);
  // Small parts take long, and more memory than their bytes.
  const std::vector<std::pair<std::size_t, std::uint64_t>> given_up{
      {0, 32 * kMiB}, {100, 256 * kMiB}, {100'000, 512 * kMiB}};
  for (const auto& [part, most] : given_up) {
    RawPeer peer(server.endpoint());
    EXPECT_LT(peer.endless(part, most), most) << "parts of " << part << " bytes";
    Client other(context_, server.endpoint());
    EXPECT_EQ(other.open("load_balance(servers=2)", 1).second, "");
  }
}

TEST_F(LimitsTest, ALargeMessageThatEndsIsTaken) {
  const auto server = serving(std::uint64_t{1} << 20);
  RawPeer idle(server.endpoint());
  Client client(context_, server.endpoint());
  for (int i = 0; i < 30; ++i) {
    const auto [code, text] = client.failure([](wire::Envelope::Builder e) {
      e.initStep().initActions().initColumns(1).init(0, 1'000'000);
    });
    EXPECT_EQ(code, Code::UNKNOWN_NAME) << text;
  }
}

}  // namespace limits_test
}  // namespace park::bridge
