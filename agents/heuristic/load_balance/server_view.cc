#include "agents/heuristic/load_balance/server_view.h"

namespace park::heuristics {

ServerView::ServerView(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  rate = o.field<float>("server.rate");
  jobs = o.field<float>("server.jobs");
  work = o.field<float>("server.work");
  drain_s = o.field<float>("server.drain_s");
  size = o.field<float>("job.size");
  server = a.field<std::int32_t>("server");
  servers = rate.width;
}

std::int32_t smallest(std::span<const float> values) noexcept {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] < values[best]) best = i;
  return static_cast<std::int32_t>(best);
}

}  // namespace park::heuristics
