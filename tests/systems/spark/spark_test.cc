// What a driver of Spark tells becomes questions, and the answers become grants.
#include "systems/spark/spark.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "bridge/client/connection.h"
#include "bridge/client/remotes.h"
#include "bridge/codec/wire_bytes.h"
#include "park/core/action_space.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/envs.h"
#include "systems/spark/applications.h"
#include "systems/spark/cluster_report.h"
#include "systems/spark/job_numbers.h"
#include "systems/systems.h"
#include "tests/kit/temporary_file.h"
#include "tests/systems/spark/spark_driver.h"

namespace park::spark {
namespace {

using namespace std::chrono_literals;
using bridge::Code;
using bridge::Connection;
using test::first_allowed;
using test::out_of_bounds;
using test::Script;
using test::Sent;
using test::Told;
using test::ToldStage;
using testing::HasSubstr;

constexpr ReportLimits kLimits{.executors = 100, .jobs = 10, .stages = 50, .edges = 50};

ClusterReport report_of(const Told& told, double known_mean_s = 1) {
  Sent sent;
  told.write(sent.message().initConsult());
  return read_report(sent.message().asReader().getConsult(), kLimits, known_mean_s);
}

std::string refusal(const Told& told) {
  try {
    static_cast<void>(report_of(told));
  } catch (const bridge::Failed& failed) {
    return failed.what();
  }
  return "";
}

TEST(SparkView, EstimatesWhatWasNotMeasured) {
  const ClusterReport v = report_of({.arrivals_s = {0, 1},
                                     .stages = {{.id = 7, .measured = 2, .measured_s = 6},
                                                {.id = 8, .parents = {0}, .runnable = false},
                                                {.id = 9, .job = 1}}},
                                    5);
  EXPECT_EQ(v.stages[0].mean_s, 3);
  EXPECT_EQ(v.stages[1].mean_s, 3) << "of its job";
  EXPECT_EQ(v.stages[2].mean_s, 5) << "of all";
  EXPECT_EQ(v.stages[1].critical_s, 12);
  EXPECT_EQ(v.stages[0].critical_s, 24);
}

TEST(SparkView, RecallsTheDurationsOfAJobsNameAndTheShapeOfItsStages) {
  const auto stage = [](std::int32_t tasks, std::vector<std::uint16_t> parents, std::uint32_t ms) {
    return dag_scheduling::StageProfile{
        .tasks = tasks, .parents = std::move(parents), .cells = {{.durations_ms = {ms}}}};
  };
  dag_scheduling::WorkloadBuilder builder("known", "made by a test");
  // Two scans of four tasks, of which one has a successor of two; a last stage joins them.
  builder.add_job({.name = "job 1",
                   .stages = {stage(4, {}, 100), stage(2, {0}, 500), stage(4, {}, 300),
                              stage(1, {1, 2}, 900)}});
  const KnownDurations known(builder.build());
  // Other ids and another order; the last stage is not there yet.
  Sent sent;
  Told{.arrivals_s = {0, 0},
       .stages = {{.id = 4},
                  {.id = 5, .job = 1, .measured = 1, .measured_s = 7},
                  {.id = 6, .job = 1, .parents = {1}, .tasks = 2, .left = 2},
                  {.id = 7, .job = 1, .parents = {1}, .tasks = 3, .left = 3}}}
      .write(sent.message().initConsult());
  const ClusterReport v = read_report(sent.message().asReader().getConsult(), kLimits, 5, &known);
  EXPECT_EQ(v.stages[0].mean_s, 5) << "another name";
  EXPECT_FALSE(v.stages[0].measured);
  EXPECT_DOUBLE_EQ(v.stages[1].mean_s, 0.2) << "of the two scans of that shape";
  EXPECT_DOUBLE_EQ(v.stages[2].mean_s, 0.5);
  EXPECT_TRUE(v.stages[2].measured);
  EXPECT_EQ(v.stages[3].mean_s, 7) << "another number of tasks: measured in its job";
}

TEST(StageShapes, TellTasksAndAllThatComesBefore) {
  using Tasks = std::vector<std::uint32_t>;
  using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto chain = stage_shapes(Tasks{4, 2, 1}, Edges{{0, 1}, {1, 2}});
  const auto turned = stage_shapes(Tasks{1, 2, 4, 9}, Edges{{1, 0}, {2, 1}, {0, 3}});
  EXPECT_EQ(chain, (std::vector{turned[2], turned[1], turned[0]})) << "what comes after is no part";
  EXPECT_NE(stage_shapes(Tasks{4, 3, 1}, Edges{{0, 1}, {1, 2}})[2], chain[2]);
  EXPECT_NE(stage_shapes(Tasks{4, 2, 1}, Edges{{0, 2}, {1, 2}})[2], chain[2]);
  EXPECT_EQ(stage_shapes(Tasks{4, 2, 1}, Edges{{0, 2}, {1, 2}})[2],
            stage_shapes(Tasks{2, 4, 1}, Edges{{1, 2}, {0, 2}})[2])
      << "parents have no order";
  EXPECT_EQ(stage_shapes(Tasks{4, 2}, Edges{{0, 1}, {1, 0}}), (std::vector<std::uint64_t>{0, 0}));
}

TEST(SparkView, GrantsUpToTheLimitOfTheJobAndTheDemandOfTheStage) {
  ClusterReport v = report_of({.slots = 10,
                               .idle = 6,
                               .source = 6,
                               .arrivals_s = {0, 0},
                               .stages = {{.id = 1, .tasks = 9, .left = 5, .running = 4},
                                          {.id = 2, .job = 1, .tasks = 2, .left = 2}}});
  EXPECT_EQ(v.grant(0, 6), 2u) << "4 run, the limit is 6";
  EXPECT_FALSE(v.legal(v.stages[0])) << "once in a round";
  EXPECT_EQ(v.grant(1, 10), 2u) << "2 tasks";
  EXPECT_EQ(v.left(), 2u);
  EXPECT_FALSE(v.any_legal());
}

TEST(SparkView, RefusesWhatContradictsItself) {
  EXPECT_EQ(refusal({}), "");
  EXPECT_THAT(refusal({.stages = {{.parents = {1}}, {.id = 1, .parents = {0}}}}),
              HasSubstr("circle"));
  EXPECT_THAT(refusal({.stages = {{.parents = {0}}}}), HasSubstr("circle"));
  EXPECT_THAT(refusal({.stages = {{.parents = {9}}}}), HasSubstr("parent"));
  EXPECT_THAT(refusal({.arrivals_s = {0, 0}, .stages = {{.job = 1}, {.job = 0}}}),
              HasSubstr("order of their jobs"));
  EXPECT_THAT(refusal({.stages = {{.job = 3}}}), HasSubstr("order of their jobs"));
  EXPECT_THAT(refusal({.stages = {{.tasks = 1, .left = 2}}}), HasSubstr("tasks"));
  EXPECT_THAT(refusal({.idle = 2}), HasSubstr("handed out"));
  EXPECT_THAT(refusal({.source_job = 1}), HasSubstr("sourceJob"));
  EXPECT_THAT(refusal({.arrivals_s = {NAN}}), HasSubstr("time"));
  EXPECT_THAT(refusal({.slots = 101}), HasSubstr("executors: 101, this agent allows 100"));
  EXPECT_THAT(refusal({.arrivals_s = std::vector<double>(11)}), HasSubstr("jobs: 11"));
}

/// A driver that asks a service as its session does, without a socket.
class SparkServiceTest : public ::testing::Test {
 protected:
  ~SparkServiceTest() noexcept override = default;  // else as lax as the messages' destructors

