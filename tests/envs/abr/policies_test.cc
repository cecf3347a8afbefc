// Policies of abr: on hand-made observations, where the expected quality follows from the
// definition in the header of each policy; and their mean QoE on the test traces, against values of
// an independent implementation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/abr/abr.h"
#include "park/envs/abr/model.h"
#include "park/envs/abr/offline.h"
#include "park/envs/envs.h"
#include "tests/kit/reference_data.h"

namespace park {
namespace policies_test {

const std::string kSmall =
    "abr(traces=" PARK_SOURCE_DIR "/tests/data/abr/traces,video=" PARK_SOURCE_DIR
    "/tests/data/abr/video,rates_kbps=[300,750,1200]";

const Registry& registry() {
  static const Registry all = [] {
    Registry r;
    envs::register_all(r);
    return r;
  }();
  return all;
}

/// Mean of a metric over episodes that are played one by one.
double mean(const std::string& env, const std::string& policy, const std::string& metric,
            std::uint64_t episodes) {
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = episodes});
  const auto stream = registry().stream(env, source);
  const Spec& spec = stream->spec();
  const std::size_t at = spec.metric(metric);
  const auto p = registry().policy(policy, spec);
  double sum = 0;
  play(*stream, *p, Rng(1), [&](const Decisions& d, const Batch&) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) sum += d.metrics_of(i)[at];
  });
  return sum / static_cast<double>(episodes);
}

struct Seen {
  double buffer_s = 10;
  int last = 0;
  std::vector<double> throughput_mbps{};  // the newest last
  float left = 40;
  std::vector<float> bytes{150'000, 375'000, 600'000, 925'000, 1'425'000, 2'150'000};
};

class AbrPolicies : public ::testing::Test {
 protected:
  void open(std::string_view policy, const std::string& env = "abr") {
    spec_ = registry().spec(env);
    policy_ = registry().policy(policy, spec_);
    policy_->start(0, {}, Rng(1));
    sequence_ = 0;
  }

  static void write(Row row, const Spec& spec, const Seen& seen) {
    Batch& b = row.batch();
    const auto put = [&](std::string_view leaf, double v) {
      std::ranges::fill(row[b.field<double>(leaf)], v);
    };
    const std::vector<double> mbps{0.3, 0.75, 1.2, 1.85, 2.85, 4.3};
    std::ranges::copy(mbps, row[b.field<double>("rate.mbps")].begin());
    std::ranges::copy(mbps, row[b.field<double>("rate.score")].begin());
    put("qoe.stall_penalty", 4.3);
    put("chunk.duration_s", 4);
    put("buffer.capacity_s", 60);
    put("buffer.level_s", seen.buffer_s);
    put("history.throughput_mbps", 0);
    const auto past = row[b.field<double>("history.throughput_mbps")];
    const std::size_t n = std::min(past.size(), seen.throughput_mbps.size());
    std::copy(seen.throughput_mbps.end() - static_cast<std::ptrdiff_t>(n),
              seen.throughput_mbps.end(), past.end() - static_cast<std::ptrdiff_t>(n));
    row.scalar(b.field<float>("chunk.left")) = seen.left;
    row.scalar(b.field<std::int32_t>("last.quality")) = seen.last;
    std::ranges::copy(seen.bytes, row[b.field<float>("chunk.bytes")].begin());
    const auto later = row[b.field<float>("chunk.later_bytes")];
    for (std::size_t i = 0; i < later.size(); ++i) later[i] = seen.bytes[i % seen.bytes.size()];
    static_cast<void>(spec);
  }

  /// The answer to the next row of slot 0.
  int choose(const Seen& seen) {
    Decisions d(spec_);
    write(d.observation.append(), spec_, seen);
    Ask a;
    a.sequence = sequence_++;
    d.asked.push_back(a);
    Batch actions(spec_.action);
    actions.resize(1);
    policy_->act(d, actions);
    return actions.row(0).scalar(actions.field<std::int32_t>("quality"));
  }

