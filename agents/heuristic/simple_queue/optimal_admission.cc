#include "agents/heuristic/simple_queue/optimal_admission.h"

namespace park::heuristics {

PolicyInfo OptimalAdmission::info() {
  return {.name = "optimal_admission",
          .summary = "jobs that pay what their presence costs later ones, by value iteration",
          .reference =
              "Miller, A queueing reward system with several customer classes, 1969; Naor, "
              "The regulation of queue size by levying tolls, 1969",
          .environments = {"simple_queue"}};
}

AdmissionModel OptimalAdmission::model_of(ConstRow row) const {
  const auto value = [&](Field<float> field) { return static_cast<double>(row.scalar(field)); };
  const double interval_s = value(view_.interval_s);
  const auto rewards = row[view_.rewards];
  return {.servers = value(view_.busy) + value(view_.free),
          .room = value(view_.waiting) + value(view_.places),
          .rewards = {rewards.begin(), rewards.end()},
          .service = value(view_.service_s) / interval_s,
          .waiting_cost = value(view_.waiting_cost) * interval_s,
          .slotted = value(view_.gap_cv) == 0};
}

void OptimalAdmission::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    if (d.asked[i].sequence == 0 || !solution_) {
      AdmissionModel model = model_of(row);
      if (!solution_ || model != model_) solution_.emplace(model_ = model);
    }
    const double jobs = static_cast<double>(row.scalar(view_.busy) + row.scalar(view_.waiting));
    const bool admit = solution_->admits(jobs, static_cast<double>(row.scalar(view_.reward)));
    actions.row(i).scalar(view_.admit) = admit ? 1 : 0;
  }
}

}  // namespace park::heuristics
