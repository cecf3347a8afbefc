// Environments behind a server: one that throws has its stream closed, episodes wait two by two,
// and what a session may take is known before it takes it.
#include "bridge/server/stream_service.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/short_text.h"
#include "bridge/server/delivered_episodes.h"
#include "park/core/env.h"
#include "park/core/registry.h"
#include "park/core/system_env.h"
#include "park/core/thread_bytes.h"
#include "tests/kit/memory.h"

namespace park::bridge {
namespace stream_service_test {

/// Throws where the action is 2.
class Fragile final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "fragile", .summary = "for tests", .reference = "none"};
    s.observation.leaves = {{.name = "load", .low = 0, .high = 1, .doc = "none"}};
    s.action.leaves = {{.name = "push", .dtype = DType::i32, .low = 0, .high = 2, .doc = "how"}};
    s.metrics = {{"pushes", "1", true, "of an episode"}};
    return s;
  }
  void reset(const Episode&, Row) override {}
  Outcome step(ConstRow action, Row) override {
    if (action.scalar(push_) == 2) throw std::runtime_error("it broke");
    return {0, 1, End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = 0; }

 private:
  Field<std::int32_t> push_ = Batch(spec().action).field<std::int32_t>("push");
};

/// A running system.
class Standing final : public SystemEnv {
 public:
  struct Config {
    bool operator==(const Config&) const = default;
    template <class Self, class Visit>
    static void fields(Self&, Visit&&) {}
  };
  static constexpr const char* kName = "standing";
  static Spec spec(const Config&) {
    Spec s = Fragile::spec();
    s.name = kName;
    s.traits.system = true;
    return s;
  }
  explicit Standing(const Config&) {}
  void run(Episodes&, Decider&, std::stop_token) override {}
};

class StreamServiceTest : public ::testing::Test {
 protected:
  StreamServiceTest()
      : service_(registry_, {.env = "", .most_slots = 1}), action_(Fragile::spec().action) {
    registry_.add_env(Fragile::spec(), [] { return std::make_unique<Fragile>(); });
    action_.resize(1);
  }
  ~StreamServiceTest() noexcept override = default;  // else as lax as the messages' destructors

  wire::Envelope::Reader handle() {
    service_.handle(reader_.read(request_.finish()), reply_.begin());
    return answer_.read(reply_.finish());
  }

  std::uint32_t open() {
    auto to = request_.begin().initOpenStream();
    to.setEnv("fragile");
    to.setSlots(1);
    to.initEpisodes(1)[0].setNumber(0);
    return handle().getStreamOpened().getStream();
  }

  wire::Envelope::Reader push(std::uint32_t stream, std::int32_t how,
                              const std::vector<std::uint64_t>& episodes = {}) {
    action_.row(0).scalar(action_.field<std::int32_t>("push")) = how;
    auto to = request_.begin().initStep();
    to.setStream(stream);
    write(action_, to.initActions());
    auto list = to.initEpisodes(static_cast<std::uint32_t>(episodes.size()));
    for (std::uint32_t i = 0; i < list.size(); ++i) list[i].setNumber(episodes[i]);
    return handle();
  }
  /// What a call fails with; {internal} and no text where it does not.
  template <class Function>
  std::pair<Code, std::string> failure(Function&& function) {
    try {
      function();
    } catch (const Failed& failed) {
      return {failed.code(), failed.what()};
    } catch (const Error& error) {
      if (error.code() == Errc::not_allowed) return {Code::NOT_ALLOWED, error.what()};
      throw;
    }
    return {Code::INTERNAL, ""};
  }

  Registry registry_;
  StreamService service_;
  Batch action_;
  EnvelopeWriter request_, reply_;
  EnvelopeReader reader_, answer_;
};

TEST_F(StreamServiceTest, AStreamEndsWithWhatItsEnvironmentThrows) {
  const std::uint32_t stream = open();
  EXPECT_EQ(push(stream, 1).getDecisions().getStream(), stream);
  EXPECT_THROW(push(stream, 2), std::runtime_error);
  try {
    push(stream, 1);
    FAIL() << "the stream is still there";
  } catch (const Failed& failed) {
    EXPECT_EQ(failed.code(), Code::UNKNOWN_NAME) << failed.what();
  }
  EXPECT_NE(open(), stream) << "and its slot is free";
}

TEST_F(StreamServiceTest, AnIllegalActionEndsNothing) {
  const std::uint32_t stream = open();
  EXPECT_THROW(push(stream, 3), Error);
  EXPECT_TRUE(push(stream, 1).isDecisions());
}

