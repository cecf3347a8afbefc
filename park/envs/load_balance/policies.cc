// Heuristics of dispatching. RowPolicy goes over the rows that ask; choose reads one row through
// the layout and writes the server. PowerOfD and SizeInterval keep a state for every slot, which
// start resets. The registry makes them.
#include "park/envs/load_balance/policies.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::load_balance {

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

void RoundRobin::choose(const Ask& ask, ConstRow row, Row action) {
  action.scalar(layout_.server) =
      static_cast<std::int32_t>(ask.sequence % row[layout_.rate].size());
}

PolicyInfo ShortestQueue::info() {
  return {.name = "shortest_queue",
          .summary = "the server with the fewest jobs",
          .reference = "Winston, Optimality of the shortest line discipline, 1977",
          .environments = {"load_balance"}};
}

void ShortestQueue::choose(const Ask&, ConstRow row, Row action) {
  action.scalar(layout_.server) = smallest(row[layout_.jobs]);
}

PolicyInfo LeastWork::info() {
  return {.name = "least_work",
          .summary = "the server with the least work left",
          .reference = "Daley, Certain optimality properties of first-come first-served, 1987",
          .environments = {"load_balance"}};
}

void LeastWork::choose(const Ask&, ConstRow row, Row action) {
  action.scalar(layout_.server) = smallest(row[layout_.work]);
}

PolicyInfo ShortestExpectedDelay::info() {
  return {.name = "shortest_expected_delay",
          .summary = "the server that completes the job first: drain time + size / rate",
          .reference =
              "Banawan, Zeidat, A comparative study of load sharing in heterogeneous "
              "multicomputer systems, 1992",
          .environments = {"load_balance"}};
}

void ShortestExpectedDelay::choose(const Ask&, ConstRow row, Row action) {
  const std::span<const float> drain_s = row[layout_.drain_s], rate = row[layout_.rate];
  const float size = row.scalar(layout_.size);
  std::size_t best = 0;
  float least_s = drain_s[0] + size / rate[0];
  for (std::size_t s = 1; s < rate.size(); ++s) {
    const float delay_s = drain_s[s] + size / rate[s];
    if (delay_s < least_s) best = s, least_s = delay_s;
  }
  action.scalar(layout_.server) = static_cast<std::int32_t>(best);
}

PolicyInfo PowerOfD::info() {
  return {.name = "power_of_d",
          .summary = "the server with the fewest jobs among d drawn at random",
          .reference = "Mitzenmacher, The power of two choices in randomized load balancing, 2001",
          .environments = {"load_balance"}};
}

PowerOfD::PowerOfD(const Config& c, const Spec& spec)
    : layout_(bind_layout<ServersLayout>(spec)),
      servers_(layout_.rate.width),
      d_(std::min(static_cast<std::size_t>(c.d), servers_)) {
  choices_.reserve(d_);
}

void PowerOfD::start(std::uint32_t slot, const Episode&, Rng rng) {
  if (slot >= rng_.size()) rng_.resize(slot + 1);
  rng_[slot] = rng;
}

/// R. Floyd's sample without replacement: d draws, whatever comes out.
void PowerOfD::draw(Rng& rng) {
  choices_.clear();
  for (std::size_t top = servers_ - d_; top < servers_; ++top) {
    const std::size_t pick = rng.below(top + 1);
    const bool taken = std::ranges::find(choices_, pick) != choices_.end();
    choices_.push_back(taken ? top : pick);
  }
  std::ranges::sort(choices_);
}

void PowerOfD::choose(const Ask& ask, ConstRow row, Row action) {
  Rng rng = rng_[ask.slot].split(ask.sequence);
  draw(rng);
  const std::span<const float> jobs = row[layout_.jobs];
  const std::size_t best =
      *std::ranges::min_element(choices_, {}, [&](std::size_t server) { return jobs[server]; });
  action.scalar(layout_.server) = static_cast<std::int32_t>(best);
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

void SizeInterval::choose(const Ask& ask, ConstRow row, Row action) {
  Slot& slot = slots_[ask.slot];
  if (ask.sequence == 0) share(slot, row[layout_.rate]);
  const double u = place(slot, row.scalar(layout_.size));
  const auto limit = std::ranges::lower_bound(slot.limits, u);
  const auto at = std::min<std::ptrdiff_t>(limit - slot.limits.begin(), std::ssize(slot.order) - 1);
  action.scalar(layout_.server) = slot.order[static_cast<std::size_t>(at)];
}

}  // namespace park::load_balance