  void answer_by(Script::Answer answer) {
    script_ = std::make_unique<Script>(std::move(answer));
    all_ = std::make_unique<Applications>(episodes_, *script_, spec_, kLimits, nullptr,
                                          [this] { done_ = true; });
    service_ = std::make_unique<SparkService>(*all_);
  }

  /// The reply to a message; throws Failed as the service does.
  wire::Message::Reader ask(const std::function<void(wire::Message::Builder)>& fill) {
    Sent sent;
    fill(sent.message());
    const auto bytes = sent.bytes();
    return send(bytes.asBytes());
  }
  wire::Message::Reader send(kj::ArrayPtr<const kj::byte> payload,
                             const std::string& name = kFamily) {
    auto request = asked_.begin();
    request.setDeadlineMs(useful_ms_);
    auto family = request.initFamily();
    family.setName(name);
    family.setPayload({payload.begin(), payload.size()});
    const auto frame = asked_.finish();
    auto reply = answered_.begin();
    bridge::decoding([&] { service_->handle(reader_.read(frame), reply); });
    const auto answered = replied_.read(answered_.finish()).getFamily().getPayload();
    reply_ = kj::heapArray<capnp::word>(answered.size() / sizeof(capnp::word));
    std::memcpy(reply_.begin(), answered.begin(), answered.size());
    message_ = std::make_unique<capnp::FlatArrayMessageReader>(reply_);
    return message_->getRoot<wire::Message>();
  }
  void begin(const Told& told = {}) {
    EXPECT_TRUE(
        ask([&](wire::Message::Builder m) { told.write(m.initBegin().initProgress()); }).isBegun());
  }
  wire::Decision::Reader consult(const Told& told) {
    return ask([&](wire::Message::Builder m) { told.write(m.initConsult()); }).getDecision();
  }

