// Policies of dl_inference on hand-made rows: the expected choice follows from the definition in the
// header of each policy.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/policy.h"
#include "park/envs/dl_inference/layout.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace inference_policies_test {

using dl_inference::InferenceLayout;
using dl_inference::kPowers;
using dl_inference::kQuarters;

/// An application of a + b k seconds as a row shows it; all its requests have waited equally long.
struct Waiting {
  std::int32_t app = 0;
  int queue = 1;
  float wait_s = 0;
  float a_s = 1, b_s = 0;
  float rate = 1, weight = 1, used_s = 0, deadline_s = 10;
  int max_batch = 8;
  std::uint8_t mask = 1;
};

struct Answer {
  std::int32_t choice, batch;
  bool operator==(const Answer&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Answer& a) {
  return out << a.choice << " x " << a.batch;
}

class InferencePolicies : public ::testing::Test {
 protected:
  void open(std::string_view policy) {
    policy_ = registry().policy(policy, spec_);
    policy_->start(0, {}, Rng(1));
    sequence_ = 0;
  }

  /// The answer to the next row of slot 0, which has these applications and the choice to wait.
  Answer choose(const std::vector<Waiting>& apps, bool may_wait = true) {
    Decisions d(spec_);
    const Row row = d.observation.append();
    row.resize(layout_.choices, apps.size() + 1);
    for (std::size_t e = 0; e < apps.size(); ++e) write(row, e, apps[e]);
    write(row, apps.size(), {.app = -1, .queue = 0, .a_s = 0, .mask = may_wait});
    row[layout_.wait].back() = 1;
    row.scalar(layout_.time_s) = 0;
    d.asked.push_back(
        {.slot = 0, .context = 0, .sequence = sequence_++, .episode = {}, .since_last = {}});
    Batch actions(spec_.action);
    actions.resize(1);
    policy_->act(d, actions);
    const ConstRow answer = std::as_const(actions).row(0);
    EXPECT_TRUE(ActionSpace(spec_).legal(std::as_const(d.observation).row(0), answer));
    return {answer.scalar(layout_.choice), answer.scalar(layout_.batch)};
  }

 private:
  void write(Row row, std::size_t e, const Waiting& w) const {
    const InferenceLayout& l = layout_;
    const int batch = std::min(w.queue, w.max_batch);
    const auto latency = [&](int k) { return w.a_s + w.b_s * static_cast<float>(k); };
    row[l.app][e] = w.app;
    row[l.wait][e] = 0;
    row[l.queue][e] = static_cast<float>(w.queue);
    row[l.oldest_s][e] = w.wait_s;
    row[l.wait_sum_s][e] = w.wait_s * static_cast<float>(w.queue);
    for (std::size_t q = 0; q < kQuarters; ++q) row[l.batch_wait_s][e * kQuarters + q] = w.wait_s;
    row[l.arrivals_tenth][e] = row[l.arrivals_second][e] = 0;
    row[l.rate][e] = w.rate;
    row[l.single_s][e] = latency(1);
    row[l.full_s][e] = latency(batch);
    for (std::size_t p = 0; p < kPowers; ++p)
      row[l.latency_s][e * kPowers + p] = latency(std::min(1 << p, w.max_batch));
    row[l.max_batch][e] = static_cast<float>(w.max_batch);
    row[l.used_tenth_s][e] = std::min(w.used_s, 0.1F);
    row[l.used_second_s][e] = std::min(w.used_s, 1.0F);
    row[l.used_s][e] = w.used_s;
    row[l.weight][e] = w.weight;
    row[l.deadline_s][e] = w.deadline_s;
    row[l.mask][e] = w.mask;
    row[l.batch_min][e] = batch == 0 ? 0 : 1;
    row[l.batch_max][e] = batch;
  }

