// Clients and a server over a channel that loses, repeats and delays: what they do together is what
// they do over a good one. Time is simulated.
#include "bridge/session/client_session.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "park/core/rng.h"

namespace park::bridge {
namespace client_session_test {

using namespace std::chrono_literals;
using Ms = std::chrono::milliseconds;

struct Weather {
  double lost = 0, doubled = 0;
  Ms most_delay{0};
};

/// A server with one client, in simulated time. Its work is a sum: a request adds its number, a
/// reply tells the sum, so that work done twice, not at all or in another order shows.
class World final : public Channel {
 public:
  World(const Weather& weather, std::uint64_t seed, Limits limits = {})
      : weather_(weather), rng_(seed), table_(std::move(limits), "world", calls()) {}
  ~World() noexcept override = default;  // else as lax as the messages' destructors

  void send(std::span<const std::byte> envelope) override { post(true, envelope); }

  std::optional<std::span<const std::byte>> recv(Time until) override {
    while (!in_flight_.empty() && in_flight_.begin()->first <= until) {
      const auto first = in_flight_.begin();
      now_ = std::max(now_, first->first);
      const auto [to_server, bytes] = std::move(first->second);
      in_flight_.erase(first);
      if (!to_server) {
        received_ = bytes;
        return received_;
      }
      if (deaf_) continue;
      const auto begin = preamble();
      const bool whole = damaged_ == 0;
      if (!whole) --damaged_;
      const std::array<std::span<const std::byte>, 2> frames{
          begin, std::span(bytes).first(whole ? bytes.size() : 8)};
      table_.receive({std::byte{1}}, frames, now_);
    }
    now_ = std::max(now_, until);
    table_.expire(now_);
    return {};
  }
  Time now() override { return now_; }
  std::string endpoint() const override { return "world"; }

  void pass(Ms time) { static_cast<void>(recv(now_ + time)); }
  void deaf(bool is) { deaf_ = is; }
  /// Cuts the next n messages to the server.
  void damage(int n) { damaged_ = n; }
  SessionTable& table() { return table_; }
  int done = 0;

 private:
  void post(bool to_server, std::span<const std::byte> bytes) {
    const int copies = rng_.uniform() < weather_.lost      ? 0
                       : rng_.uniform() < weather_.doubled ? 2
                                                           : 1;
    for (int i = 0; i < copies; ++i) {
      const auto delay = Ms(
          1 + static_cast<int>(rng_.uniform() * static_cast<double>(weather_.most_delay.count())));
      in_flight_.emplace(now_ + delay, std::pair(to_server, Bytes(bytes.begin(), bytes.end())));
    }
  }

  SessionTable::Calls calls() {
    return {.send = [this](const Bytes&, std::span<const std::byte> e) { post(false, e); },
            .work = [this](const SessionKey& key, std::span<const std::byte>,
                           wire::Envelope::Reader e) { work(key, e); },
            .ended = [](const SessionKey&) {},
            .new_key =
                [this] {
                  SessionKey key{};
                  key[0] = static_cast<std::byte>(++keys_);
                  return key;
                }};
  }

  void work(const SessionKey& key, wire::Envelope::Reader e) {
    ++done;
    sum_ = 31 * sum_ + e.getCloseStream().getStream();
    auto reply = writer_.begin();
    reply.setSession({reinterpret_cast<const kj::byte*>(key.data()), key.size()});
    reply.setSequence(e.getSequence());
    reply.initStreamClosed().setStream(sum_);
    table_.finish(key, e.getSequence(), writer_.finish());
  }

