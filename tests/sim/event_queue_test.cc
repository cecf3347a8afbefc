#include "park/sim/event_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "park/core/rng.h"
#include "park/sim/ticks.h"
#include "park/sim/timeline_switch.h"

namespace park::sim {
namespace event_queue_test {

/// Random pushes and takes, against a sorted set; few different times, so that ties abound.
template <class Time, Ties kTies>
void compare_with_a_set(std::uint64_t seed) {
  using Key = std::pair<Time, std::uint64_t>;  // time, then what breaks a tie
  constexpr std::uint32_t kSources = 70;
  Rng rng(seed);
  EventQueue<Time, kTies> queue;
  queue.reset(kSources);
  std::map<Key, std::uint32_t> all;
  std::set<std::uint32_t> idle;
  for (std::uint32_t s = 0; s < kSources; ++s) idle.insert(s);
  std::uint64_t pushed = 0;
  Time now = 0;
  const auto push = [&] {
    const std::uint32_t s = *std::next(idle.begin(), static_cast<int>(rng.below(idle.size())));
    const Time at = now + static_cast<Time>(rng.below(5));
    idle.erase(s);
    queue.push(at, s);
    all[{at, kTies == Ties::source ? s : pushed++}] = s;
  };
  for (int step = 0; step < 5000; ++step) {
    if (all.empty() || (!idle.empty() && rng.below(2) == 0)) {
      push();
    } else {
      now = all.begin()->first.first;
      ASSERT_EQ(queue.time(), now);
      const std::uint32_t s = queue.take();
      ASSERT_EQ(s, all.begin()->second);
      all.erase(all.begin());
      idle.insert(s);
      for (std::uint64_t again = rng.below(3); again > 0 && !idle.empty(); --again) push();
      queue.close_hole();
    }
    ASSERT_EQ(queue.empty(), all.empty());
  }
}

TEST(EventQueue, KeepsTheOrderOfTimeAndScheduling) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) compare_with_a_set<Ticks, Ties::scheduled>(seed);
}

TEST(EventQueue, KeepsTheOrderOfTimeAndSource) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) compare_with_a_set<double, Ties::source>(seed);
}

TEST(EventQueue, VisitsWhatIsLeftAndBeginsAgain) {
  EventQueue<Ticks, Ties::scheduled> queue;
  queue.reset(3);
  queue.push(7, 2);
  queue.push(5, 0);
  std::map<Ticks, std::uint32_t> seen;
  queue.for_each([&](Ticks at, std::uint32_t source) { seen[at] = source; });
  EXPECT_EQ(seen, (std::map<Ticks, std::uint32_t>{{5, 0}, {7, 2}}));
  queue.reset(3);
  EXPECT_TRUE(queue.empty());
}

TEST(Ticks, RoundToTheNearestAndUp) {
  EXPECT_EQ(to_ticks(1.0000004), 1'000'000);
  EXPECT_EQ(to_ticks(1.0000006), 1'000'001);
  EXPECT_EQ(ticks_at_or_after(1.0000004), 1'000'001);
  EXPECT_EQ(ticks_at_or_after(1e13), kNever);
  EXPECT_EQ(to_seconds(1'500'000), 1.5);
}

class LaneCounter final : public EventSink {
  void begin(const Episode&) override {}
  void lane(std::string_view) override { ++lanes; }
  void job(std::uint64_t, std::string_view, std::span<const EventStage>) override {}
  void span(std::string_view, double, double, std::string_view,
            std::span<const EventArg>) override {}
  void point(std::string_view, double, std::string_view, std::span<const EventArg>) override {}
  void value(std::string_view, std::string_view, double, double) override {}

 public:
  int lanes = 0;
};

struct OneLane : TimelineSwitch {
  void begin() const { sink().lane("one"); }
};

TEST(TimelineSwitch, ReportsToItsSink) {
  LaneCounter sink;
  OneLane timeline;
  EXPECT_FALSE(timeline);
  timeline.set(&sink);
  ASSERT_TRUE(timeline);
  timeline.begin();
  EXPECT_EQ(sink.lanes, 1);
  timeline.set(nullptr);
  EXPECT_FALSE(timeline);
}

}  // namespace event_queue_test
}  // namespace park::sim
