// Heuristics of dispatching. ServerView resolves the leaves once; each policy goes over the rows
// that ask and writes the server. RoundRobin, PowerOfD and SizeInterval keep a state for every
// slot, which start resets. The registry makes them.
#include "park/envs/load_balance/policies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::load_balance {

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

PolicyInfo RoundRobin::info() {
  return {.name = "round_robin",
          .summary = "the servers in turn",
          .reference = "as nginx and HAProxy do by default",
          .environments = {"load_balance"}};
}

void RoundRobin::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) =
        static_cast<std::int32_t>(d.asked[i].sequence % view_.servers);
  }
}

PolicyInfo ShortestQueue::info() {
  return {.name = "shortest_queue",
          .summary = "the server with the fewest jobs",
          .reference = "Winston, Optimality of the shortest line discipline, 1977",
          .environments = {"load_balance"}};
}

void ShortestQueue::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) = smallest(d.observation.row(i)[view_.jobs]);
  }
}

PolicyInfo LeastWork::info() {
  return {.name = "least_work",
          .summary = "the server with the least work left",
          .reference = "Daley, Certain optimality properties of first-come first-served, 1987",
          .environments = {"load_balance"}};
}

void LeastWork::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    actions.row(i).scalar(view_.server) = smallest(d.observation.row(i)[view_.work]);
  }
}

PolicyInfo ShortestExpectedDelay::info() {
  return {.name = "shortest_expected_delay",
          .summary = "the server that completes the job first: drain time + size / rate",
          .reference =
              "Banawan, Zeidat, A comparative study of load sharing in heterogeneous "
              "multicomputer systems, 1992",
          .environments = {"load_balance"}};
}

void ShortestExpectedDelay::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const ConstRow row = d.observation.row(i);
    const std::span<const float> drain_s = row[view_.drain_s], rate = row[view_.rate];
    const float size = row.scalar(view_.size);
    std::size_t best = 0;
    float least_s = drain_s[0] + size / rate[0];
    for (std::size_t s = 1; s < view_.servers; ++s) {
      const float delay_s = drain_s[s] + size / rate[s];
      if (delay_s < least_s) best = s, least_s = delay_s;
    }
    actions.row(i).scalar(view_.server) = static_cast<std::int32_t>(best);
  }
}

PolicyInfo PowerOfD::info() {
  return {.name = "power_of_d",
          .summary = "the server with the fewest jobs among d drawn at random",
          .reference = "Mitzenmacher, The power of two choices in randomized load balancing, 2001",
          .environments = {"load_balance"}};
}

PowerOfD::PowerOfD(const Config& c, const Spec& spec)
    : view_(spec), d_(std::min(static_cast<std::size_t>(c.d), view_.servers)) {
  choices_.reserve(d_);
}

void PowerOfD::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= rng_.size()) rng_.resize(slot + 1);
  rng_[slot] = rng;
}

/// R. Floyd's sample without replacement: d draws, whatever comes out.
void PowerOfD::draw(Rng& rng) {
  choices_.clear();
  for (std::size_t top = view_.servers - d_; top < view_.servers; ++top) {
    const std::size_t pick = rng.below(top + 1);
    const bool taken = std::ranges::find(choices_, pick) != choices_.end();
    choices_.push_back(taken ? top : pick);
  }
  std::ranges::sort(choices_);
}

void PowerOfD::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    Rng rng = rng_[d.asked[i].slot].split(d.asked[i].sequence);
    draw(rng);
    const std::span<const float> jobs = d.observation.row(i)[view_.jobs];
    const std::size_t best =
        *std::ranges::min_element(choices_, {}, [&](std::size_t server) { return jobs[server]; });
    actions.row(i).scalar(view_.server) = static_cast<std::int32_t>(best);
  }
}

PolicyInfo SizeInterval::info() {
  return {.name = "size_interval",
          .summary = "each server gets the jobs of one interval of sizes",
          .reference =
              "Harchol-Balter, Crovella, Murta, On choosing a task assignment policy for "
              "a distributed server system, 1999",
          .environments = {"load_balance"}};
}

void SizeInterval::start(std::uint32_t slot, const Episode&, Rng) {
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  slots_[slot].work.fill(0);
  slots_[slot].total = 0;
}

std::size_t SizeInterval::bin(float size) noexcept {
  if (!(size > 0)) return 0;
  const double octave = std::log2(static_cast<double>(size)) - kLowestOctave;
  return static_cast<std::size_t>(std::clamp(octave * kBinsPerOctave, 0.0, kBins - 1.0));
}

double SizeInterval::place(Slot& slot, float size) noexcept {
  const std::size_t own = bin(size);
  slot.work[own] += static_cast<double>(size);
  slot.total += static_cast<double>(size);
  double below = slot.work[own] / 2;
  for (std::size_t b = 0; b < own; ++b) below += slot.work[b];
  return slot.total > 0 ? below / slot.total : 0;
}

void SizeInterval::share(Slot& slot, std::span<const float> rates) const {
  slot.order.resize(rates.size());
  std::iota(slot.order.begin(), slot.order.end(), 0);
  std::ranges::sort(slot.order, {}, [&](std::int32_t s) {
    return std::pair(rates[static_cast<std::size_t>(s)], s);
  });
  slot.limits.clear();
  double sum = 0;
  for (const std::int32_t s : slot.order) {
    sum += std::pow(static_cast<double>(rates[static_cast<std::size_t>(s)]), balance_);
    slot.limits.push_back(sum);
  }
  for (double& limit : slot.limits) limit /= sum;
}

void SizeInterval::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    Slot& slot = slots_[d.asked[i].slot];
    const ConstRow row = d.observation.row(i);
    if (d.asked[i].sequence == 0) share(slot, row[view_.rate]);
    const double u = place(slot, row.scalar(view_.size));
    const auto limit = std::ranges::lower_bound(slot.limits, u);
    const auto at =
        std::min<std::ptrdiff_t>(limit - slot.limits.begin(), std::ssize(slot.order) - 1);
    actions.row(i).scalar(view_.server) = slot.order[static_cast<std::size_t>(at)];
  }
}

}  // namespace park::load_balance
