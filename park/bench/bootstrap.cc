#include "park/bench/bootstrap.h"

#include <algorithm>
#include <cmath>

namespace park::bench {
namespace {

/// Draws values of an ascending stratum with replacement, ascending again: how often each was drawn
/// is counted, so nothing is sorted.
class Resampler {
 public:
  void draw(const std::vector<double>& from, Rng& rng, std::vector<double>& to) {
    counts_.resize(from.size());
    draw_counts(rng, counts_);
    to.resize(from.size());
    auto end = to.begin();
    for (std::size_t i = 0; i < from.size(); ++i) end = std::fill_n(end, counts_[i], from[i]);
  }

 private:
  std::vector<std::uint32_t> counts_;
};

}  // namespace

std::vector<Interval> bootstrap(const Strata& strata, const std::vector<Statistic>& statistics,
                                const BootstrapOptions& options) {
  const bool too_few = strata.empty() || std::ranges::any_of(strata, [](const auto& stratum) {
                         return stratum.size() < 2;
                       });
  std::vector<Interval> intervals(statistics.size());
  if (too_few) return intervals;
  Rng rng = Rng(options.seed).split("bootstrap");
  Resampler resampler;
  Strata drawn(strata.size());
  std::vector<std::vector<double>> figures(statistics.size());
  for (std::uint32_t r = 0; r < options.replicates; ++r) {
    for (std::size_t s = 0; s < strata.size(); ++s) resampler.draw(strata[s], rng, drawn[s]);
    for (std::size_t f = 0; f < statistics.size(); ++f) figures[f].push_back(statistics[f](drawn));
  }
  for (std::size_t f = 0; f < statistics.size(); ++f)
    intervals[f] = percentile_interval(figures[f], options.level);
  return intervals;
}

void draw_counts(Rng& rng, std::span<std::uint32_t> counts) {
  std::ranges::fill(counts, 0);
  for (std::size_t i = 0; i < counts.size(); ++i) ++counts[rng.below(counts.size())];
}

Interval percentile_interval(std::span<const double> replicates, double level) {
  const auto end = [&](double undefined, double q) {
    std::vector<double> all(replicates.begin(), replicates.end());
    std::ranges::replace_if(
        all, [](double v) { return std::isnan(v); }, undefined);
    return quantile(all, q);
  };
  const double tail = (1 - level) / 2;
  const Interval interval{end(-INFINITY, tail), end(INFINITY, 1 - tail)};
  return std::isfinite(interval.low) && std::isfinite(interval.high) ? interval : Interval{};
}

}  // namespace park::bench
