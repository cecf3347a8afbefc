// Peers that do not read, stand still or take another's name: the server serves everybody else, and
// whoever ends does not wait for them.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "bridge/codec/wire_bytes.h"
#include "bridge/transport/zmq_channel.h"
#include "bridge/transport/zmq_options.h"
#include "park/envs/envs.h"
#include "tests/bridge/reliability/processes.h"
#include "tests/bridge/serving.h"

namespace park::bridge {
namespace peers_test {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr const char* kEnv = "load_balance(jobs=5000)";
constexpr auto kEndsWithin = 5s;

Time in_time() { return steady_clock::now() + 20s; }

/// A DEALER socket with options of its own.
class RawChannel final : public Channel {
 public:
  RawChannel(zmq::context_t& context, const std::string& endpoint,
             const std::function<void(zmq::socket_t&)>& prepare)
      : endpoint_(endpoint), socket_(context, zmq::socket_type::dealer) {
    socket_.set(zmq::sockopt::linger, 0);
    prepare(socket_);
    socket_.connect(endpoint);
  }
  void send(std::span<const std::byte> envelope) override {
    const auto begin = preamble();
    socket_.send(zmq::buffer(begin), zmq::send_flags::sndmore);
    socket_.send(zmq::buffer(envelope.data(), envelope.size()), zmq::send_flags::none);
  }
  std::optional<std::span<const std::byte>> recv(Time until) override {
    zmq::pollitem_t items[] = {{socket_.handle(), 0, ZMQ_POLLIN, 0}};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now());
    poll(items, std::max(left, std::chrono::milliseconds(0)));
    if (!socket_.recv(message_, zmq::recv_flags::dontwait)) return {};
    if (!socket_.recv(message_, zmq::recv_flags::dontwait)) return {};
    return bytes_of(message_);
  }
  Time now() override { return steady_clock::now(); }
  std::string endpoint() const override { return endpoint_; }

 private:
  std::string endpoint_;
  zmq::socket_t socket_;
  zmq::message_t message_;
};

/// Drives environments whose action is always the first one, so that it need not read what is
/// asked.
class Driver {
 public:
  Driver(Channel& channel, std::uint32_t slots) : channel_(channel), session_(channel, {}) {
    session_.open(in_time());
    const auto reply = session_.call(in_time(), [slots](wire::Envelope::Builder e) {
      auto open = e.initOpenStream();
      open.setSlots(slots);
      auto episodes = open.initEpisodes(slots);
      for (std::uint32_t i = 0; i < slots; ++i) episodes[i].setNumber(i);
      for (auto episode : episodes) episode.initEpisode();
    });
    stream_ = reply.getStreamOpened().getStream();
    actions_.emplace(read(reply.getStreamOpened().getSpec()).action);
    actions_->resize(slots);
  }
  /// Waits for its reply.
  void step() {
    const auto fill = [this](wire::Envelope::Builder e) { fill_step(e); };
    EXPECT_TRUE(session_.call(in_time(), fill).isDecisions());
  }
  /// Sends a step under a number, and reads nothing. For no step of the other kind.
  void only_send(std::uint64_t sequence) {
    auto envelope = writer_.begin();
    envelope.setSession(as_data(session_.key()));
    envelope.setSequence(sequence);
    fill_step(envelope);
    channel_.send(writer_.finish());
  }

 private:
  void fill_step(wire::Envelope::Builder e) {
    e.initStep().setStream(stream_);
    write(*actions_, e.getStep().initActions());
  }

  Channel& channel_;
  ClientSession session_;
  std::uint32_t stream_ = 0;
  std::optional<Batch> actions_;
  EnvelopeWriter writer_;
};

constexpr std::uint32_t kRows = 1024;  // 180 kB in each reply

/// Environments, and how many steps of many rows they have done.
class Counted final : public Service {
 public:
  Counted(const Registry& registry, std::atomic<std::uint64_t>& done)
      : inner_(registry, {.env = kEnv}), done_(done) {}
  void handle(wire::Envelope::Reader request, wire::Envelope::Builder reply) override {
    inner_.handle(request, reply);
    if (request.isStep() && request.getStep().getActions().getCount() == kRows) ++done_;
  }
  [[nodiscard]] bool may_wait() const override { return inner_.may_wait(); }

 private:
  StreamService inner_;
  std::atomic<std::uint64_t>& done_;
};

/// A server and a client that asks for much and reads nothing of it.
class DeafPeerTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kLastNumber = 60;  // of its requests