  Weather weather_;
  Rng rng_;
  SessionTable table_;
  std::multimap<Time, std::pair<bool, Bytes>> in_flight_;
  Bytes received_;
  EnvelopeWriter writer_;
  Time now_{};
  std::uint32_t sum_ = 0;
  int keys_ = 0, damaged_ = 0;
  bool deaf_ = false;
};

ClientSession::Fill request(std::uint32_t number) {
  return [number](wire::Envelope::Builder e) { e.initCloseStream().setStream(number); };
}

/// The replies to n requests, `ahead` of them under way at a time.
std::vector<std::uint32_t> replies(World& world, ClientSession& client, std::uint32_t n,
                                   std::uint32_t ahead) {
  std::vector<std::uint32_t> all;
  std::vector<std::uint64_t> sent;
  while (all.size() < n) {
    while (sent.size() < n && sent.size() < all.size() + ahead)
      sent.push_back(client.send(1s, request(static_cast<std::uint32_t>(sent.size()))));
    all.push_back(client.wait(sent[all.size()], world.now() + 60s).getStreamClosed().getStream());
  }
  return all;
}

std::vector<std::uint32_t> undisturbed() {
  World world({}, 1);
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  return replies(world, client, 60, 1);
}

TEST(ClientSession, OverABadChannelNothingChanges) {
  const std::vector<std::uint32_t> expected = undisturbed();
  std::uint64_t repeated = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    World world({.lost = 0.1, .doubled = 0.1, .most_delay = 50ms}, seed);
    ClientSession client(world, {});
    client.open(world.now() + 60s);
    EXPECT_EQ(replies(world, client, 60, 1 + static_cast<std::uint32_t>(seed % 8)), expected)
        << "seed " << seed;
    EXPECT_EQ(world.done, 60);
    EXPECT_EQ(world.table().size(), 1u);
    repeated += client.repeated();
  }
  EXPECT_GT(repeated, 500u);
}

template <class Function>
std::pair<Code, std::string> failure(Function&& function) {
  try {
    function();
  } catch (const Failed& failed) {
    return {failed.code(), failed.what()};
  }
  ADD_FAILURE() << "did not fail";
  return {};
}

TEST(ClientSession, NobodyThereIsToldAtTheDeadline) {
  World world({.lost = 1}, 1);
  ClientSession client(world, {});
  const Time begin = world.now();
  EXPECT_EQ(failure([&] { client.open(begin + 3s); }),
            (std::pair{Code::LATE, std::string("no server answers at world")}));
  EXPECT_EQ(world.now(), begin + 3s);
}

TEST(ClientSession, ALateReplyMayStillBeWaitedFor) {
  World world({}, 1);
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  world.deaf(true);
  const std::uint64_t sequence = client.send(1s, request(5));
  const Time begin = world.now();
  EXPECT_EQ(failure([&] { static_cast<void>(client.wait(sequence, begin + 2s)); }).first,
            Code::LATE);
  EXPECT_EQ(world.now(), begin + 2s);
  world.deaf(false);
  EXPECT_EQ(client.wait(sequence, world.now() + 5s).getStreamClosed().getStream(), 5u);
  EXPECT_EQ(world.done, 1);
}

TEST(ClientSession, TheWindowAndTheSizeAreKept) {
  World world({}, 1, {.window = 2, .most_bytes = 4096});
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  EXPECT_EQ(
      failure([&] { client.send(1s, [](auto e) { e.initFamily().initPayload(5000); }); }).first,
      Code::TOO_MUCH);
  client.send(1s, request(1));
  client.send(1s, request(2));
  EXPECT_EQ(
      failure([&] { client.send(1s, request(3)); }),
      (std::pair{Code::TOO_MUCH, std::string("window: the reply to request 1 has not been taken "
                                             "yet; at most 2 may be under way")}));
  EXPECT_EQ(client.pending(), 2u);
}

TEST(ClientSession, WhatIsForgottenIsDoneAllTheSame) {
  const std::vector<std::uint32_t> expected = undisturbed();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    World world({.lost = 0.1, .doubled = 0.1, .most_delay = 50ms}, seed, {.window = 3});
    ClientSession client(world, {});
    client.open(world.now() + 60s);
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < 60; i += 4) {  // the window is smaller
      for (std::uint32_t k = 0; k < 3; ++k) client.forget(client.send(60s, request(i + k)));
      last = client.call(world.now() + 60s, request(i + 3)).getStreamClosed().getStream();
      EXPECT_EQ(last, expected[i + 3]) << "seed " << seed;
    }
    EXPECT_EQ(world.done, 60);
  }
}

