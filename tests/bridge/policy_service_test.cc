// Policies behind a server: a question that has failed has had no effect.
#include "bridge/server/policy_service.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"
#include "bridge/codec/rows.h"
#include "bridge/codec/spec.h"
#include "park/envs/envs.h"

namespace park::bridge {
namespace policy_service_test {

/// Throws when it is asked for the first time.
class Fickle final : public Policy {
 public:
  static PolicyInfo info() { return {.name = "fickle", .summary = "for tests"}; }
  void start(std::uint32_t, const Episode&, Rng) override {}
  void act(const Decisions&, Batch&) override {
    if (std::exchange(first_, false)) throw Error(Errc::unavailable, "not now");
  }

 private:
  bool first_ = true;
};

class PolicyServiceTest : public ::testing::Test {
 protected:
  PolicyServiceTest() : service_(registry_, {.policy = ""}) {
    envs::register_all(registry_);
    registry_.add_policy(Fickle::info(), [](const Spec&) { return std::make_unique<Fickle>(); });
    spec_ = registry_.spec("load_balance(servers=2)");
    auto open = request_.begin().initOpenPolicy();
    open.setPolicy("fickle");
    write(spec_, open.initSpec());
    handle();
  }
  ~PolicyServiceTest() noexcept override = default;  // else as lax as the messages' destructors

  wire::Envelope::Reader handle() {
    service_.handle(reader_.read(request_.finish()), reply_.begin());
    return answer_.read(reply_.finish());
  }

  /// The first question of a context.
  void ask(std::uint64_t sequence) {
    Decisions question(spec_);
    Ask asked;
    asked.context = 1;
    asked.sequence = sequence;
    question.asked.push_back(asked);
    question.observation.resize(1);
    auto to = request_.begin().initAsk();
    to.setId(1);
    write(question, to.initQuestion());
    const std::array<kj::byte, 8> chance{};
    if (sequence == 0) to.setChance({chance.data(), chance.size()});
  }

  Registry registry_;
  PolicyService service_;
  Spec spec_;
  EnvelopeWriter request_, reply_;
  EnvelopeReader reader_, answer_;
};

TEST_F(PolicyServiceTest, AQuestionThatFailedMayComeAgain) {
  ask(0);
  EXPECT_THROW(handle(), Error);
  ask(0);
  EXPECT_TRUE(handle().isAnswer());
  ask(1);
  EXPECT_TRUE(handle().isAnswer());
  ask(1);
  EXPECT_THROW(handle(), Failed);  // it was answered: the next one has 2
}

/// One that has been opened would divide by the size of its rows at the first question.
TEST_F(PolicyServiceTest, ASpecWhoseRowsAreTooLargeIsRefused) {
  const std::vector<std::vector<std::int64_t>> shapes{
      {std::int64_t{1} << 62}, {std::int64_t{1} << 32, std::int64_t{1} << 32}};
  for (const auto& shape : shapes) {
    spec_.action.leaves = {
        {.name = "x", .dtype = DType::f32, .shape = shape, .low = 0, .high = 1, .doc = "none"}};
    auto open = request_.begin().initOpenPolicy();
    open.setPolicy("fickle");
    write(spec_, open.initSpec());
    try {
      handle();
      FAIL() << "it was opened";
    } catch (const Failed& failed) {
      EXPECT_EQ(failed.code(), Code::MALFORMED);
      EXPECT_NE(std::string(failed.what()).find("action leaf 'x': "), std::string::npos)
          << failed.what();
    }
  }
}

}  // namespace policy_service_test
}  // namespace park::bridge
