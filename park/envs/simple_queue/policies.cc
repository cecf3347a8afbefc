#include "park/envs/simple_queue/policies.h"

#include <algorithm>

namespace park::simple_queue {

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

PolicyInfo AdmitAll::info() {
  return {.name = "admit_all",
          .summary = "every job, as long as there is room",
          .reference = "complete sharing: Erlang, 1917",
          .environments = {"simple_queue"}};
}

void AdmitAll::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) actions.row(i).scalar(view_.admit) = 1;
}

PolicyInfo RewardThreshold::info() {
  return {.name = "reward_threshold",
          .summary = "jobs whose reward is at least a fixed part of the highest one",
          .reference = "the threshold that ignores the state of the queue",
          .environments = {"simple_queue"}};
}

void RewardThreshold::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const double least = fraction_ * static_cast<double>(view_.highest(row));
    const bool admit =
        view_.room(row) >= 1 && static_cast<double>(row.scalar(view_.reward)) >= least;
    actions.row(i).scalar(view_.admit) = admit ? 1 : 0;
  }
}

PolicyInfo TrunkReservation::info() {
  return {.name = "trunk_reservation",
          .summary = "jobs for which enough servers are free: the more, the less they pay",
          .reference = "Miller, A queueing reward system with several customer classes, 1969",
          .environments = {"simple_queue"}};
}

void TrunkReservation::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const auto highest = static_cast<double>(view_.highest(row));
    const double part = highest > 0 ? static_cast<double>(row.scalar(view_.reward)) / highest : 1.0;
    const auto room = static_cast<double>(view_.room(row));
    actions.row(i).scalar(view_.admit) = room > reserved_ * (1 - part) ? 1 : 0;
  }
}

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

}  // namespace park::simple_queue
