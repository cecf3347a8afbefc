// Running systems behind a stream: deadlines, fallbacks, late answers, rewards that add up.
#include "park/core/live.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "park/core/policy.h"
#include "tests/core/toy.h"

namespace park {
namespace live_test {

using namespace std::chrono_literals;
using test::Boxes;

/// A system whose run is a function.
class Scripted final : public SystemEnv {
 public:
  using Run = std::function<void(Episodes&, Decider&, std::stop_token)>;
  explicit Scripted(Run run) : run_(std::move(run)) {}
  void run(Episodes& e, Decider& d, std::stop_token s) override { run_(e, d, std::move(s)); }

 private:
  Run run_;
};

std::vector<std::unique_ptr<SystemEnv>> one(Scripted::Run run) {
  std::vector<std::unique_ptr<SystemEnv>> v;
  v.push_back(std::make_unique<Scripted>(std::move(run)));
  return v;
}

/// What a context writes: one box with nine things in it.
struct Rows {
  Rows() : observation(Boxes::spec().observation), action(Boxes::spec().action) {
    Row r = observation.append();
    r.resize(observation.group("boxes"), 1);
    r[observation.field<std::int32_t>("box.content")][0] = 9;
    r[observation.field<std::uint8_t>("mask.box")][0] = 1;
    r[observation.field<std::int32_t>("amount.min")][0] = 1;
    r[observation.field<std::int32_t>("amount.max")][0] = 9;
    action.resize(1);
  }
  void stamp(double t) { observation.row(0).scalar(observation.field<double>("time")) = t; }
  [[nodiscard]] std::int32_t amount() {
    return action.row(0).scalar(action.field<std::int32_t>("amount"));
  }
  [[nodiscard]] ConstRow seen() const { return observation.row(0); }
  Batch observation, action;
};

/// Takes amount = 1 + time modulo 9, so that an answer tells which question it belongs to.
void answer(const Decisions& d, Batch& actions) {
  const auto time = d.observation.field<double>("time");
  actions.clear();
  actions.resize(d.asked.size());
  for (std::size_t i = 0; i < d.asked.size(); ++i)
    actions.row(i).scalar(actions.field<std::int32_t>("amount")) =
        1 + static_cast<std::int32_t>(d.observation.row(i).scalar(time)) % 9;
}

const FixedEpisodes kTwo({Episode{}, Episode{}});

TEST(Live, ManyContextsFromManyThreadsGetTheirOwnAnswers) {
  constexpr int kThreads = 6, kQuestions = 50;
  std::atomic<int> wrong = 0, answered = 0;
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              std::vector<std::jthread> threads;
              for (int t = 0; t < kThreads; ++t)
                threads.emplace_back([&, t] {
                  Rows rows;
                  const Context c = d.open({});
                  Outcome o;
                  for (int q = 0; q < kQuestions; ++q) {
                    rows.stamp(t * 1000 + q);
                    const Applied by = d.decide(c, o, rows.seen(), rows.action.row(0), kNever);
                    answered += by == Applied::policy;
                    wrong += rows.amount() != 1 + (t * 1000 + q) % 9;
                    o = {1.0, 0.5};
                  }
                  o.end = End::terminated;
                  const double moves = t;
                  d.close(c, o, rows.seen(), std::span(&moves, 1));
                });
            }),
            kTwo, {.batch = 4});
  Batch actions(live.spec().action);
  double reward = 0;
  std::set<double> metrics;
  for (;;) {
    const Decisions& d = live.recv();
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      reward += d.ended[i].last.reward;
      EXPECT_EQ(d.ended[i].decisions, static_cast<std::uint64_t>(kQuestions));
      metrics.insert(d.metrics[i]);
    }
    for (const Ask& a : d.asked) reward += a.since_last.reward;
    if (d.done) break;
    EXPECT_LE(d.asked.size(), 4u);
    answer(d, actions);
    live.send(actions);
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(answered, kThreads * kQuestions);
  EXPECT_EQ(reward, kThreads * kQuestions);
  EXPECT_EQ(metrics.size(), static_cast<std::size_t>(kThreads));
}

