// Measured beside simulated steps: twenty placements of three graphs in real processes, kind=timed. Prints
// a table, the largest deviation and the rank correlation of each graph. Fails where a step deviates by more
// than 3 % or a rank correlation is below 0.95.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <vector>

#include "park/envs/device_placement/generator.h"
#include "park/envs/device_placement/plans.h"
#include "systems/device_placement_live/live_step.h"

namespace {

using namespace park;
using namespace park::device_placement;

constexpr int kPlacements = 20;
constexpr double kMostDeviation = 0.03, kLeastCorrelation = 0.95;

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> rank(values.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<double>(r);
  return rank;
}

/// Spearman's, without ties.
double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks(a), y = ranks(b);
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  const auto n = static_cast<double>(x.size());
  return 1 - 6 * squares / (n * (n * n - 1));
}

/// Rules first, then placements with more and more operations moved at random.
Placement placement_of(int k, const Simulator& s) {
  Placement p;
  if (k == 0) return place_single(s, p), p;
  if (k == 1) return place_by_work(s, p), p;
  if (k == 2) return place_heft(s, p), p;
  if (k == 3) return place_etf(s, p), p;
  place_heft_contention(s, p);
  Rng rng(static_cast<std::uint64_t>(k));
  for (std::int32_t& d : p)
    if (rng.uniform() < (k - 4) / 16.0)
      d = static_cast<std::int32_t>(rng.below(s.cluster().size()));
  return p;
}

bool measure(Family family, const char* name, device_placement_live::LiveStep& live) {
  Graph graph;
  generate(family, 60, Rng(5), graph);
  Cluster cluster;
  cluster.resize(3);
  cluster.bytes_per_s.assign(9, 7.6e9);
  cluster.latency_s.assign(9, 25e-6);
  Simulator simulator;
  simulator.load(graph, cluster, Order::rank);
  std::vector<double> simulated, measured;
  double worst = 0;
  for (int k = 0; k < kPlacements; ++k) {
    const Placement p = placement_of(k, simulator);
    simulated.push_back(simulator.step_s(p));
    measured.push_back(live.step_s(simulator, p));
    const double deviation = measured.back() / simulated.back() - 1;
    worst = std::max(worst, std::abs(deviation));
    std::printf("%-12s %2d  simulated %.6f s  measured %.6f s  %+.2f %%\n", name, k,
                simulated.back(), measured.back(), 100 * deviation);
  }
  const double rank = correlation(simulated, measured);
  std::printf("%-12s largest deviation %.2f %%, rank correlation %.3f\n", name, 100 * worst, rank);
  return worst <= kMostDeviation && rank >= kLeastCorrelation;
}

}  // namespace

int main() {
  device_placement_live::LiveConfig config;
  config.time_scale = 200;
  device_placement_live::LiveStep live(config, {});
  const bool branches = measure(Family::branches, "branches", live);
  const bool recurrences = measure(Family::recurrences, "recurrences", live);
  const bool layered = measure(Family::layered, "layered", live);
  return branches && recurrences && layered ? 0 : 1;
}