  DeafPeerTest() {
    envs::register_all(registry_);
    server_.emplace(ServerOptions{.endpoint = folder_.ipc(), .limits = {}},
                    [this] { return std::make_unique<Counted>(registry_, done_); });
    deaf_channel_.emplace(context_, server_->endpoint(), [](zmq::socket_t& socket) {
      socket.set(zmq::sockopt::rcvhwm, 1);
      socket.set(zmq::sockopt::rcvbuf, 4096);
    });
    deaf_.emplace(*deaf_channel_, kRows);
  }
  ~DeafPeerTest() noexcept override = default;

  /// Sends its steps, the next one when the one before has been done.
  void ask(const std::function<void()>& meanwhile) {
    for (std::uint64_t number = 2; number <= kLastNumber; ++number) {
      const std::uint64_t before = done_;
      deaf_->only_send(number);
      meanwhile();
      const Time latest = in_time();
      while (done_ == before) ASSERT_LT(steady_clock::now(), latest);
    }
  }

  Registry registry_;
  test::Folder folder_;
  std::atomic<std::uint64_t> done_ = 0;
  std::optional<test::OnThread<Server>> server_;
  zmq::context_t context_;
  std::optional<RawChannel> deaf_channel_;
  std::optional<Driver> deaf_;
};

TEST_F(DeafPeerTest, HoldsNobodyUpAndFindsItsLastReply) {
  ZmqChannel channel(context_, {.endpoint = server_->endpoint()});
  Driver fast(channel, 1);
  ask([&] {
    for (int i = 0; i < 5; ++i) fast.step();
  });
  // Now it reads. Its pipe was full, so replies are missing; the last one comes when asked again.
  std::uint64_t replies = 0, number = 0;
  EnvelopeReader reader;
  for (const Time latest = in_time(); number != kLastNumber && steady_clock::now() < latest;) {
    const auto bytes = deaf_channel_->recv(steady_clock::now() + 200ms);
    if (!bytes) {
      deaf_->only_send(kLastNumber);
      continue;
    }
    const auto envelope = reader.read(*bytes);
    if (!envelope.isDecisions()) continue;
    number = envelope.getSequence();
    ++replies;
  }
  EXPECT_EQ(number, kLastNumber);
  EXPECT_LT(replies, kLastNumber - 1);
  fast.step();
}

TEST_F(DeafPeerTest, HoldsUpNoServerThatEnds) {
  ask([] {});
  const auto begin = steady_clock::now();
  server_.reset();
  EXPECT_LT(steady_clock::now() - begin, kEndsWithin);
}

TEST(PeersTest, AServerThatStandsStillHoldsUpNoClientThatEnds) {
  const test::Folder folder;
  test::ServerProcess server(folder, {kEnv, "--endpoint", folder.ipc()});
  auto context = std::make_unique<zmq::context_t>();
  auto channel = std::make_unique<ZmqChannel>(*context, Address{.endpoint = server.endpoint()});
  ClientSession session(*channel, {});
  session.open(in_time());
  server.signal(SIGSTOP);
  const Bytes large(std::size_t{4} << 20);
  for (int i = 0; i < 8; ++i) channel->send(large);
  const auto begin = steady_clock::now();
  channel.reset();
  context.reset();  // waits for what is queued, as the end of a process does
  EXPECT_LT(steady_clock::now() - begin, kEndsWithin);
}

TEST(PeersTest, OfTwoSocketsWithOneRoutingIdTheFirstIsServed) {
  Registry registry;
  envs::register_all(registry);
  const test::Folder folder;
  const test::Serving server(registry, folder.ipc(), kEnv);
  zmq::context_t context;
  const auto named = [](zmq::socket_t& socket) { socket.set(zmq::sockopt::routing_id, "me"); };
  RawChannel first(context, server.endpoint(), named);
  Driver served(first, 1);
  served.step();
  RawChannel second(context, server.endpoint(), named);
  ClientSession ignored(second, {});
  try {
    ignored.open(steady_clock::now() + 1s);
    ADD_FAILURE() << "the second one was heard";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::LATE);
  }
  served.step();
  RawChannel nameless(context, server.endpoint(), [](zmq::socket_t&) {});
  Driver(nameless, 1).step();
}

}  // namespace peers_test
}  // namespace park::bridge
