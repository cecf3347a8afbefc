// Several applications on one pool of executors: who gets them, who gives them back.
#include "systems/spark/shared_executors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "bridge/codec/failure.h"
#include "park/core/action_space.h"
#include "systems/spark/applications.h"
#include "systems/spark/spark.h"
#include "tests/systems/spark/spark_driver.h"

namespace park::spark {
namespace {

using test::first_allowed;
using test::Script;
using test::Sent;
using test::Told;
using testing::HasSubstr;

constexpr ReportLimits kPoolLimits{.executors = 100, .jobs = 10, .stages = 50, .edges = 50};

struct Answer {
  Grants grants;
  int executors = 0;
  bool declined = false;
};

/// An application that shares executors.
class Driver {
 public:
  Driver(SharedExecutors& pool, const std::function<Episode()>& next, const Told& first,
         const std::string& id) {
    Sent sent;
    auto begin = sent.message().initBegin();
    begin.setApplication(id);
    first.write(begin.initProgress());
    application_ = pool.join(sent.message().asReader().getBegin(), next);
  }

  Answer tell(const Told& told) {
    Sent sent, reply;
    told.write(sent.message().initConsult());
    application_->decide(sent.message().asReader().getConsult(), reply.message().initDecision(),
                         kNever);
    const auto decision = reply.message().asReader().getDecision();
    Answer answer{
        .grants = {}, .executors = decision.getExecutors(), .declined = decision.getDeclined()};
    for (const auto grant : decision.getGrants())
      answer.grants.emplace_back(grant.getStage(), grant.getSlots());
    return answer;
  }
  void finish(const Told& told) {
    Sent sent;
    told.write(sent.message().initFinish());
    application_->finish(sent.message().asReader().getFinish());
  }
  void vanish() { application_.reset(); }

 private:
  std::unique_ptr<Application> application_;
};

/// What a driver with so many executors tells: all of them run tasks of its only stage.
Told at_work(std::uint32_t slots, std::uint32_t left) {
  return {.slots = slots,
          .idle = 0,
          .source = 0,
          .stages = {{.id = 7, .tasks = 40, .left = left, .running = slots}}};
}

/// The same with free slots that are to be handed out.
Told with_free(std::uint32_t slots, std::uint32_t free, std::uint32_t left) {
  Told told = at_work(slots, left);
  told.idle = told.source = free;
  told.source_job = 0;
  told.stages[0].running = slots - free;
  return told;
}

class SharedExecutorsTest : public ::testing::Test {
 protected:
  void share(std::uint32_t executors, Script::Answer answer) {
    const SharedPool shared{.executors = executors, .moving_delay_s = 14};
    script_ = std::make_unique<Script>(std::move(answer));
    pool_ = std::make_unique<SharedExecutors>(*script_, spec_, kPoolLimits, nullptr, shared);
  }
  Driver driver(const Told& first = {}, const std::string& id = "") {
    return {*pool_, [] { return Episode{}; }, first, id};
  }
  /// Takes the last stage that is allowed, with a limit.
  Script::Answer last_allowed(std::int32_t limit) {
    const Batch o(spec_.observation), a(spec_.action);
    return [mask = o.field<std::uint8_t>("mask.stage"), stage = a.field<std::int32_t>("stage"),
            head = a.field<std::int32_t>("limit"), limit](ConstRow seen, Row act) {
      const auto allowed = seen[mask];
      for (std::size_t i = 0; i < allowed.size(); ++i)
        if (allowed[i] != 0) act.scalar(stage) = static_cast<std::int32_t>(i);
      act.scalar(head) = limit;
      return Applied::policy;
    };
  }

