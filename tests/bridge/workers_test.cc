// Whose turn it is: the strand that has used the processor least.
#include "bridge/server/workers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>
#include <string>

namespace park::bridge {
namespace workers_test {

using namespace std::chrono_literals;

/// The order in which pieces were done, a letter for each.
struct Log {
  void add(char name) {
    const std::lock_guard lock(mutex);
    order += name;
    if (order.size() == expected) done.set_value();
  }
  std::future<void> again(std::size_t pieces) {
    const std::lock_guard lock(mutex);
    order.clear();
    expected = pieces;
    done = {};
    return done.get_future();
  }
  std::mutex mutex;
  std::string order;
  std::size_t expected = 0;
  std::promise<void> done;
};

/// Says that each of its pieces took so long.
class Claiming final : public Workers::Strand {
 public:
  Claiming(Log& log, char name, std::chrono::nanoseconds each, bool brief = false)
      : log_(log), name_(name), each_(each), brief_(brief) {}

 private:
  std::chrono::nanoseconds work() override {
    log_.add(name_);
    return each_;
  }
  [[nodiscard]] bool brief() const override { return brief_; }
  Log& log_;
  char name_;
  std::chrono::nanoseconds each_;
  bool brief_;
};

/// Keeps the only worker until it is let go.
class Gate final : public Workers::Strand {
 public:
  void open() { opened_.set_value(); }

 private:
  std::chrono::nanoseconds work() override {
    opened_.get_future().wait_for(20s);
    return 0ns;
  }
  std::promise<void> opened_;
};

TEST(Workers, AStrandThatUsedMuchWaitsBehindOthers) {
  Log log;
  auto done = log.again(24);
  Workers workers(1);
  const auto gate = std::make_shared<Gate>();
  workers.add(gate);
  const auto heavy = std::make_shared<Claiming>(log, 'H', 5ms);
  const auto light = std::make_shared<Claiming>(log, 'l', 100us);
  for (int i = 0; i < 4; ++i) workers.add(heavy);
  for (int i = 0; i < 20; ++i) workers.add(light);
  gate->open();
  ASSERT_EQ(done.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(log.order, "H" + std::string(20, 'l') + "HHH");
}

TEST(Workers, AStrandThatWasIdleSavesNoTurnsUp) {
  Log log;
  auto first = log.again(100);
  Workers workers(1);
  const auto busy = std::make_shared<Claiming>(log, 'b', 1ms);
  for (int i = 0; i < 100; ++i) workers.add(busy);
  ASSERT_EQ(first.wait_for(20s), std::future_status::ready);
  const auto gate = std::make_shared<Gate>();
  workers.add(gate);
  auto second = log.again(20);
  const auto late = std::make_shared<Claiming>(log, 'n', 1ms);
  for (int i = 0; i < 10; ++i) workers.add(busy);
  for (int i = 0; i < 10; ++i) workers.add(late);
  gate->open();
  ASSERT_EQ(second.wait_for(20s), std::future_status::ready);
  EXPECT_LT(log.order.find('b'), 4u) << log.order;
}

TEST(Workers, ABriefPieceDoesNotWaitForLongOnes) {
  Log log;
  auto brief_done = log.again(20);
  Workers workers(2);
  const auto one = std::make_shared<Gate>(), other = std::make_shared<Gate>();
  workers.add(one);
  workers.add(other);
  const auto heavy = std::make_shared<Claiming>(log, 'H', 5ms);
  const auto brief = std::make_shared<Claiming>(log, 'b', 100us, true);
  for (int i = 0; i < 4; ++i) workers.add(heavy);
  for (int i = 0; i < 20; ++i) workers.add(brief);
  ASSERT_EQ(brief_done.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(log.order, std::string(20, 'b'));
  auto heavy_done = log.again(4);
  one->open();
  ASSERT_EQ(heavy_done.wait_for(20s), std::future_status::ready);
  EXPECT_EQ(log.order, "HHHH");
  other->open();
}

}  // namespace workers_test
}  // namespace park::bridge
