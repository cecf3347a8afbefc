#include "park/envs/dl_cluster/config.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace park::dl_cluster {
namespace {

constexpr double kMostPlaces = 2e7;  // jobs times nodes: what is kept of each job and node

void check_ps(const DlClusterConfig& c, Violations& bad) {
  if (c.ladder != "fours") bad.add("ladder is for model = allreduce alone");
  if (c.power != 0) bad.add("power is for model = allreduce alone");
  if (!c.trace.empty()) bad.add("trace is for model = allreduce alone");
  if (c.most_work_s != 0) bad.add("most_work_s is for model = allreduce alone");
  if (c.arrivals == "pattern" &&
      std::ranges::none_of(c.pattern, [](std::int32_t n) { return n > 0; }))
    bad.add("pattern must have a number above 0 where arrivals = pattern");
  if (c.arrivals != "pattern" && !c.pattern.empty())
    bad.add("pattern is allowed only where arrivals = pattern");
  if (c.request_workers > c.max_workers)
    bad.add("request_workers = " + std::to_string(c.request_workers) +
            " exceeds max_workers = " + std::to_string(c.max_workers));
  if (c.request_servers > c.max_servers)
    bad.add("request_servers = " + std::to_string(c.request_servers) +
            " exceeds max_servers = " + std::to_string(c.max_servers));
}

void check_allreduce(const DlClusterConfig& c, Violations& bad) {
  if (c.semantics != "correct") bad.add("semantics = compat is for model = ps alone");
  if (c.reward == "paper") bad.add("reward = paper is for model = ps alone");
  if (c.table != "psworker" && c.power != 0) bad.add("power is for table = psworker alone");
  if (static_cast<double>(c.job_count()) * c.node_count() > kMostPlaces)
    bad.add("jobs = " + std::to_string(c.job_count()) +
            " is too much: jobs times nodes must not exceed 2e7");
}

}  // namespace

void DlClusterConfig::check(const DlClusterConfig& c, Violations& bad) {
  c.is_ps() ? check_ps(c, bad) : check_allreduce(c, bad);
  if (c.trace.empty() && c.trace_start != "random") bad.add("trace_start needs a trace");
  if (c.trace.empty() && c.trace_times != "stretched") bad.add("trace_times needs a trace");
  if (c.max_slots != std::floor(c.max_slots))
    bad.add("max_slots = " + number_text(c.max_slots) + " must be a whole number");
}

std::int32_t DlClusterConfig::gpus_of_a_job() const noexcept {
  return std::min(max_gpus, node_count() * gpus_of_a_node());
}

std::vector<std::filesystem::path> DlClusterConfig::files() const {
  std::vector<std::filesystem::path> all;
  if (table != "psworker" && table != "cpu") all.emplace_back(table);
  if (!trace.empty()) all.emplace_back(trace);
  return all;
}

}  // namespace park::dl_cluster
