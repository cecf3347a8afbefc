#include "park/bench/bootstrap.h"

#include <algorithm>
#include <span>

#include "park/core/rng.h"

namespace park::bench {
namespace {

/// Draws values of an ascending stratum with replacement, ascending again: how often each was drawn
/// is counted, so nothing is sorted.
class Resampler {
 public:
  void draw(const std::vector<double>& from, Rng& rng, std::vector<double>& to) {
    counts_.assign(from.size(), 0);
    for (std::size_t i = 0; i < from.size(); ++i) ++counts_[rng.below(from.size())];
    to.clear();
    for (std::size_t i = 0; i < from.size(); ++i) to.insert(to.end(), counts_[i], from[i]);
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
  const double tail = (1 - options.level) / 2;
  for (std::size_t f = 0; f < statistics.size(); ++f)
    intervals[f] = {quantile(figures[f], tail), quantile(figures[f], 1 - tail)};
  return intervals;
}

}  // namespace park::bench
