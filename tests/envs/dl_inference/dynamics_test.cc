// dl_inference by hand: times, rewards, leaves and metrics of short episodes whose arrivals are in a
// file. The file has 8 arrivals in a period of 16 s; its load is the one that the text gives, so
// that times are not stretched.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/events.h"
#include "tests/envs/dl_inference/fixture.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace dynamics_test {

using Doubles = std::vector<double>;

/// App 0 arrives at 0, 1, 2, 3 and 14 s, app 1 at 1, 4 and 10 s. The mean gap is 2 s.
const char* const kArrivals = "time_s,app\n0,0\n1,0\n1,1\n2,0\n3,0\n4,1\n10,1\n14,0\n";
/// 5/16 arrivals per second x 5/4 s + 3/16 x 2/4 s.
const char* const kLoad = "0.484375";

class Dynamics : public ::testing::Test {
 protected:
  [[nodiscard]] std::string text(const std::string& more = ",duration_s=12") const {
    return two_apps(file_.path(), kLoad, more);
  }

 private:
  TemporaryFile file_{kArrivals};
};

TEST_F(Dynamics, BatchesAndWaits) {
  InferencePlayer p(text());
  p.reset();
  EXPECT_EQ(p.values(p.layout.app), (Doubles{0, -1}));
  EXPECT_EQ(p.values(p.layout.batch_max), (Doubles{1, 0}));
  // One of app 0 until 2 s. It is in the system for 2 s, another one for 1 s, app 1 for 1 s: each
  // costs 1/2 per second. The arrival at 2 s is in.
  Outcome o = p.step(0, 1);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 2);
  EXPECT_DOUBLE_EQ(o.reward, -(2 + 1 + 1) / 2.0);
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{2, 1, 0}));
  EXPECT_EQ(p.values(p.layout.oldest_s), (Doubles{1, 1, 0}));
  EXPECT_EQ(p.values(p.layout.wait_sum_s), (Doubles{1, 1, 0}));
  EXPECT_EQ(p.values(p.layout.batch_wait_s), (Doubles{1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0}));
  // A wait ends at the next arrival.
  o = p.wait();
  EXPECT_DOUBLE_EQ(o.elapsed_s, 1);
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{3, 1, 0}));
  // App 0 with all three until 7 s; one of app 1 comes at 4 s.
  o = p.step(0, 3);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 4);
  EXPECT_DOUBLE_EQ(o.reward, -(4 * 4 + 3) / 2.0);
  EXPECT_EQ(p.values(p.layout.app), (Doubles{1, -1}));
  EXPECT_EQ(p.values(p.layout.used_second_s), (Doubles{0, 0}));
  EXPECT_EQ(p.values(p.layout.arrivals_second), (Doubles{0, 0}));
  // A wait ends after wait_max_s.
  o = p.wait();
  EXPECT_DOUBLE_EQ(o.elapsed_s, 1);
  EXPECT_EQ(p.choices(), 2u);
  // Both of app 1 until 10 s, where its last request comes; the episode's arrivals end at 12 s.
  o = p.step(0, 2);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 2);
  EXPECT_EQ(p.values(p.layout.mask), (Doubles{1, 1}));
  EXPECT_EQ(p.values(p.layout.used_second_s), (Doubles{1, 0}));
  EXPECT_EQ(p.values(p.layout.used_tenth_s)[0], static_cast<double>(0.1F));
  EXPECT_EQ(p.values(p.layout.used_s), (Doubles{2, 0}));
  o = p.step(0, 1);
  EXPECT_EQ(o.end, End::terminated);
  EXPECT_DOUBLE_EQ(p.row().scalar(p.layout.time_s), 12);
  // Slowdowns: 0 at 0 s: 2 / 2; at 1, 2, 3 s: (6 + 5 + 4) / 2. App 1: 9/2, 6/2, 2/2.
  EXPECT_DOUBLE_EQ(p.metric("macro_slowdown"), ((1 + 3 + 2.5 + 2) / 4 + (4.5 + 3 + 1) / 3) / 2);
  EXPECT_DOUBLE_EQ(p.metric("avg_slowdown"), (8.5 + 8.5) / 7);
  EXPECT_DOUBLE_EQ(p.metric("worst_slowdown"), 8.5 / 3);
  EXPECT_DOUBLE_EQ(p.metric("p99_slowdown"), 4.5);
  EXPECT_DOUBLE_EQ(p.metric("avg_wait_s"), (0 + 2 + 1 + 0 + 7 + 4 + 0) / 7.0);
  EXPECT_DOUBLE_EQ(p.metric("requests_done"), 7);
  EXPECT_DOUBLE_EQ(p.metric("in_time_share"), 1);
  EXPECT_DOUBLE_EQ(p.metric("avg_batch"), 7 / 4.0);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 10 / 12.0);
  EXPECT_DOUBLE_EQ(p.metric("device_s_0"), 6);
  EXPECT_DOUBLE_EQ(p.metric("device_s_1"), 4);
}

