#include "park/attack/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::attack {
namespace {

constexpr int kRounds = 3;

Misreport uniform(std::uint64_t job, const std::vector<std::uint8_t>& where, double factor) {
  Misreport all{.job = job};
  for (const std::uint8_t here : where) all.factors.push_back(here != 0 ? factor : 1);
  return all;
}

}  // namespace

std::vector<double> slopes(Objective& objective, const Misreport& at, const SearchSpace& space) {
  std::vector<Misreport> around;
  std::vector<double> widths;
  for (std::size_t i = 0; i < at.factors.size(); ++i) {
    if (space.allowed[i] == 0) continue;
    for (const double step : {-space.epsilon / 2, space.epsilon / 2}) {
      around.push_back(at);
      double& f = around.back().factors[i];
      f = std::clamp(f + step, space.low(), space.high());
    }
    widths.push_back(around.back().factors[i] - around[around.size() - 2].factors[i]);
  }
  const std::vector<double> values = objective.of(around);
  std::vector<double> all(at.factors.size());
  for (std::size_t i = 0, k = 0; i < all.size(); ++i)
    if (space.allowed[i] != 0) {
      all[i] = (values[2 * k + 1] - values[2 * k]) / widths[k];
      ++k;
    }
  return all;
}

Misreport greedy_search(Objective& objective, Misreport start, const SearchSpace& space) {
  double best = objective.of({&start, 1}).front();
  for (int round = 0; round < kRounds; ++round) {
    const std::vector<double> slope = slopes(objective, start, space);
    std::vector<std::size_t> order(slope.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::size_t i) { return std::abs(slope[i]); });
    std::vector<Misreport> steps;
    Misreport moved = start;
    for (const std::size_t i : order) {
      if (slope[i] == 0) break;
      moved.factors[i] = slope[i] > 0 ? space.high() : space.low();
      steps.push_back(moved);
    }
    if (steps.empty()) break;
    const std::vector<double> values = objective.of(steps);
    const auto largest = std::ranges::max_element(values);
    if (*largest <= best) break;
    best = *largest;
    start = steps[static_cast<std::size_t>(largest - values.begin())];
  }
  return start;
}

std::vector<Misreport> candidates_of(Objective& objective, std::uint64_t job,
                                     const std::vector<std::uint8_t>& critical, double epsilon) {
  std::vector<Misreport> all;
  const auto add = [&](Misreport m) {
    if (!m.honest() && std::ranges::find(all, m) == all.end()) all.push_back(std::move(m));
  };
  const std::vector<std::uint8_t> every(critical.size(), 1);
  for (const auto& allowed : {every, critical})
    for (const bool understated : {false, true}) {
      const SearchSpace space{epsilon, allowed};
      const Misreport start = uniform(job, allowed, understated ? space.low() : 1);
      add(greedy_search(objective, start, space));
      add(start);
    }
  add(uniform(job, every, SearchSpace{epsilon, every}.high()));
  return all;
}

Misreport random_misreport(std::uint64_t job, std::size_t quantities, double epsilon, Rng& rng) {
  const SearchSpace space{.epsilon = epsilon, .allowed = {}};
  Misreport drawn{.job = job};
  for (std::size_t i = 0; i < quantities; ++i)
    drawn.factors.push_back(rng.uniform(space.low(), space.high()));
  return drawn;
}

}  // namespace park::attack