  Spec spec_;
  std::unique_ptr<Policy> policy_;
  std::uint64_t sequence_ = 0;
};

TEST_F(AbrPolicies, BufferBasedIsLinearInTheCushion) {
  open("bb");
  const std::vector<std::pair<double, int>> expected{
      {0, 0}, {4.9, 0}, {5, 0}, {6.9, 0}, {7, 1}, {10.9, 2}, {11, 3}, {14.9, 4}, {15, 5}, {60, 5}};
  for (const auto& [buffer_s, quality] : expected)
    EXPECT_EQ(choose({.buffer_s = buffer_s}), quality) << buffer_s;
  open("bb(reservoir_s=1,cushion_s=50)");
  EXPECT_EQ(choose({.buffer_s = 12}), 1);
}

TEST_F(AbrPolicies, RateBasedStaysBelowTheHarmonicMean) {
  open("rb");
  EXPECT_EQ(choose({.throughput_mbps = {0.1}}), 0);
  EXPECT_EQ(choose({.throughput_mbps = {1.2}}), 2);
  // harmonic mean of 1 and 3: 1.5; the arithmetic one would allow 1.85
  EXPECT_EQ(choose({.throughput_mbps = {1, 3}}), 2);
  // only the last five count
  EXPECT_EQ(choose({.throughput_mbps = {0.1, 0.1, 0.1, 5, 5, 5, 5, 5}}), 5);
  open("rb(safety=0.5,past=1)");
  EXPECT_EQ(choose({.throughput_mbps = {0.1, 2.4}}), 2);
}

TEST_F(AbrPolicies, BolaFollowsItsFormula) {
  open("bola");
  // V = (15 - 1) / (ln(4300 / 300) + 5); the worth of rate m is (V (ln(m / 0.3) + 5) - Q) / m
  const std::vector<double> rates{0.3, 0.75, 1.2, 1.85, 2.85, 4.3};
  const double v = 14 / (std::log(4.3 / 0.3) + 5);
  for (double buffer_s = 0; buffer_s <= 60; buffer_s += 0.75) {
    int best = 0;
    double most = -1e9;
    for (int m = 0; m < 6; ++m) {
      const double rate = rates[static_cast<std::size_t>(m)];
      const double worth = (v * (std::log(rate / 0.3) + 5) - buffer_s / 4) / rate;
      if (worth >= most) most = worth, best = m;
    }
    EXPECT_EQ(choose({.buffer_s = buffer_s}), best) << buffer_s;
  }
  EXPECT_EQ(choose({.buffer_s = 0}), 0);
  EXPECT_EQ(choose({.buffer_s = 58}), 5);
}

TEST_F(AbrPolicies, FestiveGoesUpSlowlyAndDownAtOnce) {
  open("festive");
  EXPECT_EQ(choose({.last = 0, .throughput_mbps = {10}}), 1);  // level 1: after one chunk
  EXPECT_EQ(choose({.last = 1, .throughput_mbps = {10}}), 1);  // level 2: not before two
  EXPECT_EQ(choose({.last = 1, .throughput_mbps = {10}}), 2);
  EXPECT_EQ(choose({.last = 2, .throughput_mbps = {10}}), 2);
  EXPECT_EQ(choose({.last = 2, .throughput_mbps = {10}}), 2);
  EXPECT_EQ(choose({.last = 2, .throughput_mbps = {10}}), 3);
  // one level at a time, however little there is
  open("festive");
  EXPECT_EQ(choose({.last = 4, .throughput_mbps = {0.5}}), 3);
  // many switches: staying is cheaper than a small gain
  open("festive(alpha=0.5)");
  EXPECT_EQ(choose({.last = 0, .throughput_mbps = {10}}), 0);
}