  Spec spec_ = registry().spec("dl_inference");
  InferenceLayout layout_ = bind_layout<InferenceLayout>(spec_);
  std::unique_ptr<Policy> policy_;
  std::uint64_t sequence_ = 0;
};

TEST_F(InferencePolicies, AreRegistered) {
  const std::vector<std::string> expected = {
      "aged",         "clipper", "clockwork", "edf", "index", "least_slack", "lowest_util",
      "max_slowdown", "nexus",   "random",    "rr",  "sfq",   "triton",      "wspt"};
  EXPECT_EQ(registry().policies_for(registry().spec("dl_inference")), expected);
}

TEST_F(InferencePolicies, RrTakesTurns) {
  open("rr");
  const std::vector<Waiting> all{{.app = 0, .queue = 20}, {.app = 2}, {.app = 3}};
  EXPECT_EQ(choose(all), (Answer{0, 8}));
  EXPECT_EQ(choose(all), (Answer{1, 1}));
  EXPECT_EQ(choose(all), (Answer{2, 1}));
  EXPECT_EQ(choose(all), (Answer{0, 8}));
  EXPECT_EQ(choose({{.app = 0}}), (Answer{0, 1}));
}

TEST_F(InferencePolicies, RrWaitsForFullBatchesUntilTheTimeout) {
  open("rr(timeout_s=3)");
  EXPECT_EQ(choose({{.app = 0, .wait_s = 2}, {.app = 1}}), (Answer{2, 0}));
  EXPECT_EQ(choose({{.app = 0, .wait_s = 2}, {.app = 1, .queue = 8}}), (Answer{1, 8}));
  EXPECT_EQ(choose({{.app = 0, .wait_s = 3}, {.app = 1, .queue = 3}}), (Answer{0, 1}));
  EXPECT_EQ(choose({{.app = 0}, {.app = 1, .queue = 3}}, false), (Answer{1, 3}));
}

TEST_F(InferencePolicies, NexusMakesBatchesOfACycle) {
  open("nexus(cycle_s=2)");
  EXPECT_EQ(choose({{.app = 0, .queue = 3, .rate = 2}, {.app = 1, .rate = 2}}), (Answer{2, 0}));
  EXPECT_EQ(choose({{.app = 0, .queue = 5, .rate = 2}, {.app = 1, .rate = 2}}), (Answer{0, 4}));
  EXPECT_EQ(choose({{.app = 0, .queue = 5, .rate = 2}, {.app = 1, .wait_s = 2, .rate = 9}}),
            (Answer{1, 1}));
}

TEST_F(InferencePolicies, LowestUtilCountsTimeOverWeight) {
  open("lowest_util");
  EXPECT_EQ(choose({{.app = 0, .used_s = 3}, {.app = 1, .used_s = 2}}), (Answer{1, 1}));
  EXPECT_EQ(choose({{.app = 0, .weight = 2, .used_s = 3}, {.app = 1, .used_s = 2}}),
            (Answer{0, 1}));
  open("lowest_util(window=second)");  // both have used all of it
  EXPECT_EQ(choose({{.app = 0, .used_s = 3}, {.app = 1, .used_s = 2}}), (Answer{0, 1}));
}

TEST_F(InferencePolicies, SfqForgetsTheTimeOfIdleApplications) {
  open("sfq");
  // App 0 alone for 3 s; then app 1 has the virtual time, 2, and not 0 as its tag.
  for (int i = 0; i < 3; ++i) EXPECT_EQ(choose({{.app = 0}}), (Answer{0, 1}));
  const std::vector<Waiting> both{{.app = 0}, {.app = 1}};
  EXPECT_EQ(choose(both), (Answer{1, 1}));
  EXPECT_EQ(choose(both), (Answer{0, 1}));
  EXPECT_EQ(choose(both), (Answer{1, 1}));
  open("sfq(credit_s=9)");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(choose({{.app = 0}}), (Answer{0, 1}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(choose(both), (Answer{1, 1})) << i;
}

TEST_F(InferencePolicies, MaxSlowdownLooksAtTheOldest) {
  open("max_slowdown");
  // (4 + 1) / 1 against (8 + 3) / 2.
  EXPECT_EQ(
      choose({{.app = 0, .wait_s = 4}, {.app = 1, .queue = 2, .wait_s = 8, .a_s = 1, .b_s = 1}}),
      (Answer{1, 2}));
  open("max_slowdown(latency=0)");  // 4 against 8 / 2: the first
  EXPECT_EQ(
      choose({{.app = 0, .wait_s = 4}, {.app = 1, .queue = 2, .wait_s = 8, .a_s = 1, .b_s = 1}}),
      (Answer{0, 1}));
}

TEST_F(InferencePolicies, WsptLooksAtWeightPerSecond) {
  open("wspt");
  EXPECT_EQ(choose({{.app = 0, .queue = 2}, {.app = 1, .a_s = 0.5}}), (Answer{1, 1}));  // 2, 4
  EXPECT_EQ(choose({{.app = 0, .queue = 5}, {.app = 1, .a_s = 0.5}}), (Answer{0, 5}));  // 5, 4
  open("wspt(q=0)");
  EXPECT_EQ(choose({{.app = 0, .queue = 3}, {.app = 1, .a_s = 0.5}}), (Answer{0, 3}));  // 3, 2
}

TEST_F(InferencePolicies, AgedAndIndexWeighAgeAgainstTime) {
  // Sum of ages 2 x (1 + 3) / 1 s = 8 against 1 x (1 + 2 / 0.5) / 0.5 / 0.5 = 20.
  const std::vector<Waiting> all{{.app = 0, .queue = 2, .wait_s = 3},
                                 {.app = 1, .wait_s = 2, .a_s = 0.5}};
  open("aged");
  EXPECT_EQ(choose(all), (Answer{1, 1}));
  open("index(p=1)");
  EXPECT_EQ(choose(all), (Answer{1, 1}));
  // A rate of 3: 20 / 3.
  std::vector<Waiting> often = all;
  often[1].rate = 3;
  open("aged");
  EXPECT_EQ(choose(often), (Answer{0, 2}));
  open("index(p=1)");
  EXPECT_EQ(choose(often), (Answer{0, 2}));
  open("index(p=1,e=0)");
  EXPECT_EQ(choose(often), (Answer{1, 1}));
  open("index(p=0,q=0,r=0,e=0,d=1)");
  EXPECT_EQ(choose(all), (Answer{0, 2}));
}

TEST_F(InferencePolicies, EdfAndLeastSlackLookAtDeadlines) {
  const std::vector<Waiting> all{{.app = 0, .queue = 8, .wait_s = 4, .b_s = 1, .deadline_s = 13},
                                 {.app = 1, .wait_s = 2, .deadline_s = 10}};
  open("edf");
  EXPECT_EQ(choose(all), (Answer{1, 1}));  // in 9 s and in 8 s
  open("least_slack");
  EXPECT_EQ(choose(all), (Answer{0, 8}));  // 9 s - 9 s and 8 s - 1 s
  open("edf(d=3)");                        // deadlines 6 s and 3 s
  EXPECT_EQ(choose(all), (Answer{1, 1}));
  open("edf(d=1)");  // 2 s and 1 s: -2 s and -1 s
  EXPECT_EQ(choose(all), (Answer{0, 8}));
}

TEST_F(InferencePolicies, ClipperFollowsTheLatency) {
  open("clipper(backoff=0.5)");
  // 1 + k s up to 5.5 s: the limit rises to 5, whose batch takes 6 s, and is halved to 2.
  const std::vector<Waiting> all{{.app = 0, .queue = 20, .b_s = 1, .deadline_s = 5.5}};
  std::vector<std::int32_t> batches;
  for (int i = 0; i < 8; ++i) batches.push_back(choose(all).batch);
  EXPECT_EQ(batches, (std::vector<std::int32_t>{1, 2, 3, 4, 5, 2, 3, 4}));
}

TEST_F(InferencePolicies, ClockworkMeetsTheFirstDeadline) {
  open("clockwork");
  // 6 s are left for 1 + k s: a batch of 5.
  const Waiting tight{.app = 0, .queue = 20, .wait_s = 4, .b_s = 1, .deadline_s = 10};
  EXPECT_EQ(choose({tight, {.app = 1}}), (Answer{0, 5}));
  // One that is late comes with all that it has.
  const Waiting late{.app = 2, .queue = 3, .wait_s = 9.5, .deadline_s = 10};
  EXPECT_EQ(choose({tight, late}), (Answer{1, 3}));
}

TEST_F(InferencePolicies, TritonDelaysUpToALimit) {
  open("triton");
  EXPECT_EQ(choose({{.app = 0, .wait_s = 1}, {.app = 1, .queue = 3, .wait_s = 2}}), (Answer{1, 3}));
  open("triton(delay_s=3)");
  EXPECT_EQ(choose({{.app = 0, .wait_s = 1}, {.app = 1, .queue = 3, .wait_s = 2}}), (Answer{2, 0}));
  EXPECT_EQ(choose({{.app = 0, .queue = 9, .wait_s = 1}, {.app = 1, .wait_s = 2}}), (Answer{0, 8}));
}

TEST_F(InferencePolicies, TakeOnlyWhatTheRowAllows) {
  for (const std::string& policy : registry().policies_for(registry().spec("dl_inference"))) {
    open(policy);
    const Waiting best{.app = 0, .queue = 8, .wait_s = 100, .a_s = 0.1F, .mask = 0};
    EXPECT_EQ(choose({best, {.app = 1}}, false).choice, 1) << policy;
    EXPECT_EQ(choose({best}), (Answer{1, 0})) << policy;  // nothing but waiting
  }
}

}  // namespace inference_policies_test
}  // namespace park::test