  const Spec spec_ = Spark::spec({.executors = 100, .jobs = 10});
  const FixedEpisodes source_{std::vector<Episode>(1)};
  Episodes episodes_{source_, 0, 1};
  std::unique_ptr<Script> script_;
  std::unique_ptr<Applications> all_;
  std::unique_ptr<SparkService> service_;
  bool done_ = false;
  std::uint32_t useful_ms_ = 1000;
  bridge::EnvelopeWriter asked_, answered_;
  bridge::EnvelopeReader reader_, replied_;
  kj::Array<capnp::word> reply_;
  std::unique_ptr<capnp::FlatArrayMessageReader> message_;
};

TEST_F(SparkServiceTest, AsksUntilTheSlotsAreHandedOut) {
  answer_by(first_allowed(spec_, 3));
  begin();
  const auto decision = consult(
      {.arrivals_s = {0, 0}, .stages = {{.id = 70}, {.id = 71}, {.id = 72, .job = 1, .tasks = 9}}});
  ASSERT_EQ(decision.getGrants().size(), 2u);
  EXPECT_EQ(decision.getGrants()[0].getStage(), 70u);
  EXPECT_EQ(decision.getGrants()[0].getSlots(), 3u);
  EXPECT_EQ(decision.getGrants()[1].getStage(), 72u) << "its job may have no more";
  EXPECT_EQ(decision.getGrants()[1].getSlots(), 1u);
  EXPECT_FALSE(decision.getDeclined());
}

TEST_F(SparkServiceTest, AnswersAConsultAsLargeAsIsAllowed) {
  answer_by(first_allowed(spec_, 1));
  begin();
  Told told{.arrivals_s = std::vector<double>(kLimits.jobs), .stages = {}};
  for (std::uint32_t i = 0; i < kLimits.stages; ++i)
    told.stages.push_back({.id = i, .job = i * kLimits.jobs / kLimits.stages});
  EXPECT_EQ(consult(told).getGrants().size(), 4u);
}

TEST_F(SparkServiceTest, ObservationsAreInsideTheirSpace) {
  const auto answer = first_allowed(spec_, 2);
  answer_by([&](ConstRow seen, Row act) {
    EXPECT_EQ(out_of_bounds(spec_.observation, seen), "");
    const Applied applied = answer(seen, act);
    EXPECT_TRUE(ActionSpace(spec_).legal(seen, std::as_const(act.batch()).row(0)));
    return applied;
  });
  begin();
  const Told told{.time_s = 5,
                  .slots = 6,
                  .idle = 4,
                  .source = 2,
                  .source_job = 1,
                  .arrivals_s = {0, 3},
                  .stages = {{.id = 1, .tasks = 5, .left = 3, .running = 1},
                             {.id = 2, .parents = {0}, .runnable = false},
                             {.id = 3, .job = 1, .running = 1, .measured = 1, .measured_s = 2}}};
  EXPECT_EQ(consult(told).getGrants().size(), 2u);
}

TEST_F(SparkServiceTest, RewardsAddUpToTheIntegralWhateverIsLost) {
  answer_by(first_allowed(spec_, 100));
  begin({.time_s = 2, .job_seconds = 3});  // not its doing
  consult({.time_s = 4, .job_seconds = 5});
  consult({.time_s = 9, .job_seconds = 25, .stages = {}});  // nothing to ask
  consult({.time_s = 10, .job_seconds = 26, .fallbacks = 2, .ended_s = {4, 8}});
  ask([](wire::Message::Builder m) {
    Told{.time_s = 12, .job_seconds = 30}.write(m.initFinish());
  });
  double reward = 0, elapsed_s = 0;
  for (const Outcome& o : script_->told) {
    reward += o.reward;
    elapsed_s += o.elapsed_s;
  }
  EXPECT_EQ(reward, -27);
  EXPECT_EQ(elapsed_s, 10);
  ASSERT_EQ(script_->told.size(), 3u);
  EXPECT_EQ(script_->told[0].applied, Applied::policy);
  EXPECT_EQ(script_->told[1].applied, Applied::fallback) << "Spark decided in between";
  EXPECT_EQ(script_->told[2].end, End::terminated);
  EXPECT_EQ(script_->metrics[spec_.metric("avg_jct_s")], 6);
  EXPECT_EQ(script_->metrics[spec_.metric("jobs_done")], 2);
  EXPECT_THROW(consult({}), bridge::Failed) << "it has finished";
  EXPECT_FALSE(done_) << "the reply is to be sent";
  service_.reset();
  EXPECT_TRUE(done_);
}

TEST_F(SparkServiceTest, UtilisationIsThatOfTheSlotsThatWereThere) {
  answer_by(first_allowed(spec_, 100));
  begin({.time_s = 1});
  consult({.time_s = 4, .arrivals_s = {2}});  // four slots since the arrival
  consult({.time_s = 10,
           .busy_s = 24,
           .slots = 1,
           .idle = 1,
           .source = 1,
           .arrivals_s = {2}});  // of four until then
  ask([](wire::Message::Builder m) { Told{.time_s = 18, .busy_s = 30}.write(m.initFinish()); });
  EXPECT_DOUBLE_EQ(script_->metrics[spec_.metric("utilisation")], 30.0 / (4 * 8 + 1 * 8));
}

TEST_F(SparkServiceTest, NoJobIsFasterThanWithAllSlotsThatWereThere) {
  answer_by(first_allowed(spec_, 100));
  begin();
  consult({.time_s = 1});
  consult({.time_s = 2, .slots = 1, .idle = 1, .source = 1});
  ask([](wire::Message::Builder m) { Told{.time_s = 8, .ended_s = {8}}.write(m.initFinish()); });
  EXPECT_DOUBLE_EQ(script_->metrics[spec_.metric("avg_slowdown")], 4) << "8 s of work, four slots";
}

TEST_F(SparkServiceTest, CountsAJobOnceHoweverOftenItsEndIsTold) {
  answer_by(first_allowed(spec_, 100));
  begin();
  consult({.ended_s = {4, 8}});
  consult({.ended_s = {4, 8, 9}});  // no answer of it came in time
  consult({.ended_s = {4, 8, 9}});
  consult({});
  for (int i = 0; i < 2; ++i) consult({.ended_s = {1}, .first_ended = 7, .failed = true});
  consult({.ended_s = {3}, .first_ended = 3});
  ask([](wire::Message::Builder m) {
    Told{.ended_s = {3}, .first_ended = 3}.write(m.initFinish());
  });
  EXPECT_EQ(script_->metrics[spec_.metric("jobs_done")], 4);
  EXPECT_EQ(script_->metrics[spec_.metric("avg_jct_s")], 6);
  EXPECT_THAT(all_->status().metrics(), HasSubstr("\npark_spark_jobs_total 4\n"));
  EXPECT_THAT(all_->status().metrics(), HasSubstr("\npark_spark_jobs_failed_total 1\n"));
}

TEST_F(SparkServiceTest, AnApplicationHasAnyNumberOfJobsOverItsLife) {
  const auto first = first_allowed(spec_, 100);
  const Batch o(spec_.observation);
  const auto id = o.field<std::int32_t>("job.id");
  std::vector<std::int32_t> seen;
  answer_by([&](ConstRow row, Row act) {
    EXPECT_EQ(out_of_bounds(spec_.observation, row), "");
    seen.assign(row[id].begin(), row[id].end());
    return first(row, act);
  });
  begin();
  std::int32_t before = 0;
  for (std::uint32_t job = 0; job < 3 * kLimits.jobs; ++job) {
    consult({.arrivals_s = {0, 0}, .first_job = job});
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[0], before) << "it stays while job " << job << " is there";
    EXPECT_NE(seen[1], seen[0]);
    if (job + 1 < kLimits.jobs) EXPECT_EQ(seen[1], static_cast<std::int32_t>(job + 1));
    before = seen[1];
  }
  EXPECT_EQ(consult({.arrivals_s = std::vector<double>(kLimits.jobs), .first_job = 4'000'000'000})
                .getGrants()
                .size(),
            1u);
}

TEST(JobNumbers, AreUsedAgainAsLateAsCanBe) {
  JobNumbers all(6);
  const auto take = [&all] { return all.take().number; };
  for (std::uint32_t n = 0; n < 6; ++n) EXPECT_EQ(take(), n);
  all.give_back(1);
  EXPECT_EQ(take(), 1u) << "there is no other one";
  for (const auto n : {0U, 1U, 2U, 4U, 5U}) all.give_back(n);
  for (const auto n : {2U, 4U, 5U}) EXPECT_EQ(take(), n);
  EXPECT_EQ(take(), 0u) << "the upper half is in use";
  for (const auto n : {2U, 4U, 5U}) all.give_back(n);
  const JobNumbers::Place next = all.take();
  EXPECT_EQ(next.number, 1u);
  EXPECT_EQ(next.order, 11u);
}

TEST_F(SparkServiceTest, DeclinesWhereThePolicyDoesNotAnswer) {
  answer_by([](ConstRow, Row) { return Applied::fallback; });
  begin();
  const auto decision = consult({});
  EXPECT_TRUE(decision.getDeclined());
  EXPECT_FALSE(decision.getLate()) << "it had time";
  EXPECT_EQ(decision.getGrants().size(), 0u);
}

TEST_F(SparkServiceTest, WhatIsLateIsSaidBeforeItsDriverGivesUp) {
  answer_by([this](ConstRow, Row) {
    std::this_thread::sleep_until(script_->deadline);
    return Applied::fallback;
  });
  useful_ms_ = 80;
  begin();
  const auto begin = Clock::now();
  const auto decision = consult({});
  EXPECT_TRUE(decision.getDeclined());
  EXPECT_TRUE(decision.getLate());
  EXPECT_LE(script_->deadline - begin, 77ms) << "5 ms are left of 80";
  EXPECT_GE(script_->deadline - begin, 75ms);
  useful_ms_ = 1;
  EXPECT_TRUE(consult({}).getLate());
}

TEST_F(SparkServiceTest, APolicyThatKeepsAQuestionTooLongIsNoSignOfLife) {
  answer_by(first_allowed(spec_, 1));
  EXPECT_TRUE(all_->is_alive());
  script_->owed = Clock::now() - 9s;
  EXPECT_TRUE(all_->is_alive()) << "it is late";
  script_->owed = Clock::now() - 10s;
  EXPECT_FALSE(all_->is_alive());
}

TEST_F(SparkServiceTest, ADriverThatGoesIsTruncated) {
  answer_by(first_allowed(spec_, 1));
  begin();
  consult({});
  service_.reset();
  EXPECT_EQ(script_->told.back().end, End::truncated);
  EXPECT_TRUE(done_);
}

TEST_F(SparkServiceTest, RefusesWhatComesOutOfOrderOrIsNone) {
  answer_by(first_allowed(spec_, 1));
  EXPECT_THROW(consult({}), bridge::Failed);
  EXPECT_THROW(ask([](wire::Message::Builder m) { m.setBegun(); }), bridge::Failed);
  begin();
  const std::string garbage(64, '\x7f');
  EXPECT_THROW(send(kj::StringPtr(garbage.c_str(), garbage.size()).asBytes()), bridge::Failed);
  EXPECT_THROW(send(kj::StringPtr("12345").asBytes()), bridge::Failed);
  try {
    send({}, "other");
    ADD_FAILURE() << "another family was answered";
  } catch (const bridge::Failed& failed) {
    EXPECT_EQ(failed.code(), Code::UNKNOWN_NAME);
  }
  EXPECT_EQ(consult({}).getGrants().size(), 1u) << "it goes on";
  ask([](wire::Message::Builder m) { m.initFinish(); });
  EXPECT_THROW(begin(), bridge::Failed);
}

// Its driver waited no longer for the reply.
TEST_F(SparkServiceTest, ABeginThatComesAgainIsOfTheSameApplication) {
  answer_by(first_allowed(spec_, 1));
  begin();
  begin({.time_s = 9, .job_seconds = 9, .fallbacks = 3});
  EXPECT_EQ(script_->opened, 1u);
  consult({.time_s = 10, .job_seconds = 10, .fallbacks = 3});
  EXPECT_EQ(script_->told.back().reward, -10);
}

TEST_F(SparkServiceTest, TakesAsManyApplicationsAsThereAreEpisodes) {
  answer_by(first_allowed(spec_, 1));
  begin();
  const auto first = std::move(service_);
  service_ = std::make_unique<SparkService>(*all_);
  EXPECT_THROW(begin(), bridge::Failed);
}

TEST(Spark, IsTheTwinOfDagScheduling) {
  Registry registry;
  envs::register_all(registry);
  systems::register_all(registry);
  const Spec simulated = registry.spec("dag_scheduling"), real = registry.spec("spark");
  EXPECT_EQ(layout_hash(real), layout_hash(simulated));
  EXPECT_EQ(real.traits.twin, simulated.name);
  EXPECT_EQ(simulated.traits.twin, real.name);
  ASSERT_EQ(real.metrics.size(), simulated.metrics.size());
  for (std::size_t i = 0; i < real.metrics.size(); ++i)
    EXPECT_EQ(real.metrics[i].name, simulated.metrics[i].name);
  EXPECT_EQ(registry.policies_for(real), registry.policies_for(simulated));
}

// A driver over a socket, and a policy that plays the stream of the registry.
TEST(Spark, IsAStreamThatAPolicyPlays) {
  Registry registry;
  envs::register_all(registry);
  systems::register_all(registry);
  const park::test::TemporaryFile place("");
  const std::string file = place.path();
  std::filesystem::remove(file);
  const FixedEpisodes source{std::vector<Episode>(1)};
  const auto stream = registry.stream(
      R"(spark(endpoint="tcp://127.0.0.1:*",endpoint_file=")" + file + "\")", source);
  const auto policy = registry.policy("fifo", stream->spec());
  std::jthread driver([&] {
    while (!std::filesystem::exists(file)) std::this_thread::sleep_for(1ms);
    Connection connection(
        bridge::connect_options(bridge::Reach{.endpoint = file, .key = "", .server_key = ""}));
    const auto ask = [&](const std::function<void(wire::Message::Builder)>& fill) {
      Sent sent;
      fill(sent.message());
      const auto bytes = sent.bytes();
      const auto reply =
          connection.session().call(connection.deadline(), [&](bridge::wire::Envelope::Builder e) {
            auto family = e.initFamily();
            family.setName(kFamily);
            family.setPayload(bytes.asBytes());
          });
      EXPECT_TRUE(reply.isFamily());
    };
    ask([](wire::Message::Builder m) { Told{}.write(m.initBegin().initProgress()); });
    for (int i = 1; i <= 5; ++i)
      ask([i](wire::Message::Builder m) {
        Told{.time_s = 1.0 * i, .job_seconds = 2.0 * i}.write(m.initConsult());
      });
    ask([](wire::Message::Builder m) {
      Told{.time_s = 6, .job_seconds = 11}.write(m.initFinish());
    });
  });
  double reward = 0;
  std::uint64_t decisions = 0;
  play(*stream, *policy, Rng(1), [&](const Decisions& d, const Batch&) {
    decisions += d.asked.size();
    for (const Ask& a : d.asked) reward += a.since_last.reward;
    for (const Ended& e : d.ended) reward += e.last.reward;
  });
  EXPECT_EQ(decisions, 5u);
  EXPECT_EQ(reward, -11);
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace park::spark