/// All sequences in order, as MPC is defined; the last of the best.
int enumerate(const Seen& seen, double mbps, int horizon) {
  const std::vector<double> score{0.3, 0.75, 1.2, 1.85, 2.85, 4.3};
  const int all = static_cast<int>(std::lround(std::pow(6, horizon)));
  double best = -1e18;
  int choice = -1;
  for (int code = 0; code < all; ++code) {
    double quality = 0, stall_s = 0, change = 0, buffer_s = seen.buffer_s;
    auto last = static_cast<std::size_t>(seen.last);
    for (int i = 0, part = all / 6; i < horizon; ++i, part /= 6) {
      const auto q = static_cast<std::size_t>(code / part % 6);
      const double download_s = static_cast<double>(seen.bytes[q]) * 8e-6 / mbps;
      stall_s += std::max(download_s - buffer_s, 0.0);
      buffer_s = std::max(buffer_s - download_s, 0.0) + 4;
      quality += score[q];
      change += std::abs(score[q] - score[last]);
      last = q;
    }
    const double value = quality - 4.3 * stall_s - change;
    if (value >= best) best = value, choice = code / (all / 6);
  }
  return choice;
}

TEST_F(AbrPolicies, MpcIsTheSearchOfAllSequences) {
  open("mpc");
  Rng draw(4);
  for (int i = 0; i < 60; ++i) {
    Seen seen{.buffer_s = draw.uniform(0, 30), .last = static_cast<int>(draw.below(6))};
    seen.left = i % 4 == 0 ? 1.0F + static_cast<float>(draw.below(4)) : 40.0F;
    const double mbps = draw.uniform(0.2, 6);
    seen.throughput_mbps = {mbps};
    const int horizon = std::min(5, static_cast<int>(seen.left));
    EXPECT_EQ(choose(seen), enumerate(seen, 1 / (1 / mbps), horizon)) << i;
  }
}

TEST_F(AbrPolicies, RobustMpcTrustsLessAfterAnError) {
  const Seen first{.buffer_s = 4, .last = 2, .throughput_mbps = {4}};
  const Seen second{.buffer_s = 4, .last = 2, .throughput_mbps = {4, 1}};
  open("robust_mpc");
  EXPECT_EQ(choose(first), enumerate(first, 4, 5));
  // predicted 4, seen 1: an error of 3, so a quarter of the harmonic mean of 4 and 1, 1.6
  EXPECT_EQ(choose(second), enumerate(second, 1.6 / 4, 5));
  EXPECT_NE(enumerate(second, 1.6 / 4, 5), enumerate(second, 1.6, 5));
  policy_->start(0, {}, Rng(1));  // a new video
  EXPECT_EQ(choose(second), enumerate(second, 1.6, 5));
  open("robust_mpc(errors_leak=true)");
  EXPECT_EQ(policy_->most_slots(), 1u);
  static_cast<void>(choose(first));
  static_cast<void>(choose(second));
  policy_->start(0, {}, Rng(1));
  EXPECT_NE(choose(second), enumerate(second, 1.6, 5));
}

TEST_F(AbrPolicies, OneLevelJumpsAreObeyed) {
  open("mpc(one_level_jumps=true)");
  for (int last = 0; last < 6; ++last) {
    const int low = choose({.buffer_s = 0, .last = last, .throughput_mbps = {0.2}});
    const int high = choose({.buffer_s = 59, .last = last, .throughput_mbps = {100}});
    EXPECT_EQ(low, std::max(last - 1, 0));
    EXPECT_EQ(high, std::min(last + 1, 5));
  }
}

TEST_F(AbrPolicies, TheBetterHeuristicGetsTheBetterReturn) {
  const auto qoe = [](const std::string& policy) { return mean(kSmall + ")", policy, "qoe", 60); };
  const double robust = qoe("robust_mpc"), rate = qoe("rb"), random = qoe("random");
  EXPECT_GT(robust, rate);
  EXPECT_GT(rate, random + 0.3);
}

std::string reference_env() {
  return "abr(traces=" + test::reference_data("fcc-test").string() +
         ",video=" + test::reference_data("fcc-video1").string() +
         ",starts=" + test::reference_data("fcc-starts").string() + ")";
}

