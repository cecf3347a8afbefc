// Arrivals are made in two steps: the matrix of rates of a phase, and cells slot by slot. A phase
// lasts change_slots, or the whole episode. draw is called once per slot; bursts carry a state from
// slot to slot, which depends on draws alone.
#include "park/envs/switch_scheduling/arrival_process.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace park::switch_scheduling {
namespace {

/// Scales all rows and then all columns to the sum 1; returns the largest error of a row before.
double scale_lines(std::span<double> m, std::size_t n) {
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double sum = std::accumulate(m.begin() + static_cast<std::ptrdiff_t>(i * n),
                                       m.begin() + static_cast<std::ptrdiff_t>((i + 1) * n), 0.0);
    error = std::max(error, std::abs(sum - 1));
    for (std::size_t j = 0; j < n; ++j) m[i * n + j] /= sum;
  }
  for (std::size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += m[i * n + j];
    for (std::size_t i = 0; i < n; ++i) m[i * n + j] /= sum;
  }
  return error;
}

/// R. Sinkhorn, "A relationship between arbitrary positive matrices and doubly stochastic
/// matrices", 1964, as Park does.
void fill_bistochastic(Rng draw, double load, std::size_t n, std::span<double> rate) {
  for (double& r : rate) r = 1 - draw.uniform();  // positive
  for (int round = 0; round < 1000 && scale_lines(rate, n) > 1e-9; ++round) continue;
  for (double& r : rate) r *= load;
}

/// The share of a line's load at distance k from the diagonal.
double share_at(const std::string& matrix, std::size_t k, std::size_t n) {
  if (matrix == "diagonal") return k == 0 ? 2.0 / 3 : k == 1 ? 1.0 / 3 : 0.0;
  if (matrix == "log_diagonal")
    return std::exp2(-1.0 - static_cast<double>(k)) / (1 - std::exp2(-static_cast<double>(n)));
  return 1.0 / static_cast<double>(n);
}

}  // namespace

void fill_rates(const std::string& matrix, double load, double hotspot_factor, bool permute,
                Rng draw, std::size_t n, std::span<double> rate) {
  if (matrix == "bistochastic") return fill_bistochastic(draw, load, n, rate);
  if (matrix == "hotspot") {
    const std::size_t hot = draw.below(n);
    const double most = load / static_cast<double>(n);
    for (std::size_t v = 0; v < n * n; ++v) rate[v] = v % n == hot ? most : most / hotspot_factor;
    return;
  }
  std::size_t order[kMaxPorts];
  std::iota(order, order + n, std::size_t{0});
  if (permute) draw.shuffle(std::span(order, n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < n; ++k)
      rate[i * n + order[(i + k) % n]] = load * share_at(matrix, k, n);
}

ArrivalProcess::ArrivalProcess(const SwitchSchedulingConfig& c)
    : matrix_(c.matrix()),
      load_(c.load),
      hotspot_factor_(c.hotspot_factor),
      burst_cells_(c.burst_cells),
      change_slots_(c.change_slots),
      per_voq_(c.arrivals == "per_voq"),
      bursty_(c.traffic == "bursty"),
      ports_(static_cast<std::size_t>(c.ports)),
      rate_(ports_ * ports_),
      up_to_(ports_ * ports_),
      bursts_(ports_) {
  cells_.reserve(per_voq_ ? ports_ * ports_ : ports_);
}

void ArrivalProcess::draw_from(std::uint64_t inputs) {
  draws_ = Rng(inputs).split("cells");
  phases_ = Rng(inputs).split("rates");
}

void ArrivalProcess::begin_phase(std::int64_t phase) {
  const auto number = static_cast<std::uint64_t>(phase);
  fill_rates(matrix_, load_, hotspot_factor_, phase > 0, phases_.split(number), ports_, rate_);
  for (std::size_t i = 0; i < ports_; ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i * ports_);
    const auto n = static_cast<std::ptrdiff_t>(ports_);
    std::partial_sum(rate_.begin() + at, rate_.begin() + at + n, up_to_.begin() + at);
  }
}

std::span<const std::uint32_t> ArrivalProcess::draw(std::int64_t slot) {
  if (begins_phase(slot)) begin_phase(slot == 0 ? 0 : slot / change_slots_);
  cells_.clear();
  const Rng own = draws_.split(static_cast<std::uint64_t>(slot));
  if (bursty_)
    draw_bursts(slot, own);
  else if (per_voq_)
    draw_per_voq(own);
  else
    draw_per_input(own);
  return cells_;
}

void ArrivalProcess::draw_per_voq(Rng own) {
  for (std::size_t v = 0; v < rate_.size(); ++v)
    if (own.uniform() < rate_[v]) cells_.push_back(static_cast<std::uint32_t>(v));
}

void ArrivalProcess::draw_per_input(Rng own) {
  for (std::size_t i = 0; i < ports_; ++i)
    if (const std::size_t j = output(i, own.uniform()); j < ports_) add(i, j);
}

/// A burst ends after each cell with probability 1 / burst_cells. The off periods that follow have
/// 0, 1, 2 ... slots, geometric with the mean burst_cells (1 - load) / load, so that an input is on
/// for its load. An episode begins in the stationary state.
void ArrivalProcess::draw_bursts(std::int64_t slot, Rng own) {
  for (std::size_t i = 0; i < ports_; ++i) {
    const double ends = own.uniform(), begins = own.uniform(), where = own.uniform();
    const double load = up_to_[(i + 1) * ports_ - 1];
    Burst& b = bursts_[i];
    if (slot == 0 || ends < 1 / burst_cells_) b.on = false;
    if (!b.on) {
      const double off_slots = burst_cells_ * (1 - load) / load;
      b.on = begins < (slot == 0 ? load : 1 / (1 + off_slots));
      if (b.on) b.output = std::min(output(i, where * load), ports_ - 1);
    }
    if (b.on) add(i, b.output);
  }
}

std::size_t ArrivalProcess::output(std::size_t input, double u) const {
  const auto row = up_to_.begin() + static_cast<std::ptrdiff_t>(input * ports_);
  const auto end = row + static_cast<std::ptrdiff_t>(ports_);
  return static_cast<std::size_t>(std::upper_bound(row, end, u) - row);
}

}  // namespace park::switch_scheduling
