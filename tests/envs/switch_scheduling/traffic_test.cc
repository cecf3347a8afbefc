// Arrivals: the rates of each kind of traffic, that cells come at these rates, and that they depend
// on nothing but the slot and the ports.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/switch_scheduling/arrival_process.h"

namespace park::switch_scheduling {
namespace traffic_test {

SwitchSchedulingConfig config(const std::string& fields) {
  return parse_config<SwitchSchedulingConfig>(parse_text("switch_scheduling(" + fields + ")"));
}

std::vector<double> rates(const std::string& matrix, bool permute = false, std::size_t n = 4) {
  std::vector<double> all(n * n);
  fill_rates(matrix, 0.6, 4, permute, Rng(3), n, all);
  return all;
}

double row_sum(const std::vector<double>& m, std::size_t n, std::size_t i) {
  double sum = 0;
  for (std::size_t j = 0; j < n; ++j) sum += m[i * n + j];
  return sum;
}

double column_sum(const std::vector<double>& m, std::size_t n, std::size_t j) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += m[i * n + j];
  return sum;
}

TEST(Rates, AreThoseOfTheirFormulas) {
  EXPECT_DOUBLE_EQ(rates("uniform")[5], 0.15);
  const auto diagonal = rates("diagonal");
  EXPECT_DOUBLE_EQ(diagonal[0], 0.4);
  EXPECT_DOUBLE_EQ(diagonal[1], 0.2);
  EXPECT_DOUBLE_EQ(diagonal[12], 0.2) << "input 3, output 0";
  EXPECT_EQ(diagonal[2], 0);
  const auto log_diagonal = rates("log_diagonal");
  EXPECT_NEAR(log_diagonal[0], 0.6 * 8 / 15, 1e-12);
  EXPECT_NEAR(log_diagonal[7], 0.6 * 2 / 15, 1e-12) << "input 1, output 3 is at distance 2";
  EXPECT_NEAR(log_diagonal[4], 0.6 / 15, 1e-12) << "input 1, output 0 is at distance 3";
}

TEST(Rates, AddUpToTheLoad) {
  for (const char* matrix : {"uniform", "diagonal", "log_diagonal", "bistochastic"})
    for (const bool permute : {false, true}) {
      const auto m = rates(matrix, permute);
      for (std::size_t k = 0; k < 4; ++k) {
        EXPECT_NEAR(row_sum(m, 4, k), 0.6, 1e-8) << matrix;
        EXPECT_NEAR(column_sum(m, 4, k), 0.6, 1e-8) << matrix;
      }
    }
}

TEST(Rates, OneOutputIsHot) {
  const auto m = rates("hotspot");
  int hot = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    const bool is_hot = column_sum(m, 4, j) > 0.3;
    EXPECT_NEAR(column_sum(m, 4, j), is_hot ? 0.6 : 0.15, 1e-12);
    hot += is_hot ? 1 : 0;
  }
  EXPECT_EQ(hot, 1);
}

/// Cells per slot of each VOQ over many slots.
std::vector<double> counted(const std::string& fields, std::int64_t slots) {
  const SwitchSchedulingConfig c = config(fields);
  ArrivalProcess arrivals(c);
  arrivals.draw_from(7);
  const auto n = static_cast<std::size_t>(c.ports);
  std::vector<double> all(n * n);
  for (std::int64_t t = 0; t < slots; ++t)
    for (const std::uint32_t voq : arrivals.draw(t)) all[voq] += 1 / static_cast<double>(slots);
  return all;
}

TEST(Arrivals, ComeAtTheirRates) {
  for (const char* arrivals : {"per_input", "per_voq"})
    for (const char* traffic : {"uniform", "diagonal", "log_diagonal", "bistochastic", "hotspot"}) {
      const std::string text =
          std::string("ports=4,load=0.8,arrivals=") + arrivals + ",traffic=" + traffic;
      ArrivalProcess process(config(text));
      process.draw_from(7);
      static_cast<void>(process.draw(0));
      const std::vector<double> rate(process.rates().begin(), process.rates().end());
      const auto found = counted(text, 40'000);
      for (std::size_t v = 0; v < rate.size(); ++v)
        EXPECT_NEAR(found[v], rate[v], 5 * std::sqrt(rate[v] / 40'000) + 1e-9) << text;
    }
}

TEST(Arrivals, AnInputGetsOneCellPerSlotAtMost) {
  for (const char* traffic : {"uniform", "bursty"}) {
    ArrivalProcess arrivals(config(std::string("load=0.99,traffic=") + traffic));
    arrivals.draw_from(1);
    for (std::int64_t t = 0; t < 2000; ++t) {
      std::vector<int> cells(8);
      for (const std::uint32_t voq : arrivals.draw(t)) ASSERT_EQ(cells[voq / 8]++, 0);
    }
  }
}

/// Bursts follow each other so that inputs are on for their load, also where off periods are short.
TEST(Bursts, HaveTheirLoadAndLength) {
  for (const double load : {0.3, 0.8, 0.95}) {
    ArrivalProcess arrivals(
        config("ports=4,traffic=bursty,burst_cells=5,load=" + number_text(load)));
    arrivals.draw_from(5);
    double cells = 0, changes = 0;
    std::vector<int> last(4, -1);  // output of each input
    constexpr std::int64_t kSlots = 100'000;
    for (std::int64_t t = 0; t < kSlots; ++t) {
      std::vector<int> now(4, -1);
      for (const std::uint32_t voq : arrivals.draw(t)) now[voq / 4] = static_cast<int>(voq % 4);
      for (std::size_t i = 0; i < 4; ++i) {
        cells += now[i] >= 0 ? 1 : 0;
        changes += now[i] >= 0 && now[i] != last[i] ? 1 : 0;
      }
      last = now;
    }
    EXPECT_NEAR(cells / kSlots / 4, load, 0.02) << load;
    // A burst that follows at once goes to the same output once in four times.
    const double at_once = 1 / (1 + 5 * (1 - load) / load) / 4;
    EXPECT_NEAR(cells / changes, 5 / (1 - at_once), 0.2) << load;
  }
}

TEST(Phases, ChangeTheRatesAndKeepTheLoad) {
  ArrivalProcess arrivals(config("ports=8,traffic=diagonal,change_slots=10"));
  arrivals.draw_from(1);
  std::vector<std::vector<double>> phases;
  for (std::int64_t t = 0; t < 30; ++t) {
    static_cast<void>(arrivals.draw(t));
    const std::vector<double> now(arrivals.rates().begin(), arrivals.rates().end());
    if (t % 10 == 0)
      phases.push_back(now);
    else
      EXPECT_EQ(now, phases.back());
  }
  EXPECT_NE(phases[0], phases[1]);
  EXPECT_NE(phases[1], phases[2]);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_NEAR(column_sum(phases[2], 8, k), 0.9, 1e-9);
}

}  // namespace traffic_test
}  // namespace park::switch_scheduling
