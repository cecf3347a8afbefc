// The generator against what its parameters say. Estimates are means over independent traces; the
// exact value must lie within 4 standard errors of each, and these must be small.
#include "park/envs/abr/traces/generate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "park/core/text.h"
#include "park/envs/abr/traces/describe.h"
#include "park/envs/abr/traces/trace_set.h"
#include "tests/kit/scratch_folder.h"

namespace park::test {
namespace generate_test {

using abr::traces::TraceGeneratorConfig;

void expect_mean(const std::vector<double>& values, double exact, double widest) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double error = std::sqrt(squares / (n - 1) / n);
  EXPECT_NEAR(mean, exact, 4 * error);
  EXPECT_LT(4 * error, widest) << "the estimate says too little";
}

/// Many long traces; the first line of each is no interval.
std::vector<std::vector<double>> intervals(const TraceGeneratorConfig& c) {
  std::vector<std::vector<double>> all;
  for (const auto& trace : abr::traces::generate_traces(c))
    all.emplace_back(trace.mbps.begin() + 1, trace.mbps.end());
  return all;
}

TraceGeneratorConfig many() {
  TraceGeneratorConfig c;
  c.traces = 400;
  c.duration_s = 2000;
  return c;
}

TEST(Generate, MeanIsThatOfTheLevelsLessTheOutages) {
  const TraceGeneratorConfig c = many();
  const auto levels = c.levels_mbps();
  EXPECT_DOUBLE_EQ(levels.front(), 0.4);
  EXPECT_NEAR(levels.back(), 6, 1e-12);
  EXPECT_NEAR(levels[1] / levels[0], levels[5] / levels[4], 1e-12);
  const double level = std::accumulate(levels.begin(), levels.end(), 0.0) / 6;
  std::vector<double> means;
  for (const auto& mbps : intervals(c))
    means.push_back(std::accumulate(mbps.begin(), mbps.end(), 0.0) / 2000);
  expect_mean(means, level * (1 - c.outage_share), 0.2);
}

TEST(Generate, ShareAndLengthOfOutages) {
  TraceGeneratorConfig c = many();
  c.outage_share = 0.1;
  c.outage_mean_s = 5;
  std::vector<double> shares, lengths;
  for (const auto& trace : abr::traces::generate_traces(c)) {
    const auto s = abr::traces::summarize(trace);
    shares.push_back(s.outage_share);
    lengths.push_back(s.outage_mean_s);
  }
  expect_mean(shares, 0.1, 0.005);
  expect_mean(lengths, 5, 0.3);
  c.outage_share = 0;
  for (const auto& mbps : intervals(c))
    for (const double v : mbps) ASSERT_GT(v, 0);
}

TEST(Generate, FadingHasItsSpreadAndCorrelation) {
  // One level and no outage: the logarithm is a stationary autoregressive process.
  TraceGeneratorConfig c = many();
  c.states = 1;
  c.low_mbps = c.high_mbps = 50;  // so that rounding to 0.001 Mbps does not matter
  c.outage_share = 0;
  c.fading_sigma = 0.5;
  c.fading_s = 10;
  const double mean = std::log(50) - 0.125;
  std::vector<double> variance, lag1, lag10;
  for (const auto& mbps : intervals(c)) {
    double v = 0, one = 0, ten = 0;
    for (std::size_t i = 0; i + 10 < mbps.size(); ++i) {
      const double x = std::log(mbps[i]) - mean;
      v += x * x;
      one += x * (std::log(mbps[i + 1]) - mean);
      ten += x * (std::log(mbps[i + 10]) - mean);
    }
    const auto n = static_cast<double>(mbps.size() - 10);
    variance.push_back(v / n);
    lag1.push_back(one / n);
    lag10.push_back(ten / n);
  }
  expect_mean(variance, 0.25, 0.01);
  expect_mean(lag1, 0.25 * std::exp(-0.1), 0.01);
  expect_mean(lag10, 0.25 * std::exp(-1.0), 0.01);
}

/// P(level i now and level j after `steps` intervals), times the number of levels.
double level_probability(const TraceGeneratorConfig& c, std::size_t i, std::size_t j, int steps) {
  std::vector<double> p(c.states, 0.0), next;
  p[i] = 1;
  const double move = c.interval_s / c.dwell_s / 2;
  for (int s = 0; s < steps; ++s) {
    next.assign(c.states, 0.0);
    for (std::size_t k = 0; k < p.size(); ++k) {
      next[k > 0 ? k - 1 : k] += move * p[k];
      next[k + 1 < p.size() ? k + 1 : k] += move * p[k];
      next[k] += (1 - 2 * move) * p[k];
    }
    p = next;
  }
  return p[j];
}

TEST(Generate, LevelsHaveTheCorrelationOfTheirChain) {
  TraceGeneratorConfig c = many();
  c.states = 3;
  c.low_mbps = 1;
  c.high_mbps = 4;
  c.fading_sigma = 0;
  c.outage_share = 0;
  const auto levels = c.levels_mbps();
  for (const int lag : {1, 20, 60}) {
    double exact = 0;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        exact += levels[i] * levels[j] * level_probability(c, i, j, lag) / 3;
    std::vector<double> products;
    for (const auto& mbps : intervals(c)) {
      double sum = 0;
      const auto n = mbps.size() - static_cast<std::size_t>(lag);
      for (std::size_t i = 0; i < n; ++i) sum += mbps[i] * mbps[i + static_cast<std::size_t>(lag)];
      products.push_back(sum / static_cast<double>(n));
    }
    expect_mean(products, exact, 0.3);
  }
}

TEST(Generate, TraceKIsTheSameForAnyNumber) {
  TraceGeneratorConfig c;
  c.traces = 3;
  const auto few = abr::traces::generate_traces(c);
  c.traces = 5;
  const auto more = abr::traces::generate_traces(c);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), more.begin()));
  EXPECT_EQ(few[2].name, "cellular-0002.txt");
  EXPECT_NE(few[0].mbps, few[1].mbps);
  c.seed = 2;
  EXPECT_NE(abr::traces::generate_trace(c, 0).mbps, few[0].mbps);
}