/// Every sequence of qualities of a short video, played on a model.
double best_of_all(const abr::AbrModel& model, const Episode& e) {
  const abr::AbrModel::Start start = model.start(e);
  double best = -1e18;
  const std::function<void(abr::AbrSession, std::size_t, std::size_t, double)> search =
      [&](abr::AbrSession s, std::size_t chunk, std::size_t last, double sum) {
        if (chunk == model.chunks()) {
          best = std::max(best, sum);
          return;
        }
        for (std::size_t q = 0; q < model.rates(); ++q) {
          abr::AbrSession after = s;
          const abr::AbrFetch f =
              model.fetch(model.link(start.link), after, model.bytes(q, chunk), 1);
          static_cast<void>(model.wait(model.link(start.link), after));
          search(after, chunk + 1, q, sum + model.qoe().of(q, last, f.stall_s));
        }
      };
  abr::AbrSession s{.link = start.position};
  static_cast<void>(model.fetch(model.link(start.link), s, model.bytes(0, 0), 1));
  static_cast<void>(model.wait(model.link(start.link), s));
  search(s, 1, 0, 0);
  return best / static_cast<double>(model.chunks() - 1);
}

class AbrOffline : public ::testing::TestWithParam<const char*> {};

TEST_P(AbrOffline, EnclosesTheBestOfAllSequences) {
  const std::string text = kSmall + ",chunks=10," + GetParam() + ")";
  const abr::AbrModel model(parse_config<abr::AbrConfig>(parse_text(text)));
  for (std::uint64_t k = 0; k < 5; ++k) {
    const Episode e{.id = k, .inputs = Rng(3).split(k).bits()};
    const double best = best_of_all(model, e);
    for (const std::size_t labels : {8u, 200u}) {
      const abr::OfflinePlan plan = abr::offline_plan(model, e, labels);
      EXPECT_LE(plan.qoe, best + 1e-9);
      EXPECT_GE(plan.bound, best - 1e-9);
      if (labels == 200) {
        EXPECT_NEAR(plan.qoe, best, 1e-9);
        EXPECT_NEAR(plan.bound, best, 0.05);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, AbrOffline,
                         ::testing::Values("qoe=lin", "qoe=log", "qoe=hd,hd_scores=[1,2,12]",
                                           "buffer_s=9", "buffer_s=5.2,chunk_s=2"));

TEST(AbrOracle, PlaysWhatItHasPlanned) {
  const abr::AbrModel model(parse_config<abr::AbrConfig>(parse_text(kSmall + ")")));
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  double sum = 0;
  for (std::uint64_t k = 0; k < 10; ++k) sum += abr::offline_plan(model, *source.at(k), 200).qoe;
  EXPECT_NEAR(mean(kSmall + ")", "offline_optimum", "qoe", 10), sum / 10, 1e-9);
}

TEST(AbrOracle, NeedsAnEnvironmentThatWasMadeFromAText) {
  try {
    static_cast<void>(registry().policy("offline_optimum", abr::Abr::spec({})));
    FAIL() << "no error";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::unavailable);
  }
}

class AbrReference : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::filesystem::path traces = test::reference_data("fcc-test");
    if (!std::filesystem::exists(traces)) GTEST_SKIP() << "needs the FCC traces in " << traces;
  }
  static double qoe(const std::string& policy) { return mean(reference_env(), policy, "qoe", 100); }
};

TEST_F(AbrReference, MeanQoeOfTheTestTraces) {
  EXPECT_NEAR(qoe("bb"), 0.764151, 1e-6);
  EXPECT_NEAR(qoe("rb"), 0.864082, 1e-6);
  EXPECT_NEAR(qoe("robust_mpc"), 1.004791, 1e-6);
  EXPECT_NEAR(qoe("robust_mpc(index_one_ahead=true,errors_leak=true)"), 0.982941, 1e-6);
  EXPECT_NEAR(qoe("robust_mpc(index_one_ahead=true,errors_leak=true,one_level_jumps=true)"),
              0.846485, 1e-6);
}

}  // namespace policies_test
}  // namespace park
