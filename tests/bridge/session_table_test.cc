// The sessions of a server, without sockets and clocks: every request counts once, whatever is
// lost, repeated or late.
#include "bridge/session/session_table.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "park/core/rng.h"

namespace park::bridge {
namespace session_table_test {

using namespace std::chrono_literals;

Bytes route(char name) { return {static_cast<std::byte>(name)}; }
capnp::Data::Reader data_of(const Bytes& bytes) {
  return {reinterpret_cast<const kj::byte*>(bytes.data()), bytes.size()};
}

class SessionTableTest : public ::testing::Test {
 protected:
  struct Sent {
    Bytes route, envelope;
  };

  SessionTable::Calls calls() {
    return {.send =
                [this](const Bytes& to, std::span<const std::byte> e) {
                  sent_.push_back({to, Bytes(e.begin(), e.end())});
                },
            .work = [this](const SessionKey& key, std::span<const std::byte>,
                           wire::Envelope::Reader e) { work_.emplace_back(key, e.getSequence()); },
            .ended = [this](const SessionKey& key) { ended_.push_back(key); },
            .new_key =
                [this] {
                  SessionKey key{};
                  key[0] = static_cast<std::byte>(++keys_);
                  return key;
                },
            .connected = [this](const Bytes& to) { return !lost_.contains(to); }};
  }
  SessionTable make(const Limits& limits = {}) { return SessionTable(limits, "test 1.0", calls()); }

  template <class Fill>
  void receive(SessionTable& table, char from, Fill fill, std::uint8_t major = kMajor) {
    EnvelopeWriter writer;
    fill(writer.begin());
    auto first = preamble();
    first[3] = std::byte{major};
    const std::array<std::span<const std::byte>, 2> frames{first, writer.finish()};
    table.receive(route(from), frames, now_);
  }
  void hello(SessionTable& table, char from, const Bytes& token = {}) {
    hello(table, from, from, token);
  }
  void hello(SessionTable& table, char from, char nonce, const Bytes& token) {
    receive(table, from, [&](wire::Envelope::Builder e) {
      auto h = e.initHello();
      h.setMostMinor(3);
      h.setToken(data_of(token));
      h.setNonce(data_of(Bytes(16, static_cast<std::byte>(nonce))));
    });
  }
  /// Opens a session and returns its key.
  Bytes open(SessionTable& table, char from) {
    hello(table, from);
    const Bytes envelope = sent_.back().envelope;
    EnvelopeReader reader;
    const auto key = reader.read(envelope).getWelcome().getSession();
    sent_.clear();
    const auto* begin = reinterpret_cast<const std::byte*>(key.begin());
    return {begin, begin + key.size()};
  }
  void request(SessionTable& table, char from, const Bytes& key, std::uint64_t sequence) {
    receive(table, from, [&](wire::Envelope::Builder e) {
      e.setSession(data_of(key));
      e.setSequence(sequence);
      e.initCloseStream();
    });
  }
  void step(SessionTable& table, const Bytes& key, std::uint64_t sequence, std::size_t bytes,
            char from = 'a') {
    receive(table, from, [&](wire::Envelope::Builder e) {
      e.setSession(data_of(key));
      e.setSequence(sequence);
      e.initStep().initActions().initColumns(1).init(0, static_cast<std::uint32_t>(bytes));
    });
  }
  static SessionKey key_of(const Bytes& bytes) {
    SessionKey key{};
    std::memcpy(key.data(), bytes.data(), key.size());
    return key;
  }
  void finish(SessionTable& table, const Bytes& key, std::uint64_t sequence) {
    EnvelopeWriter writer;
    auto e = writer.begin();
    e.setSession(data_of(key));
    e.setSequence(sequence);
    e.initStreamClosed().setStream(static_cast<std::uint32_t>(100 + sequence));
    table.finish(key_of(key), sequence, writer.finish());
  }
  /// Which member of the union the last message is, and its text where it has one.
  std::pair<wire::Envelope::Which, std::string> last() {
    EnvelopeReader reader;
    const auto e = reader.read(sent_.back().envelope);
    if (e.isFailure()) return {e.which(), std::string(e.getFailure().getText().cStr())};
    if (e.isRefused()) return {e.which(), std::string(e.getRefused().getText().cStr())};
    if (e.isFarewell()) return {e.which(), std::string(e.getFarewell().getReason().cStr())};
    return {e.which(), ""};
  }