TEST(Live, AnExpiredQuestionIsSkippedAndItsRewardIsNotLost) {
  std::atomic<bool> listening = false;
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              Rows rows;
              const Context c = d.open({});
              rows.action.row(0).scalar(rows.action.field<std::int32_t>("amount")) = 7;
              for (int q = 0; q < 3; ++q) {  // nobody listens yet
                EXPECT_EQ(d.decide(c, q == 0 ? Outcome{} : Outcome{2.0, 1.0}, rows.seen(),
                                   rows.action.row(0), Clock::now() + 1ms),
                          Applied::fallback);
                EXPECT_EQ(rows.amount(), 7) << "a fall-back leaves the action untouched";
              }
              listening = true;
              EXPECT_EQ(d.decide(c, {2.0, 1.0}, rows.seen(), rows.action.row(0), kNever),
                        Applied::policy);
              const double metric = 0;
              d.close(c, {4.0, 1.0, End::terminated}, rows.seen(), std::span(&metric, 1));
            }),
            kTwo, {});
  while (!listening) std::this_thread::sleep_for(1ms);
  Batch actions(live.spec().action);
  const Decisions* d = &live.recv();
  ASSERT_EQ(d->asked.size(), 1u);
  EXPECT_EQ(d->asked[0].sequence, 0u) << "the first row that is delivered";
  EXPECT_EQ(d->asked[0].since_last.skipped, 3u);
  EXPECT_EQ(d->asked[0].since_last.reward, 6.0);
  EXPECT_EQ(d->asked[0].since_last.elapsed_s, 3.0);
  answer(*d, actions);
  live.send(actions);
  do d = &live.recv(Clock::now() + 5s);
  while (d->ended.empty() && !d->done);
  ASSERT_EQ(d->ended.size(), 1u);
  EXPECT_EQ(d->ended[0].last.reward, 4.0);
  EXPECT_EQ(d->ended[0].last.applied, Applied::policy);
  EXPECT_EQ(d->ended[0].last.skipped, 0u);
  EXPECT_EQ(live.late(), 0u);
}

TEST(Live, ALateAnswerIsDroppedAndCounted) {
  std::atomic<bool> expired = false;
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              Rows rows;
              const Context c = d.open({});
              EXPECT_EQ(d.decide(c, {}, rows.seen(), rows.action.row(0), Clock::now() + 50ms),
                        Applied::fallback);
              expired = true;
              rows.stamp(4);
              EXPECT_EQ(d.decide(c, {1.0, 1.0}, rows.seen(), rows.action.row(0), kNever),
                        Applied::policy);
              EXPECT_EQ(rows.amount(), 5);
              const double metric = 0;
              d.close(c, {0, 0, End::terminated}, rows.seen(), std::span(&metric, 1));
            }),
            kTwo, {});
  Batch actions(live.spec().action);
  answer(live.recv(), actions);
  while (!expired) std::this_thread::sleep_for(1ms);
  live.send(actions);
  const Decisions& d = live.recv();
  EXPECT_EQ(live.late(), 1u);
  ASSERT_EQ(d.asked.size(), 1u);
  EXPECT_EQ(d.asked[0].sequence, 1u);
  EXPECT_EQ(d.asked[0].since_last.applied, Applied::fallback);
  EXPECT_EQ(d.asked[0].since_last.skipped, 0u) << "the agent saw the question";
  answer(d, actions);
  live.send(actions);
  EXPECT_EQ(live.recv().ended.size(), 1u);
}

TEST(Live, TellsByWhenTheAgentShouldHaveAnswered) {
  Deadline before{}, after{}, during{};
  const Deadline until = Clock::now() + 30ms;
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              Rows rows;
              const Context c = d.open({});
              before = d.due();
              d.decide(c, {}, rows.seen(), rows.action.row(0), until);
              during = d.due();  // the agent has it still
              d.decide(c, {}, rows.seen(), rows.action.row(0), kNever);
              after = d.due();
            }),
            kTwo, {});
  Batch actions(live.spec().action);
  const Decisions& first = live.recv();
  std::this_thread::sleep_until(until + 30ms);
  answer(first, actions);
  live.send(actions);
  answer(live.recv(), actions);
  live.send(actions);
  EXPECT_TRUE(live.recv().done);
  EXPECT_EQ(before, kNever);
  EXPECT_EQ(during, until);
  EXPECT_EQ(after, kNever);
}

TEST(Live, RecvKeepsItsDeadline) {
  std::atomic<bool> go = false;
  Live live(Boxes::spec(), one([&](Episodes&, Decider&, std::stop_token) {
              while (!go) std::this_thread::sleep_for(1ms);
            }),
            kTwo, {});
  const Decisions& d = live.recv(Clock::now() + 5ms);
  EXPECT_TRUE(d.asked.empty() && d.ended.empty());
  EXPECT_FALSE(d.done);
  live.send(Batch(live.spec().action));
  go = true;
  EXPECT_TRUE(live.recv().done);
}

