#include "park/envs/abr/traces/describe.h"

#include <algorithm>
#include <cmath>

namespace park::abr::traces {
namespace {

/// Sums over the intervals of all traces.
struct Sums {
  double time_s = 0, megabits = 0, squares = 0, outage_s = 0;
  double pairs = 0, products = 0;  // of deviations from the mean, of an interval and the next one
};

double duration_s(const abr::NetworkTrace& t, std::size_t i) {
  return t.time_s[i] - (i == 1 ? 0.0 : t.time_s[i - 1]);
}

void add_intervals(const abr::NetworkTrace& t, TraceSummary& s, Sums& sums) {
  bool out = false;
  for (std::size_t i = 1; i < t.mbps.size(); ++i) {
    const double time_s = duration_s(t, i), mbps = t.mbps[i];
    ++s.intervals;
    s.min_mbps = std::min(s.min_mbps, mbps);
    s.max_mbps = std::max(s.max_mbps, mbps);
    sums.time_s += time_s;
    sums.megabits += time_s * mbps;
    if (mbps == 0) {
      sums.outage_s += time_s;
      if (!out) ++s.outages;
    }
    out = mbps == 0;
  }
}

void add_deviations(const abr::NetworkTrace& t, double mean, Sums& sums) {
  for (std::size_t i = 1; i < t.mbps.size(); ++i) {
    const double off = t.mbps[i] - mean;
    sums.squares += duration_s(t, i) * off * off;
    if (i + 1 == t.mbps.size()) continue;
    sums.products += off * (t.mbps[i + 1] - mean);
    ++sums.pairs;
  }
}

}  // namespace

TraceSummary summarize(const abr::NetworkTrace& trace) {
  TraceSummary s = summarize(std::span(&trace, 1));
  s.name = trace.name;
  return s;
}

TraceSummary summarize(std::span<const abr::NetworkTrace> traces) {
  TraceSummary s{.name = "all", .min_mbps = abr::kMaxTraceMbps};
  Sums sums;
  for (const auto& t : traces) add_intervals(t, s, sums);
  s.duration_s = sums.time_s;
  s.mean_mbps = sums.megabits / sums.time_s;
  for (const auto& t : traces) add_deviations(t, s.mean_mbps, sums);
  const double variance = sums.squares / sums.time_s;
  s.sd_mbps = std::sqrt(variance);
  s.autocorrelation = sums.products / sums.pairs / variance;
  s.outage_share = sums.outage_s / sums.time_s;
  s.outage_mean_s = sums.outage_s / static_cast<double>(s.outages);
  return s;
}

}  // namespace park::abr::traces
