// Pools: every engine gives the same bytes per episode; illegal actions, errors, and counts.
#include "park/core/pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "park/core/as_system.h"
#include "park/core/live.h"
#include "park/core/policy.h"
#include "tests/core/toy.h"

namespace park {
namespace pool_test {

using test::Boxes;

void add(std::string& s, const void* p, std::size_t n) { s.append(static_cast<const char*>(p), n); }
void add(std::string& s, ConstRow r) {
  for (std::size_t c = 0; c < r.batch().columns(); ++c) {
    const auto b = r.batch().bytes(c, r.index(), 1);
    add(s, b.data(), b.size());
  }
}
void add(std::string& s, const Outcome& o) {
  add(s, &o.reward, sizeof o.reward);
  add(s, &o.elapsed_s, sizeof o.elapsed_s);
  s += static_cast<char>(o.end);
}

/// Everything that was delivered, as bytes per episode.
std::map<std::uint64_t, std::string> transcript(Stream& stream) {
  std::map<std::uint64_t, std::string> t;
  RandomPolicy policy(stream.spec());
  play(stream, policy, Rng(5), [&](const Decisions& d, const Batch& actions) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      std::string& s = t[d.ended[i].episode.id];
      add(s, d.ended[i].last);
      add(s, d.final_observation.row(i));
      add(s, &d.metrics[i], sizeof(double));
      add(s, &d.ended[i].decisions, sizeof(std::uint64_t));
    }
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      std::string& s = t[d.asked[i].episode.id];
      add(s, d.asked[i].since_last);
      add(s, d.observation.row(i));
      add(s, actions.row(i));
    }
  });
  return t;
}

RandomEpisodes episodes(std::uint64_t count) { return RandomEpisodes(Rng(9), {.count = count}); }
std::unique_ptr<Env> boxes() { return std::make_unique<Boxes>(); }

class EveryPool : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(EveryPool, GivesTheSameBytesPerEpisode) {
  const auto [slots, workers, batch] = GetParam();
  const auto source = episodes(37);
  Pool reference(Boxes::spec(), boxes, source, {});
  PoolOptions o;
  o.slots = static_cast<std::uint32_t>(slots);
  o.workers = static_cast<std::uint32_t>(workers);
  o.batch = static_cast<std::uint32_t>(batch);
  Pool pool(Boxes::spec(), boxes, source, o);
  const auto expected = transcript(reference);
  EXPECT_EQ(expected.size(), 37u);
  EXPECT_EQ(transcript(pool), expected);
}

/// Counts down from what its inputs say; rows without groups. May be stepped in groups.
class Countdown final : public Env {
 public:
  static Spec spec() {
    Spec s{.name = "countdown", .summary = "counts", .reference = "none"};
    s.observation.leaves = {
        {.name = "left", .dtype = DType::i64, .low = 0, .high = 50, .doc = "decisions"}};
    s.action.leaves = {
        {.name = "way", .dtype = DType::i32, .low = 0, .high = 3, .doc = "a number"}};
    s.metrics = {{"sum", "1", true, "of the decisions"}};
    return s;
  }
  explicit Countdown(std::size_t* together) : together_(together) {}

  void reset(const Episode& e, Row row) override {
    left_ = 1 + static_cast<std::int64_t>(e.inputs % 9);
    sum_ = 0;
    row.scalar(left) = left_;
  }
  Outcome step(ConstRow action, Row row) override {
    sum_ += action.scalar(way);
    row.scalar(left) = --left_;
    return {.reward = sum_, .elapsed_s = 1, .end = left_ > 0 ? End::none : End::terminated};
  }
  void metrics(std::span<double> to) const override { to[0] = sum_; }
  std::unique_ptr<EnvGroup> group(std::span<Env* const> envs) const override {
    if (together_ == nullptr) return nullptr;
    return std::make_unique<Group>(envs, together_);
  }

 private:
  class Group final : public EnvGroup {
   public:
    Group(std::span<Env* const> envs, std::size_t* calls)
        : envs_(envs.begin(), envs.end()), calls_(calls) {}
    void step(const Batch& actions, Batch& rows, std::span<Outcome> outcomes) override {
      ++*calls_;
      for (std::size_t i = envs_.size(); i-- > 0;)
        outcomes[i] = envs_[i]->step(actions.row(i), rows.row(i));
    }

   private:
    std::vector<Env*> envs_;
    std::size_t* calls_;
  };

  static constexpr Field<std::int64_t> left{};
  static constexpr Field<std::int32_t> way{};
  std::size_t* together_;
  std::int64_t left_ = 0;
  double sum_ = 0;
};

TEST(Pool, GroupsGiveTheSameBytesPerEpisode) {
  const auto source = episodes(37);
  Pool reference(Countdown::spec(), [] { return std::make_unique<Countdown>(nullptr); }, source,
                 {});
  const auto expected = transcript(reference);
  for (const std::uint32_t slots : {2u, 7u, 37u, 50u}) {
    std::size_t together = 0;
    const auto make = [&] { return std::make_unique<Countdown>(&together); };
    Pool pool(Countdown::spec(), make, source, {.slots = slots});
    EXPECT_EQ(transcript(pool), expected) << slots;
    // The last slots of 50 have no episode, so that no step is made by all.
    EXPECT_EQ(together > 0, slots <= 37) << slots;
  }
}