  const Spec spec_ = Spark::spec({.executors = 100, .jobs = 10});
  std::unique_ptr<Script> script_;
  std::unique_ptr<SharedExecutors> pool_;
};

TEST_F(SharedExecutorsTest, AnApplicationAloneHasAllThatItCanUse) {
  share(4, first_allowed(spec_, 100));
  Driver a = driver();
  const Answer first = a.tell(at_work(0, 3));
  EXPECT_EQ(first.executors, 3) << "it has three tasks";
  EXPECT_TRUE(first.grants.empty()) << "none of its slots is free";
  EXPECT_EQ(a.tell(at_work(0, 3)).executors, 3) << "they are on their way";
  EXPECT_EQ(a.tell(at_work(3, 9)).executors, 4) << "they are there, and it has more to do";
}

TEST_F(SharedExecutorsTest, ThePolicySharesThemOut) {
  share(4, first_allowed(spec_, 2));
  Driver a = driver(), b = driver(), c = driver();
  EXPECT_EQ(a.tell(at_work(0, 40)).executors, 2);
  EXPECT_EQ(b.tell(at_work(0, 40)).executors, 2);
  EXPECT_EQ(c.tell(at_work(0, 40)).executors, 0) << "there are no more";
  EXPECT_EQ(a.tell(at_work(2, 38)).executors, 2) << "more than its limit";
  b.finish({});
  EXPECT_EQ(c.tell(at_work(0, 40)).executors, 2) << "those of b";
}

TEST_F(SharedExecutorsTest, AFreeSlotMovesToAnotherApplication) {
  share(3, last_allowed(2));
  Driver a = driver();
  EXPECT_EQ(a.tell(at_work(0, 40)).executors, 2);
  Driver b = driver();
  EXPECT_EQ(b.tell(at_work(0, 40)).executors, 1);
  const Answer moved = a.tell(with_free(2, 1, 38));
  EXPECT_TRUE(moved.grants.empty());
  EXPECT_EQ(moved.executors, 1);
  EXPECT_EQ(b.tell(at_work(1, 39)).executors, 2);
  // The driver of a has not given it back yet.
  const Answer late = a.tell(with_free(2, 1, 38));
  EXPECT_TRUE(late.grants.empty()) << "that slot is gone";
  EXPECT_EQ(late.executors, 1);
}

TEST_F(SharedExecutorsTest, ItsOwnStagesGetFreeSlotsAtOnce) {
  share(2, first_allowed(spec_, 2));
  Driver a = driver();
  a.tell(at_work(0, 40));
  const Answer answer = a.tell(with_free(2, 1, 38));
  EXPECT_EQ(answer.grants, (Grants{{7, 1}}));
  EXPECT_EQ(answer.executors, 2);
}

TEST_F(SharedExecutorsTest, AnApplicationWithJobsKeepsItsLastExecutor) {
  share(1, last_allowed(100));
  Driver a = driver(), b = driver();
  EXPECT_EQ(a.tell(at_work(0, 40)).executors, 1);
  b.tell(at_work(0, 40));
  EXPECT_EQ(a.tell(with_free(1, 1, 0)).executors, 1) << "its next stage may come";
  Told over{.slots = 1, .idle = 1, .source = 1, .arrivals_s = {}, .stages = {}};
  EXPECT_EQ(a.tell(over).executors, 0);
  EXPECT_EQ(b.tell(at_work(0, 40)).executors, 1);
}

TEST_F(SharedExecutorsTest, AnAgentThatComesBackFindsWhatEachHas) {
  share(4, last_allowed(100));
  Driver a = driver({.time_s = 60}), b = driver({.time_s = 50});
  EXPECT_EQ(a.tell(at_work(3, 0)).executors, 3);
  EXPECT_EQ(b.tell(at_work(0, 40)).executors, 1);
}

TEST_F(SharedExecutorsTest, AnApplicationInANewSessionHasWhatItHadInTheOldOne) {
  share(4, first_allowed(spec_, 2));
  Driver old = driver({}, "app-1"), other = driver({}, "app-2");
  EXPECT_EQ(old.tell(at_work(0, 40)).executors, 2);
  Driver now = driver({.time_s = 1}, "app-1");
  EXPECT_EQ(now.tell(at_work(0, 40)).executors, 2) << "its executors have not come yet";
  EXPECT_EQ(other.tell(at_work(0, 40)).executors, 2) << "the old session keeps none";
  EXPECT_THROW(old.tell(at_work(0, 40)), bridge::Failed);
  old.vanish();
  EXPECT_EQ(now.tell(at_work(2, 38)).executors, 2);
}

TEST_F(SharedExecutorsTest, ObservationsAreOfAllApplicationsAndInsideTheirSpace) {
  const auto answer = first_allowed(spec_, 10);
  const Batch o(spec_.observation);
  const auto jobs = o.field<float>("job.moving"), executors = o.field<float>("cluster.executors");
  const auto delay = o.field<float>("info.moving_delay_s");
  float moving = 0;
  std::size_t seen_jobs = 0;
  share(10, [&](ConstRow seen, Row act) {
    EXPECT_EQ(test::out_of_bounds(spec_.observation, seen), "");
    const Applied applied = answer(seen, act);
    EXPECT_TRUE(ActionSpace(spec_).legal(seen, std::as_const(act.batch()).row(0)));
    EXPECT_EQ(seen.scalar(executors), 10);
    EXPECT_EQ(seen.scalar(delay), 14);
    seen_jobs = seen[jobs].size();
    moving = seen[jobs][0];
    return applied;
  });
  Driver a = driver({.time_s = 9});
  Told two{.time_s = 10,
           .slots = 0,
           .idle = 0,
           .source = 0,
           .arrivals_s = {2, 3},
           .stages = {{.id = 1, .tasks = 5, .left = 5},
                      {.id = 2, .parents = {0}, .runnable = false},
                      {.id = 3, .job = 1, .measured = 1, .measured_s = 2}}};
  EXPECT_EQ(a.tell(two).executors, 9);
  Driver b = driver();
  EXPECT_EQ(b.tell(two).executors, 1);
  EXPECT_EQ(seen_jobs, 4u);
  EXPECT_EQ(moving, 5) << "to the first job of a";
  a.finish({});
  EXPECT_EQ(b.tell(two).executors, 9);
  EXPECT_EQ(seen_jobs, 2u) << "those of a are gone";
  EXPECT_EQ(moving, 1);
}

TEST_F(SharedExecutorsTest, AnEpisodeLastsUntilNoApplicationIsLeft) {
  share(4, first_allowed(spec_, 2));
  Driver a = driver(), b = driver();
  EXPECT_EQ(script_->opened, 1u);
  a.tell(at_work(0, 40));
  b.tell(at_work(0, 40));
  a.finish({.job_seconds = 3, .ended_s = {3}});
  EXPECT_TRUE(script_->metrics.empty());
  b.finish({.job_seconds = 11, .ended_s = {4, 7}});
  EXPECT_EQ(script_->metrics[spec_.metric("jobs_done")], 3);
  EXPECT_NEAR(script_->metrics[spec_.metric("avg_jct_s")], 14.0 / 3, 1e-9);
  EXPECT_EQ(script_->told.back().end, End::terminated);
  double reward = 0;
  for (const Outcome& one : script_->told) reward += one.reward;
  EXPECT_EQ(reward, -14) << "job-seconds of both";
  Driver next = driver();
  EXPECT_EQ(script_->opened, 2u);
  next.tell(at_work(0, 1));
  next.vanish();
  EXPECT_EQ(script_->told.back().end, End::truncated);
}

TEST_F(SharedExecutorsTest, DeclinesWhereThePolicyDoesNotAnswer) {
  share(2, [](ConstRow, Row) { return Applied::fallback; });
  Driver a = driver();
  const Answer answer = a.tell(at_work(0, 40));
  EXPECT_TRUE(answer.declined);
  EXPECT_EQ(answer.executors, 0);
}

TEST_F(SharedExecutorsTest, RefusesMoreJobsThanItsSpacesHave) {
  share(2, first_allowed(spec_, 1));
  Driver a = driver(), b = driver();
  Told six{.slots = 0, .idle = 0, .source = 0, .arrivals_s = std::vector<double>(6), .stages = {}};
  a.tell(six);
  try {
    b.tell(six);
    ADD_FAILURE() << "twelve jobs were taken";
  } catch (const bridge::Failed& failed) {
    EXPECT_THAT(failed.what(), HasSubstr("jobs: the applications have 12 together"));
  }
  EXPECT_EQ(a.tell(at_work(0, 40)).executors, 1) << "the others go on";
  EXPECT_EQ(b.tell(at_work(0, 40)).executors, 1);
}

TEST_F(SharedExecutorsTest, ApplicationsHaveAnyNumberOfJobsInTheOrderOfTheirArrival) {
  const auto first = first_allowed(spec_, 1);
  const Batch o(spec_.observation);
  const auto id = o.field<std::int32_t>("job.id");
  const auto arrival = o.field<double>("job.arrival_s");
  std::vector<double> arrivals;
  share(50, [&](ConstRow seen, Row act) {
    EXPECT_EQ(test::out_of_bounds(spec_.observation, seen), "");
    EXPECT_EQ(std::set<std::int32_t>(seen[id].begin(), seen[id].end()).size(), seen[id].size());
    arrivals.assign(seen[arrival].begin(), seen[arrival].end());
    return first(seen, act);
  });
  Driver a = driver({}, "a"), b = driver({}, "b");
  for (std::uint32_t job = 0; job < 3 * kPoolLimits.jobs; ++job) {
    Told told = at_work(0, 40);
    told.first_job = job;
    told.arrivals_s = {1000.0 * job, 1000.0 * (job + 1)};
    a.tell(told);
    told.arrivals_s = {1000.0 * job + 500, 1000.0 * (job + 1) + 500};
    b.tell(told);
    EXPECT_EQ(arrivals.size(), 4u);
    if (job > 0) EXPECT_TRUE(std::ranges::is_sorted(arrivals)) << "both of a came first; " << job;
  }
}

TEST_F(SharedExecutorsTest, CountsAJobOnceHoweverOftenItsEndIsTold) {
  share(4, first_allowed(spec_, 2));
  Driver a = driver(), b = driver();
  Told told = at_work(0, 40);
  told.ended_s = {3, 5};
  a.tell(told);
  a.tell(told);
  b.tell(told);
  b.finish({});
  a.finish({.ended_s = {3, 5, 6}});
  EXPECT_EQ(script_->metrics[spec_.metric("jobs_done")], 5);
}

std::string begun(Applications& all, bool shares) {
  Sent sent;
  auto begin = sent.message().initBegin();
  begin.setShares(shares);
  try {
    all.end(all.begin(sent.message().asReader().getBegin()));
    return "";
  } catch (const bridge::Failed& failed) {
    return failed.what();
  }
}

TEST(SharingApplications, AreThoseThatSaySo) {
  const Spec spec = Spark::spec({.executors = 100, .jobs = 10});
  const FixedEpisodes source{std::vector<Episode>(3)};
  Episodes episodes{source, 0, 1};
  Script script(first_allowed(spec, 1));
  bool done = false;
  Applications all(episodes, script, spec, kPoolLimits, nullptr, [&] { done = true; }, "",
                   {.executors = 4});
  EXPECT_THAT(begun(all, false), HasSubstr("spark.park.executors=shared"));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(begun(all, true), "") << i;
  EXPECT_TRUE(done);
  EXPECT_THAT(begun(all, true), HasSubstr("no more applications"));
}

}  // namespace
}  // namespace park::spark
