#include "park/envs/simple_queue/policies.h"

#include <algorithm>

namespace park::simple_queue {

namespace {

/// Free servers and places to wait.
float room(const QueueLayout& l, ConstRow row) { return row.scalar(l.free) + row.scalar(l.places); }

/// The reward of the best class.
double highest(const QueueLayout& l, ConstRow row) {
  return static_cast<double>(std::ranges::max(row[l.class_reward]));
}

}  // namespace

PolicyInfo AdmitAll::info() {
  return {.name = "admit_all",
          .summary = "every job, as long as there is room",
          .reference = "complete sharing: Erlang, 1917",
          .environments = {"simple_queue"}};
}

void AdmitAll::choose(const Ask&, ConstRow, Row action) { action.scalar(layout_.admit) = 1; }

PolicyInfo RewardThreshold::info() {
  return {.name = "reward_threshold",
          .summary = "jobs whose reward is at least a fixed part of the highest one",
          .reference = "the threshold that ignores the state of the queue",
          .environments = {"simple_queue"}};
}

void RewardThreshold::choose(const Ask&, ConstRow row, Row action) {
  const double least = fraction_ * highest(layout_, row);
  const bool pays = static_cast<double>(row.scalar(layout_.job_reward)) >= least;
  action.scalar(layout_.admit) = room(layout_, row) >= 1 && pays;
}

PolicyInfo TrunkReservation::info() {
  return {.name = "trunk_reservation",
          .summary = "jobs for which enough servers are free: the more, the less they pay",
          .reference = "Miller, A queueing reward system with several customer classes, 1969",
          .environments = {"simple_queue"}};
}

void TrunkReservation::choose(const Ask&, ConstRow row, Row action) {
  const double most = highest(layout_, row);
  const double part = most > 0 ? static_cast<double>(row.scalar(layout_.job_reward)) / most : 1.0;
  const auto free = static_cast<double>(room(layout_, row));
  action.scalar(layout_.admit) = free > reserved_ * (1 - part);
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
  const double interval_s = value(layout_.interval_s);
  const auto rewards = row[layout_.class_reward];
  return {.servers = value(layout_.busy) + value(layout_.free),
          .room = value(layout_.waiting) + value(layout_.places),
          .rewards = {rewards.begin(), rewards.end()},
          .service = value(layout_.service_s) / interval_s,
          .waiting_cost = value(layout_.waiting_cost) * interval_s,
          .slotted = value(layout_.gap_cv) == 0};
}

void OptimalAdmission::choose(const Ask& ask, ConstRow row, Row action) {
  if (ask.sequence == 0 || !solution_) {
    AdmissionModel model = model_of(row);
    if (!solution_ || model != model_) solution_.emplace(model_ = model);
  }
  const double jobs = static_cast<double>(row.scalar(layout_.busy) + row.scalar(layout_.waiting));
  const double reward = static_cast<double>(row.scalar(layout_.job_reward));
  action.scalar(layout_.admit) = solution_->admits(jobs, reward);
}

}  // namespace park::simple_queue