TEST_F(StreamServiceTest, AtMostTwoEpisodesOfASlotWait) {
  const std::uint32_t stream = open();
  push(stream, 1, {1, 2});
  const auto [code, text] = failure([&] { push(stream, 1, {3}); });
  EXPECT_EQ(code, Code::TOO_MUCH);
  EXPECT_EQ(text, "episodes: number 3; slot 0 plays 1 and 2 next, and at most two may wait");
  EXPECT_EQ(failure([&] { push(stream, 1, std::vector<std::uint64_t>(1000, 1)); }).first,
            Code::TOO_MUCH);
  EXPECT_TRUE(push(stream, 1, {1, 2}).isDecisions()) << "the same ones may come again";
  EXPECT_TRUE(push(stream, 1, {0}).isDecisions()) << "one that was played changes nothing";
}

TEST_F(StreamServiceTest, NobodyStartsARunningSystem) {
  registry_.add_system<Standing>();
  auto to = request_.begin().initOpenStream();
  to.setEnv("standing");
  to.setSlots(1);
  const auto [code, text] = failure([&] { handle(); });
  EXPECT_EQ(code, Code::NOT_ALLOWED);
  EXPECT_EQ(text, "env: standing is not simulated");
}

TEST_F(StreamServiceTest, TextsAreShort) {
  auto to = request_.begin().initOpenStream();
  to.setEnv(std::string(kMostAskedText + 1, 'a'));
  to.setSlots(1);
  const auto [code, text] = failure([&] { handle(); });
  EXPECT_EQ(code, Code::TOO_MUCH);
  EXPECT_EQ(text, "env: the text has 65537 bytes, at most 65536 are allowed");
}

TEST_F(StreamServiceTest, WhatIsRetractedIsClosed) {
  EXPECT_EQ(service_.retract(), "");
  const std::uint32_t opened = open();
  EXPECT_EQ(service_.retract(), "; no stream is open");
  EXPECT_EQ(failure([&] { push(opened, 1); }).first, Code::UNKNOWN_NAME);
  const std::uint32_t stream = open();
  push(stream, 1);
  EXPECT_EQ(service_.retract(), "; stream " + std::to_string(stream) + " has moved and is closed");
  EXPECT_EQ(failure([&] { push(stream, 1); }).first, Code::UNKNOWN_NAME);
  open();  // its slot is free
}

/// Takes a megabyte.
class Heavy final : public Env {
 public:
  static constexpr std::size_t kBytes = 1'000'000;
  static inline int alive = 0, most_alive = 0;

  static Spec spec() {
    Spec s = Fragile::spec();
    s.name = "heavy";
    return s;
  }
  Heavy() : memory_(kBytes) { most_alive = std::max(most_alive, ++alive); }
  ~Heavy() override { --alive; }
  Heavy(const Heavy&) = delete;
  Heavy& operator=(const Heavy&) = delete;
  void reset(const Episode&, Row) override {}
  Outcome step(ConstRow, Row) override { return {0, 1, End::none}; }
  void metrics(std::span<double> out) const override { out[0] = 0; }

 private:
  std::vector<char> memory_;
};

/// A service whose program tells what threads allocate.
class HeavyStreams : public StreamServiceTest {
 protected:
  HeavyStreams()
      : before_(set_thread_bytes(&park::test::allocated_by_thread)),
        heavy_(registry_, {.env = "", .most_slots = 4096, .most_bytes = 10 * Heavy::kBytes}) {
    registry_.add_env(Heavy::spec(), [] { return std::make_unique<Heavy>(); });
    Heavy::most_alive = 0;
  }
  ~HeavyStreams() override { set_thread_bytes(before_); }

  std::pair<Code, std::string> open_heavy(std::uint32_t slots) {
    auto to = request_.begin().initOpenStream();
    to.setEnv("heavy");
    to.setSlots(slots);
    return failure([&] { heavy_.handle(reader_.read(request_.finish()), reply_.begin()); });
  }

  ThreadBytes before_;
  StreamService heavy_;
};

TEST_F(HeavyStreams, AreRefusedBeforeTheyTakeTheirMemory) {
  const auto [code, text] = open_heavy(4096);
  EXPECT_EQ(code, Code::TOO_MUCH);
  EXPECT_EQ(text.find("slots: 4096 of this environment take 4"), 0u) << text;
  EXPECT_LE(Heavy::most_alive, 2);
  EXPECT_EQ(Heavy::alive, 0);
  EXPECT_EQ(open_heavy(8).second, "");
  EXPECT_EQ(open_heavy(3).first, Code::TOO_MUCH) << "all streams of the session count";
  EXPECT_EQ(Heavy::alive, 8);
  EXPECT_EQ(open_heavy(1).second, "");
}

}  // namespace stream_service_test
}  // namespace park::bridge
