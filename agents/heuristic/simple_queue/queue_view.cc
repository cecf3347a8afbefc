#include "agents/heuristic/simple_queue/queue_view.h"

#include <algorithm>

namespace park::heuristics {

QueueView::QueueView(const Spec& spec) {
  const Batch o(spec.observation), a(spec.action);
  busy = o.field<float>("server.busy");
  free = o.field<float>("server.free");
  waiting = o.field<float>("queue.waiting");
  places = o.field<float>("queue.places");
  reward = o.field<float>("job.reward");
  rewards = o.field<float>("class.reward");
  interval_s = o.field<float>("arrival.interval_s");
  gap_cv = o.field<float>("arrival.gap_cv");
  service_s = o.field<float>("service.mean_s");
  waiting_cost = o.field<float>("queue.waiting_cost");
  admit = a.field<std::int32_t>("admit");
}

float QueueView::highest(ConstRow row) const { return std::ranges::max(row[rewards]); }

}  // namespace park::heuristics