TEST_F(Dynamics, WaitsAreOverWhenNothingCanCome) {
  InferencePlayer p(text(",duration_s=3"));
  p.reset();
  static_cast<void>(p.step(0, 1));
  EXPECT_EQ(p.values(p.layout.mask).back(), 1);  // at 2 s
  static_cast<void>(p.wait());
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{3, 1, 0}));
  EXPECT_EQ(p.values(p.layout.mask), (Doubles{1, 1, 0}));  // at 3 s
}

TEST_F(Dynamics, AHorizonCutsABatch) {
  InferencePlayer p(text());
  p.reset({.inputs = 1, .horizon_s = 5});
  static_cast<void>(p.step(0, 1));
  const Outcome o = p.step(0, 2);  // until 5 s: it is finished
  EXPECT_EQ(o.end, End::truncated);
  EXPECT_DOUBLE_EQ(p.metric("requests_done"), 3);
  p.reset({.inputs = 1, .horizon_s = 4.5});
  static_cast<void>(p.step(0, 1));
  EXPECT_EQ(p.step(0, 2).end, End::truncated);
  EXPECT_DOUBLE_EQ(p.metric("requests_done"), 1);
  EXPECT_DOUBLE_EQ(p.metric("device_s_0"), 4.5);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 1);
}

TEST_F(Dynamics, LateRequestsAreDropped) {
  // Deadlines 3 latencies of one, 6 s, after the arrival; a request needs 2 s.
  InferencePlayer p(text(",duration_s=4,deadline=3,late=drop,drop_cost=7,weights=[1,10]"));
  p.reset();
  Outcome o = p.step(0, 1);  // until 2 s
  o = p.step(0, 2);          // the ones of 1 and 2 s until 5 s
  o = p.step(0, 1);          // the one of 3 s until 7 s: that of app 1 at 1 s is late, at 4 s not
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{1, 0}));
  EXPECT_DOUBLE_EQ(p.metric("requests_dropped"), 1);
  EXPECT_NEAR(o.reward, -(2 / 2.0 + 10 * (2 + 2) / 2.0 + 10 * 7), 1e-12);
  o = p.step(0, 1);
  EXPECT_EQ(o.end, End::terminated);
  EXPECT_DOUBLE_EQ(p.metric("worst_slowdown"), (6 / 2.0 + 7 + 5 / 2.0) / 2);
  EXPECT_DOUBLE_EQ(p.metric("in_time_share"), 5 / 6.0);
}

TEST_F(Dynamics, DecisionsAndWaysTakeTime) {
  InferencePlayer p(text(",duration_s=3,dispatch_s=0.5,network_s=0.25,weights=[1,10]"));
  p.reset();
  // The batch runs from 0.5 to 2.5 s. Its request and its ways cost (2.5 + 0.25) / 2; the one of app 0
  // at 1 s waits for 1.5 s, that of app 1 too at ten times the price, that of 2 s for 0.5 s.
  Outcome o = p.step(0, 1);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 2.5);
  EXPECT_DOUBLE_EQ(o.reward, -(2.5 + 0.25 + 1.5 + 10 * 1.5 + 0.5) / 2);
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{2, 1, 0}));
  // What arrives while the decision is taken ends a wait, whose time has not begun.
  o = p.wait();
  EXPECT_DOUBLE_EQ(o.elapsed_s, 0.5);
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{3, 1, 0}));
  static_cast<void>(p.step(1, 1));  // from 3.5 to 5.5 s
  o = p.step(0, 3);                 // from 6 to 10 s
  EXPECT_EQ(o.end, End::terminated);
  EXPECT_DOUBLE_EQ(p.metric("macro_slowdown"),
                   ((2.75 + 9.25 + 8.25 + 7.25) / 2 / 4 + 4.75 / 2) / 2);
  EXPECT_DOUBLE_EQ(p.metric("avg_wait_s"), (0.75 + 2.75 + 5.25 + 4.25 + 3.25) / 5);
  EXPECT_DOUBLE_EQ(p.metric("utilisation"), 8 / 10.0);
  EXPECT_DOUBLE_EQ(p.metric("avg_requests"), (2.75 + 9.25 + 8.25 + 7.25 + 4.75) / 10);
}

