// Environments behind a server: one that throws has its stream closed.
#include "bridge/server/stream_service.h"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>

#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "park/core/env.h"

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

class StreamServiceTest : public ::testing::Test {
 protected:
  StreamServiceTest()
      : service_(registry_, {.env = "", .most_slots = 1}), action_(Fragile::spec().action) {
    registry_.add_env(Fragile::spec(), [] { return std::make_unique<Fragile>(); });
    action_.resize(1);
  }

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

  wire::Envelope::Reader push(std::uint32_t stream, std::int32_t how) {
    action_.row(0).scalar(action_.field<std::int32_t>("push")) = how;
    auto to = request_.begin().initStep();
    to.setStream(stream);
    write(action_, to.initActions());
    return handle();
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

}  // namespace stream_service_test
}  // namespace park::bridge
