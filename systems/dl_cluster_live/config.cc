#include "systems/dl_cluster_live/config.h"

#include <cmath>

#include "park/core/text.h"

namespace park::dl_cluster_live {
namespace {

constexpr double kLeastRound = 0.02;  // real seconds

}  // namespace

void DlClusterLiveConfig::check(const DlClusterLiveConfig& c, Violations& bad) {
  if (c.round_s / c.scale < kLeastRound)
    bad.add("round_s = " + number_text(c.round_s) + " at scale = " + number_text(c.scale) +
            " is too short: a round must take at least " + number_text(kLeastRound) +
            " s of real time");
}

dl_cluster::DlClusterConfig simulated(const DlClusterLiveConfig& c) {
  dl_cluster::DlClusterConfig s;
  s.model = "allreduce";
  s.speeds = c.speeds;
  s.nodes = 1;
  s.node_gpus = c.cores;
  s.max_gpus = c.cores;
  s.jobs = c.jobs;
  s.span_s = c.span_s;
  s.round_s = c.round_s;
  s.max_slots = std::ceil(c.limit_s / c.round_s);
  return s;
}

std::vector<std::int32_t> ladder_of(std::int32_t cores) {
  std::vector<std::int32_t> all;
  for (std::int32_t k = 1; k <= cores; ++k)
    if (k <= 4 || k % 4 == 0 || k == cores) all.push_back(k);
  return all;
}

}  // namespace park::dl_cluster_live