TEST(ClientSession, ALostSessionIsAnErrorAndNoWait) {
  World world({}, 1, {.lease = 5s});
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  world.table().shut_down("maintenance");
  const auto [code, what] =
      failure([&] { static_cast<void>(client.call(world.now() + 9s, request(1))); });
  EXPECT_EQ(code, Code::SHUTTING_DOWN);
  EXPECT_EQ(what, "the server ended the session: maintenance");
  EXPECT_EQ(failure([&] { static_cast<void>(client.call(world.now() + 9s, request(1))); }).first,
            Code::NO_SESSION);
}

/// A server that began anew knows nothing of the session.
TEST(ClientSession, ASessionThatTheServerForgotIsTold) {
  World world({}, 1, {.lease = 5s});
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  static_cast<void>(client.call(world.now() + 1s, request(1)));
  world.deaf(true);
  world.pass(6s);  // the lease is over
  world.pass(1s);  // and its farewell passes unheard
  world.deaf(false);
  EXPECT_EQ(failure([&] { static_cast<void>(client.call(world.now() + 1s, request(2))); }).first,
            Code::NO_SESSION);
}

TEST(ClientSession, ARefusalIsTheServersLine) {
  World world({}, 1, {.token = Bytes(32, std::byte{1})});
  ClientSession client(world, {});
  EXPECT_EQ(failure([&] { client.open(world.now() + 1s); }).first, Code::NOT_ALLOWED);
}

TEST(ClientSession, ALimitOf0IsNamedAtOnce) {
  const std::vector<std::pair<std::string, Limits>> all{{"window", {.window = 0}},
                                                        {"leaseMs", {.lease = 0ms}},
                                                        {"mostBytes", {.most_bytes = 0}},
                                                        {"mostSlots", {.most_slots = 0}},
                                                        {"heartbeatMs", {.heartbeat = 0ms}}};
  for (const auto& [name, limits] : all) {
    World world({}, 1, limits);
    ClientSession client(world, {});
    const Time begin = world.now();
    EXPECT_EQ(failure([&] { client.open(begin + 60s); }),
              (std::pair{Code::MALFORMED, "welcome: " + name + ": is 0, allowed is 1 or more"}));
    EXPECT_LT(world.now(), begin + 1s);
  }
}

TEST(ClientSession, WhatTheServerCannotReadIsToldBeforeTheDeadline) {
  constexpr int kAll = 1'000'000;
  const std::string text = "the server cannot read what this client sends: message: ";
  World world({}, 1);
  ClientSession client(world, {});
  world.damage(kAll);
  const auto at_once = failure([&] { client.open(world.now() + 60s); });
  EXPECT_EQ(at_once.first, Code::MALFORMED);
  EXPECT_EQ(at_once.second.find(text), 0u) << at_once.second;
  world.damage(0);
  client.open(world.now() + 60s);
  world.damage(kAll);
  const Time begin = world.now();
  const auto later = failure([&] { static_cast<void>(client.call(begin + 60s, request(1))); });
  EXPECT_EQ(later.first, Code::MALFORMED);
  EXPECT_EQ(later.second.find(text), 0u) << later.second;
  EXPECT_LT(world.now(), begin + 3s);
}

TEST(ClientSession, AMessageThatWasDamagedOnItsWayIsSentAgain) {
  World world({}, 1);
  ClientSession client(world, {});
  world.damage(3);
  client.open(world.now() + 60s);
  for (std::uint32_t i = 0; i < 10; ++i) {
    world.damage(3);
    static_cast<void>(client.call(world.now() + 60s, request(i)));
  }
  EXPECT_EQ(world.done, 10);
  EXPECT_EQ(client.repeated(), 30u);
}

TEST(ClientSession, GoodbyeFreesTheSession) {
  World world({}, 1);
  ClientSession client(world, {});
  client.open(world.now() + 1s);
  client.close();
  client.close();
  world.pass(10ms);
  EXPECT_EQ(world.table().size(), 0u);
}

}  // namespace client_session_test
}  // namespace park::bridge
