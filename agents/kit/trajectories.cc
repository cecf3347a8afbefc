#include "agents/kit/trajectories.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "park/core/pupil.h"

namespace park::agents {
namespace {

void follow(Trajectory& t, const Outcome& o) {
  Step& step = t.steps.back();
  step.reward = o.reward;
  step.elapsed_s = o.elapsed_s;
  step.credited = o.applied == Applied::policy && o.skipped == 0;
}

}  // namespace

std::vector<std::vector<std::size_t>> by_sequence(const std::vector<Trajectory>& all) {
  std::vector<std::vector<std::size_t>> sequences;
  std::unordered_map<std::uint64_t, std::size_t> places;  // of inputs
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [at, is_new] = places.try_emplace(all[i].episode.inputs, sequences.size());
    if (is_new) sequences.emplace_back();
    sequences[at->second].push_back(i);
  }
  return sequences;
}

void Trajectories::add(Stream& stream, NetworkPolicy& policy, const Rng& run) {
  const std::size_t before = all_.size();
  open_.clear();
  play(stream, policy, run,
       [&](const Decisions& d, const Batch& actions) { keep(d, actions, policy.log_probs()); });
  in_order(before);
}

void Trajectories::scale_rewards(std::size_t i, double factor) {
  for (Step& step : all_[i].steps) step.reward *= factor;
}

void Trajectories::demonstrate(Stream& stream, Policy& teacher, Policy* driver, const Rng& run) {
  const std::size_t before = all_.size();
  open_.clear();
  const Batch* answers = nullptr;
  std::vector<float> log_probs;
  Pupil pupil(stream.spec(), teacher, driver,
              [&](const Decisions&, const Batch& of_teacher) { answers = &of_teacher; });
  play(stream, pupil, run, [&](const Decisions& d, const Batch& actions) {
    log_probs.assign(d.asked.size(), 0);
    keep(d, d.asked.empty() ? actions : *answers, log_probs);
  });
  in_order(before);
}

void Trajectories::clear() {
  observations_.clear();
  actions_.clear();
  all_.clear();
  open_.clear();
  decisions_ = 0;
}

/// Those from number `first` on.
void Trajectories::in_order(std::size_t first) {
  std::ranges::sort(all_.begin() + static_cast<std::ptrdiff_t>(first), all_.end(), {},
                    [](const Trajectory& t) { return t.episode.id; });
}

void Trajectories::keep(const Decisions& d, const Batch& actions,
                        std::span<const float> log_probs) {
  const std::size_t figures = d.ended.empty() ? 0 : d.metrics.size() / d.ended.size();
  for (std::size_t i = 0; i < d.ended.size(); ++i) {
    Trajectory& t = open_[d.ended[i].slot];
    follow(t, d.ended[i].last);
    t.end = d.ended[i].last.end;
    t.final_row = static_cast<std::uint32_t>(observations_.rows() + i);
    const auto metrics = d.metrics.begin() + static_cast<std::ptrdiff_t>(i * figures);
    t.metrics.assign(metrics, metrics + static_cast<std::ptrdiff_t>(figures));
    all_.push_back(std::move(t));
  }
  keep_final(d);
  auto row = static_cast<std::uint32_t>(observations_.rows());
  observations_.append(d.observation, d.asked);
  actions_.append(actions);
  decisions_ += d.asked.size();
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const Ask& ask = d.asked[i];
    begin(ask);
    Trajectory& t = open_[ask.slot];
    if (ask.sequence > 0) follow(t, ask.since_last);
    t.steps.push_back({.row = row++, .time_s = t.end_s(), .log_prob = log_probs[i]});
  }
}

void Trajectories::keep_final(const Decisions& d) {
  std::vector<Ask> asked(d.ended.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    asked[i].slot = d.ended[i].slot;
    asked[i].sequence = d.ended[i].decisions;  // shares with the row before
  }
  observations_.append(d.final_observation, asked);
  actions_.resize(observations_.rows());
}

void Trajectories::begin(const Ask& ask) {
  if (ask.slot >= open_.size()) open_.resize(ask.slot + 1);
  if (ask.sequence > 0) return;
  open_[ask.slot] = Trajectory{};
  open_[ask.slot].episode = ask.episode;
}

}  // namespace park::agents