INSTANTIATE_TEST_SUITE_P(Pools, EveryPool,
                         testing::Values(std::tuple(1, 0, 0), std::tuple(6, 0, 0),
                                         std::tuple(6, 2, 0), std::tuple(7, 3, 0),
                                         std::tuple(50, 2, 0), std::tuple(6, 0, 2),
                                         std::tuple(6, 1, 1), std::tuple(6, 3, 4),
                                         std::tuple(2, 5, 0)));

TEST(Pool, ThePushRoleGivesTheSameBytes) {
  const auto source = episodes(20);
  Pool pool(Boxes::spec(), boxes, source, {});
  std::vector<std::unique_ptr<SystemEnv>> systems;
  for (int i = 0; i < 2; ++i) systems.push_back(std::make_unique<AsSystem>(Boxes::spec(), boxes()));
  Live live(Boxes::spec(), std::move(systems), source, {});
  EXPECT_EQ(transcript(live), transcript(pool));
}

/// Answers with the same illegal action everywhere.
class Stubborn final : public Policy {
 public:
  void act(const Decisions& d, Batch& actions) override {
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      actions.row(i).scalar(actions.field<std::int32_t>("box")) = 99;
      actions.row(i).scalar(actions.field<std::int32_t>("amount")) = 1;
    }
  }
};

TEST(Pool, AnIllegalActionIsAnErrorBeforeAnythingMoves) {
  const auto source = episodes(4);
  Pool pool(Boxes::spec(), boxes, source, {.slots = 2});
  const Decisions& d = pool.recv();
  const Field<double> time = d.observation.field<double>("time");
  Batch actions(pool.spec().action);
  actions.resize(2);
  RandomPolicy random(pool.spec());
  for (const Ask& a : d.asked) random.start(a.slot, a.episode, Rng(1));
  random.act(d, actions);
  const std::int32_t legal = actions.row(1).scalar(actions.field<std::int32_t>("box"));
  actions.row(1).scalar(actions.field<std::int32_t>("box")) = 99;
  EXPECT_THROW(pool.send(actions), Error);
  actions.row(1).scalar(actions.field<std::int32_t>("box")) = legal;
  EXPECT_EQ(d.observation.row(0).scalar(time), 0);
  pool.send(actions);  // the question is still open
  const Decisions& next = pool.recv();
  for (const Ask& a : next.asked) EXPECT_LE(a.sequence, 1u);
}

TEST(Pool, TheWrongNumberOfActionsIsAnError) {
  const auto source = episodes(4);
  Pool pool(Boxes::spec(), boxes, source, {.slots = 2});
  (void)pool.recv();
  EXPECT_THROW(pool.send(Batch(pool.spec().action)), Error);
}

TEST(Pool, ProjectionAndPenaltyShowInTheOutcome) {
  const auto source = episodes(5);
  double plain = 0, penalised = 0;
  std::uint64_t decisions = 0;
  for (double* sum : {&plain, &penalised}) {
    PoolOptions o;
    o.illegal = sum == &plain ? Illegal::project : Illegal::penalise;
    o.penalty = 2;
    Pool pool(Boxes::spec(), boxes, source, o);
    Stubborn policy;
    decisions = 0;
    play(pool, policy, Rng(1), [&](const Decisions& d, const Batch&) {
      const auto see = [&](const Outcome& out) {
        EXPECT_EQ(out.applied, Applied::projected);
        *sum += out.reward;
        ++decisions;
      };
      for (const Ended& e : d.ended) see(e.last);
      for (const Ask& a : d.asked)
        if (a.sequence > 0) see(a.since_last);
    });
  }
  EXPECT_NEAR(plain - penalised, 2.0 * static_cast<double>(decisions), 1e-9);
}

TEST(Pool, WhatAnEnvironmentThrowsRecvThrows) {
  for (const std::uint32_t workers : {0u, 2u, 3u})
    for (const std::uint32_t batch : {0u, 2u}) {
      const auto source = episodes(40);
      Pool pool(Boxes::spec(),
                [] {
                  return std::make_unique<Boxes>(Boxes::Fault{11, 1});
                },
                source, {.slots = 4, .workers = workers, .batch = batch});
      EXPECT_THROW(transcript(pool), Error) << workers << " workers, batch " << batch;
    }
}

TEST(Pool, RefusesOptionsThatMakeNoSense) {
  const auto source = episodes(1);
  EventSink* sink = reinterpret_cast<EventSink*>(1);
  EXPECT_THROW(Pool(Boxes::spec(), boxes, source, {.slots = 0}), Error);
  EXPECT_THROW(Pool(Boxes::spec(), boxes, source, {.slots = 2, .batch = 3}), Error);
  EXPECT_THROW(Pool(Boxes::spec(), boxes, source, {.slots = 2, .events = sink}), Error);
}

TEST(Pool, CountsDecisionsAndEvents) {
  const auto source = episodes(6);
  Pool pool(Boxes::spec(), boxes, source, {.slots = 3});
  RandomPolicy policy(pool.spec());
  std::map<std::uint64_t, std::uint64_t> asked;
  std::size_t ended = 0;
  play(pool, policy, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const Ended& e = d.ended[i];
      EXPECT_EQ(e.decisions, asked[e.context]);
      EXPECT_EQ(e.events, e.decisions);
      EXPECT_EQ(d.metrics[i], static_cast<double>(e.decisions));
      EXPECT_EQ(e.last.end, End::terminated);
      ++ended;
    }
    for (const Ask& a : d.asked) EXPECT_EQ(a.sequence, asked[a.context]++);
  });
  EXPECT_EQ(ended, 6u);
}

}  // namespace pool_test
}  // namespace park