  std::vector<Sent> sent_;
  std::vector<std::pair<SessionKey, std::uint64_t>> work_;
  std::vector<SessionKey> ended_;
  std::set<Bytes> lost_;  // routes
  Time now_{};
  int keys_ = 0;
};

using Which = wire::Envelope::Which;

TEST_F(SessionTableTest, WelcomesAndTellsTheLimits) {
  SessionTable table = make({.window = 5,
                             .lease = 7s,
                             .most_slots = 9,
                             .most_session_bytes = std::uint64_t{3} << 20,
                             .most_server_bytes = std::uint64_t{1} << 40});
  hello(table, 'a');
  ASSERT_EQ(sent_.size(), 1u);
  EXPECT_EQ(sent_[0].route, route('a'));
  EnvelopeReader reader;
  const auto welcome = reader.read(sent_[0].envelope).getWelcome();
  EXPECT_EQ(welcome.getMinor(), kMostMinor);
  EXPECT_EQ(welcome.getSession().size(), 16u);
  EXPECT_EQ(welcome.getWindow(), 5u);
  EXPECT_EQ(welcome.getLeaseMs(), 7000u);
  EXPECT_EQ(welcome.getMostSlots(), 9u);
  EXPECT_EQ(welcome.getMostSessionMib(), 3u);
  EXPECT_EQ(welcome.getMostServerMib(), 65'535u) << "the most that the field can tell";
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(SessionTableTest, AnotherVersionIsToldWhichSideIsOld) {
  SessionTable table = make();
  receive(
      table, 'a', [](auto e) { e.initHello(); }, kMajor + 1);
  EXPECT_EQ(last().first, Which::REFUSED);
  EXPECT_NE(last().second.find("the server has to be updated"), std::string::npos);
  receive(
      table, 'a', [](auto e) { e.initHello(); }, kMajor - 1);
  EXPECT_NE(last().second.find("the client has to be updated"), std::string::npos);
  receive(table, 'a', [](auto e) { e.initHello().setLeastMinor(kMostMinor + 1); });
  EXPECT_EQ(last().first, Which::REFUSED);
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(SessionTableTest, TheTokenIsAsked) {
  const Bytes token(32, std::byte{7});
  SessionTable table = make({.token = token});
  hello(table, 'a', Bytes(32, std::byte{8}));
  EXPECT_EQ(last().first, Which::REFUSED);
  hello(table, 'a');
  EXPECT_EQ(last().first, Which::REFUSED);
  hello(table, 'a', token);
  EXPECT_EQ(last().first, Which::WELCOME);
}

TEST_F(SessionTableTest, ARepeatedHelloOpensOneSession) {
  SessionTable table = make();
  hello(table, 'a');
  hello(table, 'a');
  EXPECT_EQ(table.size(), 1u);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].envelope, sent_[1].envelope);
  hello(table, 'b');
  EXPECT_EQ(table.size(), 2u);
}

TEST_F(SessionTableTest, BeyondTheMostSessionsHelloIsRefusedUntilOneEnds) {
  SessionTable table = make({.lease = 10s, .most_sessions = 2});
  open(table, 'a');
  open(table, 'b');
  hello(table, 'c');
  ASSERT_EQ(last().first, Which::REFUSED);
  EnvelopeReader reader;
  EXPECT_EQ(reader.read(sent_.back().envelope).getRefused().getCode(), Code::TOO_MUCH);
  hello(table, 'b');
  EXPECT_EQ(last().first, Which::WELCOME) << "a repeated one is of a session that is there";
  now_ += 10s;
  table.expire(now_);
  hello(table, 'c');
  EXPECT_EQ(last().first, Which::WELCOME);
}

TEST_F(SessionTableTest, AConnectionOpensSoManySessionsAndNoMore) {
  SessionTable table = make({.lease = 10s, .most_of_connection = 2});
  hello(table, 'a', '1', {});
  hello(table, 'a', '2', {});
  hello(table, 'a', '3', {});
  EXPECT_EQ(last(), (std::pair{Which::REFUSED,
                               std::string("the connection has opened 2 sessions, which is the "
                                           "most that the server allows")}));
  hello(table, 'b', '4', {});
  EXPECT_EQ(last().first, Which::WELCOME) << "another connection has places of its own";
  hello(table, 'a', '2', {});
  EXPECT_EQ(last().first, Which::WELCOME) << "a repeated one opens none";
  now_ += 10s;
  table.expire(now_);
  hello(table, 'a', '5', {});
  EXPECT_EQ(last().first, Which::WELCOME) << "what has ended does not count";
}

TEST_F(SessionTableTest, WherePlacesAreShortAnUnusedSessionEndsSoon) {
  SessionTable table = make({.lease = 30s, .most_sessions = 4, .unused = 2s});
  const Bytes used = open(table, 'a');
  request(table, 'a', used, 1);
  const Bytes unused = open(table, 'b');
  now_ += 5s;
  EXPECT_GT(table.expire(now_), now_);
  EXPECT_EQ(table.size(), 2u) << "there are places enough";
  const Bytes young = open(table, 'c');
  now_ += 1s;
  EXPECT_EQ(table.expire(now_), now_ + 1s);
  EXPECT_EQ(ended_, std::vector{key_of(unused)});
  EXPECT_EQ(last().second, "it was never used, and places are short");
  now_ += 60s;
  for (const char from : {'d', 'e', 'f'}) hello(table, from);
  EXPECT_EQ(last().first, Which::WELCOME);
}

TEST_F(SessionTableTest, ASessionKeepsSoManyBytes) {
  SessionTable table = make({.window = 4, .most_session_bytes = 100'000});
  const Bytes key = open(table, 'a');
  step(table, key, 1, 60'000);
  EXPECT_GT(table.bytes(), 60'000u);
  step(table, key, 2, 60'000);
  EXPECT_EQ(work_.size(), 1u);
  EXPECT_EQ(last().first, Which::FAILURE);
  EXPECT_NE(last().second.find("at most 100000 are allowed"), std::string::npos) << last().second;
  table.finish(key_of(key), 1, Bytes(8), {.request = table.bytes(), .owned = 99'999});
  step(table, key, 3, 0);
  EXPECT_EQ(work_.size(), 1u) << "what it owns elsewhere counts";
  request(table, 'a', key, 4);
  EXPECT_EQ(work_.size(), 2u) << "closing always works";
  finish(table, key, 4);
  step(table, key, 5, 60'000);
  EXPECT_EQ(work_.size(), 3u) << "and then there is room";
}

TEST_F(SessionTableTest, AllSessionsKeepSoManyBytesAndSmallRequestsGoOn) {
  SessionTable table = make({.most_server_bytes = 200'000});
  const Bytes large = open(table, 'a'), other = open(table, 'b');
  step(table, large, 1, 90'000);
  table.finish(key_of(large), 1, Bytes(8), {.request = 1'000'000, .owned = 190'000});
  step(table, other, 1, 100'000);
  EXPECT_EQ(last().first, Which::FAILURE);
  step(table, other, 2, 20'000);
  EXPECT_EQ(work_.size(), 2u);
  receive(table, 'b', [&](wire::Envelope::Builder e) {
    e.setSession(data_of(other));
    e.setSequence(3);
    e.initOpenStream();
  });
  EXPECT_EQ(work_.size(), 2u) << "nothing is opened";
  EXPECT_EQ(last().first, Which::FAILURE);
  receive(table, 'a', [&](wire::Envelope::Builder e) {
    e.setSession(data_of(large));
    e.setGoodbye();
  });
  EXPECT_LT(table.bytes(), 30'000u) << "it ends with what it kept";
}

TEST_F(SessionTableTest, SessionsOfAConnectionLeaveOthersAsMuch) {
  SessionTable table = make({.most_server_bytes = 200'000});
  const auto open_as = [&](char from, char nonce) {
    hello(table, from, nonce, {});
    EnvelopeReader reader;
    const auto key = reader.read(sent_.back().envelope).getWelcome().getSession();
    return Bytes(reinterpret_cast<const std::byte*>(key.begin()),
                 reinterpret_cast<const std::byte*>(key.end()));
  };
  const Bytes first = open_as('a', '1'), second = open_as('a', '2'), other = open_as('b', '3');
  step(table, first, 1, 80'000);
  step(table, second, 1, 80'000);
  EXPECT_EQ(work_.size(), 1u);
  EXPECT_NE(last().second.find("the sessions of the connection keep 80"), std::string::npos)
      << last().second;
  step(table, other, 1, 80'000);
  EXPECT_EQ(work_.size(), 2u) << "another connection has a share of its own";
  table.finish(key_of(first), 1, Bytes(8), {.request = 1'000'000, .owned = 0});
  step(table, second, 2, 80'000);
  EXPECT_EQ(work_.size(), 3u) << "what was freed does not count";
}

TEST_F(SessionTableTest, WherePlacesAreShortASessionWithoutConnectionEndsSoon) {
  SessionTable table = make({.lease = 30s, .most_sessions = 4, .unused = 2s});
  const Bytes gone = open(table, 'a'), stays = open(table, 'b');
  request(table, 'a', gone, 1);
  request(table, 'b', stays, 1);
  lost_ = {route('a')};
  now_ += 5s;
  table.expire(now_);
  EXPECT_EQ(table.size(), 2u) << "there are places enough";
  open(table, 'c');
  table.expire(now_);
  EXPECT_EQ(ended_, std::vector{key_of(gone)});
  EXPECT_EQ(last().second, "its connection was lost, and places are short");
}

TEST_F(SessionTableTest, WhereBytesAreShortASessionWithoutConnectionEndsSoon) {
  SessionTable table = make({.most_server_bytes = 200'000});
  const Bytes gone = open(table, 'a'), stays = open(table, 'b');
  const auto keep = [&](char from, const Bytes& key, std::uint64_t bytes) {
    step(table, key, 1, 8, from);
    table.finish(key_of(key), 1, Bytes(8), {.request = 1'000, .owned = bytes});
  };
  lost_ = {route('a')};
  keep('a', gone, 100'000);
  now_ += 5s;
  table.expire(now_);
  EXPECT_EQ(table.size(), 2u) << "there is room enough";
  keep('b', stays, 60'000);
  table.expire(now_);
  EXPECT_EQ(ended_, std::vector{key_of(gone)});
  EXPECT_EQ(last().second, "its connection was lost, and bytes are short");
  keep('c', open(table, 'c'), 100'000);
  lost_ = {route('b')};
  EXPECT_GT(table.expire(now_), now_) << "it may come back";
  now_ += 2s;
  table.expire(now_);
  EXPECT_EQ(table.size(), 1u);
}

TEST_F(SessionTableTest, LargeRepliesAreNotKeptForEver) {
  SessionTable table = make({.window = 2});
  const Bytes key = open(table, 'a');
  for (std::uint64_t s = 1; s <= 4; ++s) {
    request(table, 'a', key, s);
    table.finish(key_of(key), s, Bytes(s <= 2 ? std::size_t{1'000'000} : std::size_t{8}));
  }
  EXPECT_LT(table.bytes(), 10'000u);
}

TEST_F(SessionTableTest, SessionsOfAConnectionEndWithIt) {
  SessionTable table = make();
  const Bytes gone = open(table, 'a'), stays = open(table, 'b');
  table.disconnect(route('a'), "its key was revoked");
  EXPECT_EQ(ended_, std::vector{key_of(gone)});
  EXPECT_EQ(last(), (std::pair{Which::FAREWELL, std::string("its key was revoked")}));
  EXPECT_EQ(table.size(), 1u);
  request(table, 'b', stays, 1);
  EXPECT_EQ(work_.size(), 1u);
}

TEST_F(SessionTableTest, ARepeatedRequestCountsOnce) {
  SessionTable table = make();
  const Bytes key = open(table, 'a');
  request(table, 'a', key, 1);
  request(table, 'a', key, 1);  // still being worked on
  EXPECT_EQ(work_.size(), 1u);
  EXPECT_TRUE(sent_.empty());
  finish(table, key, 1);
  request(table, 'b', key, 1);  // the client has another socket now
  EXPECT_EQ(work_.size(), 1u);
  ASSERT_EQ(sent_.size(), 2u);
  EXPECT_EQ(sent_[0].envelope, sent_[1].envelope);
  EXPECT_EQ(sent_[1].route, route('b'));
}

TEST_F(SessionTableTest, RequestsAreWorkedOnInOrder) {
  SessionTable table = make({.window = 4});
  const Bytes key = open(table, 'a');
  request(table, 'a', key, 2);  // its predecessor was lost
  EXPECT_TRUE(work_.empty());
  request(table, 'a', key, 1);
  request(table, 'a', key, 2);
  ASSERT_EQ(work_.size(), 2u);
  EXPECT_EQ(work_[1].second, 2u);
  request(table, 'a', key, 7);
  EXPECT_EQ(last(), (std::pair{Which::FAILURE, std::string("sequence: 7, allowed are 1 to 6")}));
}

TEST_F(SessionTableTest, NoMoreThanTheWindow) {
  SessionTable table = make({.window = 2});
  const Bytes key = open(table, 'a');
  for (std::uint64_t s = 1; s <= 3; ++s) request(table, 'a', key, s);
  EXPECT_EQ(work_.size(), 2u);
  EXPECT_EQ(last().first, Which::FAILURE);
  finish(table, key, 1);
  request(table, 'a', key, 3);
  EXPECT_EQ(work_.size(), 3u);
}

TEST_F(SessionTableTest, ALeaseEndsASilentSession) {
  SessionTable table = make({.lease = 10s});
  const Bytes quiet = open(table, 'a'), alive = open(table, 'b');
  now_ += 8s;
  receive(table, 'b', [&](wire::Envelope::Builder e) {
    e.setSession(data_of(alive));
    e.setPing();
  });
  EXPECT_EQ(last().first, Which::PONG);
  now_ += 4s;
  EXPECT_EQ(table.expire(now_), now_ + 6s);
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(ended_, std::vector{key_of(quiet)});
  EXPECT_EQ(last(), (std::pair{Which::FAREWELL, std::string("the lease is over")}));
  request(table, 'a', quiet, 1);
  EXPECT_EQ(last().first, Which::FAILURE);
  finish(table, quiet, 1);  // what was being worked on meets nobody
}

TEST_F(SessionTableTest, GoodbyeAndShutDownFreeSessions) {
  SessionTable table = make();
  const Bytes a = open(table, 'a'), b = open(table, 'b');
  receive(table, 'a', [&](wire::Envelope::Builder e) {
    e.setSession(data_of(a));
    e.setGoodbye();
  });
  EXPECT_EQ(last().first, Which::FAREWELL);
  table.shut_down("maintenance");
  EXPECT_EQ(last(), (std::pair{Which::FAREWELL, std::string("maintenance")}));
  EXPECT_EQ(ended_, (std::vector{key_of(a), key_of(b)}));
  EXPECT_EQ(table.size(), 0u);
}

TEST_F(SessionTableTest, WhatIsNoMessageIsCountedAndHurtsNobody) {
  SessionTable table = make();
  const Bytes key = open(table, 'a');
  const Bytes http(16, std::byte{'G'});
  const std::array<std::span<const std::byte>, 1> one{http};
  table.receive(route('x'), one, now_);
  table.receive(route('x'), {}, now_);
  EXPECT_TRUE(sent_.empty());
  const auto first = preamble();
  const Bytes hostile(24, std::byte{0xff});
  const std::array<std::span<const std::byte>, 2> two{first, hostile};
  table.receive(route('x'), two, now_);
  EXPECT_EQ(last().first, Which::FAILURE);
  EXPECT_EQ(table.counts().malformed, 3u);
  request(table, 'a', key, 1);
  EXPECT_EQ(work_.size(), 1u);
}

/// A channel that loses, repeats and reorders: the work is the requests 1, 2, ... once each.
TEST_F(SessionTableTest, EveryRequestCountsOnceOverABadChannel) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    work_.clear();
    const Rng rng(seed);
    SessionTable table = make({.window = 4});
    const Bytes key = open(table, 'a');
    std::uint64_t answered = 0;
    for (std::uint64_t step = 0; answered < 30; ++step) {
      Rng draw = rng.split(step);
      const std::uint64_t sequence = answered + 1 + draw.below(4);
      if (draw.below(3) != 0) request(table, 'a', key, sequence);
      if (draw.below(2) == 0 && work_.size() > answered) finish(table, key, ++answered);
    }
    ASSERT_GE(work_.size(), 30u);
    for (std::size_t i = 0; i < work_.size(); ++i) ASSERT_EQ(work_[i].second, i + 1);
  }
}

}  // namespace session_table_test
}  // namespace park::bridge