TEST(Generate, RefusedConfigurations) {
  const auto wrong = [](const std::string& fields) {
    return error_of(
        [&] { (void)parse_config<TraceGeneratorConfig>(parse_text("options(" + fields + ")")); });
  };
  EXPECT_NE(wrong("low_mbps=7").find("exceeds high_mbps"), std::string::npos);
  EXPECT_NE(wrong("interval_s=0.001,duration_s=1e6").find("1e6 intervals"), std::string::npos);
  EXPECT_NE(wrong("interval_s=4").find("outage_mean_s = 3"), std::string::npos);
  EXPECT_NE(wrong("interval_s=30").find("dwell_s = 20"), std::string::npos);
  EXPECT_NE(wrong("outage_share=0.8,outage_mean_s=1").find("outage_share"), std::string::npos);
  EXPECT_NE(wrong("traces=0").find("traces"), std::string::npos);
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

TEST(Bundled, CellularTracesAreWhatTheirCommandsWrite) {
  const std::filesystem::path data = PARK_SOURCE_DIR "/data/traces";
  struct Set {
    const char* folder;
    std::uint64_t traces, seed;
  };
  std::uintmax_t bytes = 0;
  for (const Set& set :
       {Set{"cellular", 40, 1}, {"cellular-validation", 15, 2}, {"cellular-test", 25, 3}}) {
    TraceGeneratorConfig c;
    c.traces = set.traces;
    c.seed = set.seed;
    for (const auto& trace : abr::traces::generate_traces(c)) {
      const std::string text = text_of(data / set.folder / trace.name);
      EXPECT_EQ(text, abr::traces::trace_text(trace)) << set.folder << ' ' << trace.name;
      bytes += text.size();
    }
    EXPECT_EQ(abr::read_traces(data / set.folder).size(), set.traces);
    const std::string command = "park traces generate --traces " + std::to_string(set.traces) +
                                (set.seed == 1 ? "" : " --seed " + std::to_string(set.seed)) + '\n';
    EXPECT_TRUE(abr::traces::provenance_of(data / set.folder).starts_with(command)) << set.folder;
  }
  EXPECT_LT(bytes, 300'000u);
}

}  // namespace generate_test
}  // namespace park::test
