// Environments behind a server: a remote stream delivers the same bytes as a pool here.
#include "bridge/client/remote_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "park/core/policy.h"
#include "park/envs/envs.h"
#include "tests/bridge/playing.h"
#include "tests/bridge/serving.h"
#include "tests/kit/small_envs.h"
#include "tests/kit/toy_shop.h"

namespace park::bridge {
namespace remote_stream_test {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

using test::Playing;
using test::Serving;

class RemoteStreamTest : public ::testing::Test {
 protected:
  RemoteStreamTest() {
    envs::register_all(registry_);
    registry_.add_env<park::test::ToyShop>();
    registry_.add_stream<RemoteEnv>();
    char name[] = "/tmp/park-bridge-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~RemoteStreamTest() override { fs::remove_all(folder_); }
  /// What a server says about an endpoint, and a client; empty where it takes it.
  [[nodiscard]] std::string failed_to_serve(const std::string& endpoint) const {
    try {
      const Serving serving(registry_, endpoint, "load_balance");
    } catch (const Failed& failed) {
      return failed.what();
    }
    return "";
  }
  [[nodiscard]] std::string failed_to_connect(const std::string& endpoint) const {
    try {
      static_cast<void>(registry_.spec("remote(timeout_s=0.5,endpoint=\"" + endpoint + "\")"));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::invalid_config) << error.what();
      return error.what();
    }
    return "";
  }
  [[nodiscard]] std::string ipc() const { return "ipc://" + (folder_ / "socket").string(); }