TEST(Live, AfterAStopEverythingFallsBackAndIsClosed) {
  Live live(
      Boxes::spec(), one([&](Episodes& episodes, Decider& d, std::stop_token stop) {
        while (auto e = stop.stop_requested() ? std::nullopt : episodes.next()) {
          Rows rows;
          const Context c = d.open(*e);
          while (d.decide(c, {}, rows.seen(), rows.action.row(0), kNever) != Applied::fallback) {
          }
          EXPECT_EQ(d.decide(c, {}, rows.seen(), rows.action.row(0), kNever), Applied::fallback);
          const double metric = 0;
          d.close(c, {0, 0, End::truncated}, rows.seen(), std::span(&metric, 1));
        }
      }),
      kTwo, {});
  ASSERT_EQ(live.recv().asked.size(), 1u);
  live.stop();
  live.stop();
  Batch actions(live.spec().action);
  actions.resize(1);
  live.send(actions);
  std::size_t ended = 0;
  for (bool done = false; !done;) {
    const Decisions& d = live.recv(Clock::now() + 5s);
    for (const Ended& e : d.ended) {
      EXPECT_EQ(e.last.end, End::truncated);
      ++ended;
    }
    done = d.done;
  }
  EXPECT_EQ(ended, 1u);
}

TEST(Live, ASlotComesBackOnlyAfterItsEndWasReceived) {
  std::atomic<bool> opened = false;
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              const double metric = 0;
              Rows rows;
              const auto close = [&](Context c) {
                d.close(c, {0, 0, End::terminated}, rows.seen(), std::span(&metric, 1));
              };
              const Context a = d.open({});
              close(a);
              const Context b = d.open({});  // nothing was received yet
              EXPECT_NE(a.slot, b.slot);
              EXPECT_NE(a.id, b.id);
              opened = true;
              (void)d.decide(b, {}, rows.seen(), rows.action.row(0), kNever);
              const Context c = d.open({});  // the recv that delivered b's row delivered a's end
              EXPECT_EQ(c.slot, a.slot);
              EXPECT_NE(c.id, a.id);
              close(b);
              close(c);
            }),
            kTwo, {});
  while (!opened) std::this_thread::sleep_for(1ms);
  Batch actions(live.spec().action);
  for (;;) {
    const Decisions& d = live.recv(Clock::now() + 5s);
    if (d.done) break;
    answer(d, actions);
    live.send(actions);
  }
}

TEST(Live, TooManyContextsAreRefusedAndCounted) {
  Live live(Boxes::spec(), one([&](Episodes&, Decider& d, std::stop_token) {
              Rows rows;
              const Context a = d.open({}), b = d.open({});
              EXPECT_EQ(d.decide(b, {}, rows.seen(), rows.action.row(0), kNever),
                        Applied::fallback);
              const double metric = 0;
              d.close(b, {}, rows.seen(), std::span(&metric, 1));
              d.close(a, {0, 0, End::terminated}, rows.seen(), std::span(&metric, 1));
            }),
            kTwo, {.max_contexts = 1});
  std::size_t ended = 0;
  for (bool done = false; !done;) {
    const Decisions& d = live.recv(Clock::now() + 5s);
    ended += d.ended.size();
    done = d.done;
  }
  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(live.refused(), 1u);
}

TEST(Live, WhatRunThrowsRecvThrows) {
  Live live(Boxes::spec(), one([](Episodes&, Decider&, std::stop_token) {
              throw Error(Errc::unavailable, "no cluster");
            }),
            kTwo, {});
  EXPECT_THROW((void)live.recv(Clock::now() + 5s), Error);
  EXPECT_TRUE(live.recv(Clock::now() + 5s).done);
}

TEST(Live, PenaltyAndProjection) {
  Live live(Boxes::spec(), one([](Episodes&, Decider& d, std::stop_token) {
              Rows rows;
              const Context c = d.open({});
              EXPECT_EQ(d.decide(c, {}, rows.seen(), rows.action.row(0), kNever),
                        Applied::projected);
              EXPECT_EQ(rows.amount(), 9);
              const double metric = 0;
              d.close(c, {1, 1, End::terminated}, rows.seen(), std::span(&metric, 1));
            }),
            kTwo, {.illegal = Illegal::penalise, .penalty = 3});
  (void)live.recv();
  Batch actions(live.spec().action);
  actions.resize(1);
  actions.row(0).scalar(actions.field<std::int32_t>("amount")) = 50;
  live.send(actions);
  const Decisions* d = &live.recv(Clock::now() + 5s);
  ASSERT_EQ(d->ended.size(), 1u);
  EXPECT_EQ(d->ended[0].last.reward, -2.0);
  EXPECT_EQ(d->ended[0].last.applied, Applied::projected);
}

}  // namespace live_test
}  // namespace park