TEST_F(Dynamics, AWaitBeginsBehindItsDecision) {
  InferencePlayer p(text(",duration_s=12,dispatch_s=0.25"));
  p.reset();
  static_cast<void>(p.step(0, 1));                 // until 2.25 s
  EXPECT_DOUBLE_EQ(p.wait().elapsed_s, 0.75);      // until the arrival at 3 s
  EXPECT_DOUBLE_EQ(p.wait().elapsed_s, 1);         // until that of 4 s
  EXPECT_DOUBLE_EQ(p.wait().elapsed_s, 0.25 + 1);  // wait_max_s
}

TEST_F(Dynamics, AHorizonCutsADecision) {
  InferencePlayer p(text(",duration_s=12,dispatch_s=0.5"));
  p.reset({.inputs = 1, .horizon_s = 2.75});
  static_cast<void>(p.step(0, 1));
  const Outcome o = p.step(0, 1);
  EXPECT_EQ(o.end, End::truncated);
  EXPECT_DOUBLE_EQ(o.elapsed_s, 0.25);
  EXPECT_DOUBLE_EQ(p.metric("requests_done"), 1);
  EXPECT_DOUBLE_EQ(p.metric("device_s_0"), 2);
}

TEST_F(Dynamics, WhatIsLateDependsOnDecisionsAndWays) {
  // Deadlines of 6 s, as above, and batches of 2 s. The batch of the request of app 1 at 1 s has to
  // begin by 4.5 s, so that its reply is there at 7 s.
  InferencePlayer p(text(",duration_s=3,deadline=3,late=drop,dispatch_s=0.25,network_s=0.5"));
  p.reset();
  static_cast<void>(p.step(0, 1));  // until 2.25 s
  static_cast<void>(p.step(0, 1));  // the one of 1 s until 4.5 s
  EXPECT_EQ(p.values(p.layout.queue), (Doubles{2, 0})) << "its batch would begin at 4.75 s";
  EXPECT_DOUBLE_EQ(p.metric("requests_dropped"), 1);
}

/// The times of arrivals that an environment reports.
class ArrivalTimes final : public EventSink {
 public:
  void begin(const Episode&) override {}
  void lane(std::string_view) override {}
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {}
  void value(std::string_view, std::string_view, double, double) override {}
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg>) override {
    if (what == "arrival") all.emplace_back(std::string(lane), time_s);
  }
  std::vector<std::pair<std::string, double>> all;
};

TEST_F(Dynamics, ATraceIsStretchedToTheLoadAndComesAgain) {
  // Twice the load: half the times. 16 s become 8 s, then it begins again.
  const TemporaryFile file(kArrivals);
  InferencePlayer p(two_apps(file.path(), "0.96875", ",duration_s=9"));
  ArrivalTimes times;
  p.env.events(&times);
  p.reset();
  while (p.step(0, 1).end == End::none) continue;
  const std::vector<std::pair<std::string, double>> expected{
      {"app 0", 0}, {"app 0", 0.5}, {"app 1", 0.5}, {"app 0", 1},   {"app 0", 1.5}, {"app 1", 2},
      {"app 1", 5}, {"app 0", 7},   {"app 0", 8},   {"app 0", 8.5}, {"app 1", 8.5}, {"app 0", 9}};
  ASSERT_EQ(times.all.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(times.all[i].first, expected[i].first);
    EXPECT_NEAR(times.all[i].second, expected[i].second, 1e-12);
  }
}

}  // namespace dynamics_test
}  // namespace park::test