  Registry registry_;
  fs::path folder_;
};

TEST_F(RemoteStreamTest, DeliversWhatAPoolDelivers) {
  std::vector<std::string> envs = park::test::small_envs();
  envs.emplace_back("toy_shop(customers=6,mood=busy)");
  for (const std::string& env : envs) {
    for (const std::uint32_t slots : {1u, 3u}) {
      const RandomEpisodes episodes(Rng(3), {.count = 7});
      const StreamOptions options{.slots = slots};
      const auto here = registry_.stream(env, episodes, options);
      RandomPolicy policy(here->spec());
      const std::string expected = test::digest(*here, policy);
      for (const std::string& endpoint : {ipc(), std::string("tcp://127.0.0.1:*")}) {
        const Serving serving(registry_, endpoint, env);
        const auto there =
            registry_.stream("remote(endpoint=\"" + serving.endpoint() + "\")", episodes, options);
        EXPECT_EQ(layout_hash(there->spec()), layout_hash(here->spec()));
        EXPECT_TRUE(test::digest(*there, policy) == expected) << env << ", " << slots << " slots";
      }
    }
  }
}

std::shared_ptr<Connection> connected(const std::string& endpoint) {
  return std::make_shared<Connection>(
      connect_options(Reach{.endpoint = endpoint, .key = "", .server_key = ""}));
}

TEST_F(RemoteStreamTest, TwoInOneSessionDeliverWhatEachDeliversAlone) {
  constexpr const char *kFirst = "toy_shop(customers=40)", *kSecond = "load_balance(jobs=30)";
  const RandomEpisodes episodes(Rng(3), {.count = 7});
  const StreamOptions options{.slots = 3};
  Serving serving(registry_, ipc());
  {
    const auto connection = connected(serving.endpoint());
    RemoteStream one(connection, kFirst, episodes, options);
    RemoteStream other(connection, kSecond, episodes, options);
    RandomPolicy of_one(one.spec()), of_other(other.spec());
    Playing first(one, of_one), second(other, of_other);
    bool more = first.step(), more_too = second.step();
    EXPECT_EQ(connection->session().pending(), 2u);  // the server steps both meanwhile
    while (more || more_too) {
      more = more && first.step();
      more_too = more_too && second.step();
    }
    const auto alone = [&](const std::string& env, Policy& policy) {
      return test::digest(*registry_.stream(env, episodes, options), policy);
    };
    EXPECT_TRUE(first.digest() == alone(kFirst, of_one));
    EXPECT_TRUE(second.digest() == alone(kSecond, of_other));
  }
  EXPECT_EQ(serving.ended().counts().opened, 1u);
}

TEST_F(RemoteStreamTest, NoReplyIsLostWhileBothSidesAreBusy) {
  constexpr std::uint32_t kSlots = 64;
  constexpr int kRounds = 4000;
  Serving serving(registry_, ipc(), "load_balance(jobs=1e6)");
  ConnectOptions options =
      connect_options(Reach{.endpoint = serving.endpoint(), .key = "", .server_key = ""});
  options.client.repeat_first = 2 * options.timeout;  // one lost message, and a reply is late
  options.timeout = std::chrono::seconds(20);
  {
    const auto connection = std::make_shared<Connection>(options);
    const RandomEpisodes episodes(Rng(3), {.count = kSlots});
    std::vector<std::unique_ptr<RemoteStream>> streams;
    for (int i = 0; i < 4; ++i)
      streams.push_back(
          std::make_unique<RemoteStream>(connection, "", episodes, StreamOptions{.slots = kSlots}));
    Batch actions(streams[0]->spec().action);
    actions.resize(kSlots);
    for (int round = 0; round < kRounds; ++round)
      for (const auto& stream : streams) {
        ASSERT_EQ(stream->recv().asked.size(), kSlots) << "round " << round;
        stream->send(actions);
      }
  }
  EXPECT_EQ(serving.ended().counts().repeated, 0u);
}

TEST_F(RemoteStreamTest, OneThatEndsFreesItsSlotsInASessionThatGoesOn) {
  Limits limits;
  limits.window = 3;
  const Serving serving(registry_, ipc(), "load_balance", limits);
  const auto connection = connected(serving.endpoint());
  const RandomEpisodes episodes(Rng(3), {.count = 5000});
  const std::uint32_t most = connection->session().limits().most_slots;
  for (int i = 0; i < 5; ++i) {
    RemoteStream all(connection, "", episodes, {.slots = most});
    RandomPolicy policy(all.spec());
    Playing(all, policy).step();  // its reply is under way when it ends
  }
  EXPECT_THROW(RemoteStream(connection, "", episodes, {.slots = most + 1}), Error);
}

template <class Function>
std::string failure(Errc code, Function&& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "did not fail";
  return "";
}

TEST_F(RemoteStreamTest, WhatIsWrongIsOneLine) {
  const Serving serving(registry_, ipc(), "");
  const auto spec = [&](const std::string& fields) {
    return [this, fields] { static_cast<void>(registry_.spec("remote(" + fields + ")")); };
  };
  const std::string to = "endpoint=\"" + serving.endpoint() + "\",timeout_s=5,";
  EXPECT_NE(failure(Errc::invalid_config, spec("env=load_balance")).find("endpoint: is required"),
            std::string::npos);
  EXPECT_NE(failure(Errc::unknown_name, spec(to + "env=load_balanc")).find("load_balance"),
            std::string::npos);
  EXPECT_NE(
      failure(Errc::invalid_config, spec(to + "env=\"load_balance(servers=0)\"")).find("servers"),
      std::string::npos);
  EXPECT_NE(failure(Errc::invalid_config, spec("endpoint=nowhere")).find("tcp://HOST:PORT"),
            std::string::npos);
  EXPECT_NE(failure(Errc::unavailable, spec("endpoint=\"tcp://127.0.0.1:9\",timeout_s=0.5"))
                .find("no server answers"),
            std::string::npos);
}

TEST_F(RemoteStreamTest, AnIllegalActionMovesNothing) {
  const Serving serving(registry_, ipc(), "load_balance(servers=2,jobs=3)");
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry_.stream("remote(endpoint=\"" + serving.endpoint() + "\")", episodes);
  static_cast<void>(stream->recv());
  Batch actions(stream->spec().action);
  const auto server = actions.field<std::int32_t>("server");
  actions.append().scalar(server) = 2;
  failure(Errc::illegal_action, [&] { stream->send(actions); });
  actions.row(0).scalar(server) = 1;
  stream->send(actions);
  EXPECT_EQ(stream->recv().asked.at(0).sequence, 1u);
}

TEST_F(RemoteStreamTest, AfterADeadlineThatPassedNothingIsSent) {
  const Serving serving(registry_, ipc(), "load_balance(servers=2,jobs=3)");
  const test::Relaying slow(
      "tcp://127.0.0.1:*", serving.endpoint(),
      [](std::size_t, test::Way, wire::Envelope::Reader e, std::span<const std::byte> bytes,
         test::Post& post) { post.on(bytes, e.isDecisions() ? 300ms : 0ms); });
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry_.stream("remote(endpoint=\"" + slow.endpoint() + "\")", episodes);
  Batch none(stream->spec().action), actions(stream->spec().action);
  actions.resize(1);
  EXPECT_EQ(stream->recv().asked.size(), 1u);
  failure(Errc::illegal_action, [&] { stream->send(none); });
  stream->send(actions);
  const Decisions& late = stream->recv(Clock::now());
  EXPECT_TRUE(late.asked.empty() && late.ended.empty() && !late.done);
  stream->send(none);
  EXPECT_EQ(stream->recv().asked.at(0).sequence, 1u);
}

TEST_F(RemoteStreamTest, AServersDeadlineIsNotTheCallers) {
  const Serving serving(registry_, ipc(), "load_balance(servers=2,jobs=3)");
  const test::Relaying late("tcp://127.0.0.1:*", serving.endpoint(),
                            [](std::size_t, test::Way, wire::Envelope::Reader e,
                               std::span<const std::byte> bytes, test::Post& post) {
                              if (!e.isStep()) return post.on(bytes);
                              EnvelopeWriter writer;
                              auto reply = writer.begin();
                              reply.setSession(e.getSession());
                              reply.setSequence(e.getSequence());
                              reply.initFailure().setCode(Code::LATE);
                              post.back(writer.finish());
                            });
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream = registry_.stream("remote(endpoint=\"" + late.endpoint() + "\")", episodes);
  Batch actions(stream->spec().action);
  actions.resize(1);
  EXPECT_EQ(stream->recv().asked.size(), 1u);
  stream->send(actions);
  failure(Errc::unavailable,
          [&] { static_cast<void>(stream->recv(Clock::now() + std::chrono::seconds(20))); });
}

/// A caller that looks at something else now and then, such as a signal.
TEST_F(RemoteStreamTest, ManyShortWaitsAreOneLongOne) {
  const Serving serving(registry_, ipc(), "load_balance(servers=2,jobs=9)");
  std::atomic<bool> mute = false;
  const test::Relaying relaying("tcp://127.0.0.1:*", serving.endpoint(),
                                [&](std::size_t, test::Way, wire::Envelope::Reader e,
                                    std::span<const std::byte> bytes, test::Post& post) {
                                  if (!(e.isStep() && mute)) post.on(bytes);
                                });
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream =
      registry_.stream("remote(timeout_s=0.5,endpoint=\"" + relaying.endpoint() + "\")", episodes);
  Batch actions(stream->spec().action);
  actions.resize(1);
  EXPECT_EQ(stream->recv().asked.size(), 1u);
  stream->send(actions);
  static_cast<void>(stream->recv(Clock::now()));
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(stream->recv(Clock::now()).asked.size(), 1u) << "it had come in by then";

  mute = true;
  stream->send(actions);
  const Deadline latest = Clock::now() + 20s;
  const auto wait = [&] {
    while (Clock::now() < latest) static_cast<void>(stream->recv(Clock::now() + 20ms));
  };
  failure(Errc::unavailable, wait);
  EXPECT_LT(Clock::now(), latest);
}

TEST_F(RemoteStreamTest, AServerThatIsGoneIsToldInTime) {
  auto serving = std::make_unique<Serving>(registry_, ipc(), "load_balance(jobs=3)");
  const RandomEpisodes episodes(Rng(3), {.count = 1});
  const auto stream =
      registry_.stream("remote(timeout_s=1,endpoint=\"" + serving->endpoint() + "\")", episodes);
  const Decisions& d = stream->recv();
  serving.reset();
  Batch actions(stream->spec().action);
  actions.resize(d.asked.size());
  stream->send(actions);
  failure(Errc::unavailable, [&] { static_cast<void>(stream->recv()); });
}

TEST_F(RemoteStreamTest, TwoServersDoNotShareAnEndpoint) {
  const Serving serving(registry_, ipc(), "load_balance");
  EXPECT_THROW(Serving(registry_, ipc(), "load_balance"), Failed);
  const Serving tcp(registry_, "tcp://127.0.0.1:*", "load_balance");
  EXPECT_THROW(Serving(registry_, tcp.endpoint(), "load_balance"), Failed);
}

TEST_F(RemoteStreamTest, OnlyTheUserOfThisProcessReachesAServer) {
  const auto refused = [this](const std::string& endpoint) { return failed_to_serve(endpoint); };
  EXPECT_NE(refused("tcp://0.0.0.0:*").find("from other machines"), std::string::npos);
  EXPECT_NE(refused("tcp://*:5555").find("from other machines"), std::string::npos);
  EXPECT_NE(refused("tcp://127.example.org:5555").find("from other machines"), std::string::npos);
  EXPECT_NE(refused("ipc:///tmp/park.socket").find("open to other users"), std::string::npos);
  EXPECT_NE(refused("udp://x").find("allowed are"), std::string::npos);
  EXPECT_EQ(refused("ipc://" + (folder_ / "made" / "socket").string()), "");
  EXPECT_EQ(refused("tcp://127.0.0.1:0"), "");
  EXPECT_EQ(refused("tcp://localhost:*"), "");
}

TEST_F(RemoteStreamTest, AFolderOfAnotherUserIsRefused) {
  fs::path other = "/root";
  if (geteuid() == 0) {
    other = folder_ / "other";
    fs::create_directory(other);
    ASSERT_EQ(chown(other.c_str(), 65534, 65534), 0);
    ASSERT_EQ(chmod(other.c_str(), 0700), 0);
  }
  EXPECT_NE(failed_to_serve("ipc://" + (other / "socket").string()).find("belongs to another user"),
            std::string::npos);
}

TEST_F(RemoteStreamTest, ALinkInPlaceOfALockIsNotFollowed) {
  fs::create_symlink(folder_ / "elsewhere", folder_ / "socket.lock");
  EXPECT_NE(failed_to_serve(ipc()).find("socket.lock cannot be opened"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

TEST_F(RemoteStreamTest, APortThatIsNoneIsRefused) {
  for (const std::string port : {"99999", "65536", "-1", "12x", "", " 5", "1e3"}) {
    const std::string endpoint = "tcp://127.0.0.1:" + port;
    EXPECT_NE(failed_to_serve(endpoint).find("allowed are 0 to 65535, and *"), std::string::npos);
    EXPECT_NE(failed_to_connect(endpoint).find("allowed are 1 to 65535"), std::string::npos);
  }
  for (const std::string port : {"0", "*"})
    EXPECT_NE(failed_to_connect("tcp://127.0.0.1:" + port).find("allowed are 1 to 65535"),
              std::string::npos);
}

}  // namespace remote_stream_test
}  // namespace park::bridge
