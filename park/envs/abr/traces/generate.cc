#include "park/envs/abr/traces/generate.h"

#include <algorithm>
#include <cmath>

#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/abr/traces/trace_set.h"

namespace park::abr::traces {
namespace {

constexpr double kStepMbps = 0.001;

double rows_of(const TraceGeneratorConfig& c) { return std::ceil(c.duration_s / c.interval_s); }

/// The level that the link is at: a symmetric random walk whose ends hold, so every level is
/// equally likely at any time.
class LevelWalk {
 public:
  LevelWalk(const TraceGeneratorConfig& c, Rng rng)
      : rng_(rng), states_(c.states), leave_(std::min(1.0, c.interval_s / c.dwell_s)) {
    state_ = rng_.below(states_);
  }
  [[nodiscard]] std::uint64_t state() const noexcept { return state_; }
  void step() {
    const double u = rng_.uniform();
    if (u < leave_ / 2 && state_ > 0)
      --state_;
    else if (u >= leave_ / 2 && u < leave_ && state_ + 1 < states_)
      ++state_;
  }

 private:
  Rng rng_;
  std::uint64_t states_, state_ = 0;
  double leave_;
};

/// An autoregressive process of order one with mean 0 and variance 1.
class Fading {
 public:
  Fading(const TraceGeneratorConfig& c, Rng rng)
      : rng_(rng),
        keep_(c.fading_s > 0 ? std::exp(-c.interval_s / c.fading_s) : 0.0),
        fresh_(std::sqrt(1 - keep_ * keep_)),
        value_(rng_.normal()) {}
  [[nodiscard]] double value() const noexcept { return value_; }
  void step() { value_ = keep_ * value_ + fresh_ * rng_.normal(); }

 private:
  Rng rng_;
  double keep_, fresh_, value_;
};

/// Whether there is an outage: a Markov chain of two states.
class Outages {
 public:
  Outages(const TraceGeneratorConfig& c, Rng rng)
      : rng_(rng),
        end_(c.interval_s / c.outage_mean_s),
        begin_(end_ * c.outage_share / (1 - c.outage_share)),
        out_(rng_.uniform() < c.outage_share) {}
  [[nodiscard]] bool out() const noexcept { return out_; }
  void step() {
    const double u = rng_.uniform();
    out_ = out_ ? u >= end_ : u < begin_;
  }

 private:
  Rng rng_;
  double end_, begin_;
  bool out_;
};

std::string trace_name(std::uint64_t k) {
  std::string number = std::to_string(k);
  if (number.size() < 4) number.insert(0, 4 - number.size(), '0');
  return "cellular-" + number + ".txt";
}

}  // namespace

void TraceGeneratorConfig::check(const TraceGeneratorConfig& c, Violations& bad) {
  if (c.low_mbps > c.high_mbps)
    bad.add("low_mbps = " + number_text(c.low_mbps) +
            " exceeds high_mbps = " + number_text(c.high_mbps));
  if (rows_of(c) > static_cast<double>(kMaxRows))
    bad.add("duration_s = " + number_text(c.duration_s) + " has more than 1e6 intervals of " +
            number_text(c.interval_s) + " s");
  if (static_cast<double>(c.traces) * rows_of(c) > 1e8)
    bad.add("traces = " + std::to_string(c.traces) + " of this length have more than 1e8 lines");
  if (c.dwell_s < c.interval_s)
    bad.add("dwell_s = " + number_text(c.dwell_s) +
            " is below interval_s = " + number_text(c.interval_s));
  if (c.outage_mean_s < c.interval_s)
    bad.add("outage_mean_s = " + number_text(c.outage_mean_s) +
            " is below interval_s = " + number_text(c.interval_s));
  if (c.interval_s / c.outage_mean_s * c.outage_share > 1 - c.outage_share)
    bad.add("outage_share = " + number_text(c.outage_share) +
            " needs outages longer than outage_mean_s = " + number_text(c.outage_mean_s));
}

std::vector<double> TraceGeneratorConfig::levels_mbps() const {
  std::vector<double> levels;
  for (std::uint32_t i = 0; i < states; ++i)
    levels.push_back(low_mbps *
                     std::pow(high_mbps / low_mbps, states > 1 ? i / (states - 1.0) : 0.0));
  return levels;
}

abr::NetworkTrace generate_trace(const TraceGeneratorConfig& c, std::uint64_t k) {
  const Rng rng = Rng(c.seed).split("cellular").split(k);
  const std::vector<double> levels = c.levels_mbps();
  LevelWalk level(c, rng.split("level"));
  Fading fading(c, rng.split("fading"));
  Outages outages(c, rng.split("outages"));
  // The mean of exp(sigma x - sigma^2 / 2) is 1, so a level is the mean bandwidth at it.
  const double shift = c.fading_sigma * c.fading_sigma / 2;
  std::vector<double> mbps;
  for (auto rows = static_cast<std::size_t>(rows_of(c)); rows > 0; --rows) {
    const double value = levels[level.state()] * std::exp(c.fading_sigma * fading.value() - shift);
    const double steps =
        std::clamp(std::round(value / kStepMbps), 1.0, abr::kMaxTraceMbps / kStepMbps);
    mbps.push_back(outages.out() ? 0.0 : steps * kStepMbps);
    level.step();
    fading.step();
    outages.step();
  }
  return trace_of(trace_name(k), std::vector<double>(mbps.size(), c.interval_s), mbps);
}

std::vector<abr::NetworkTrace> generate_traces(const TraceGeneratorConfig& c) {
  std::vector<abr::NetworkTrace> all;
  for (std::uint64_t k = 0; k < c.traces; ++k) all.push_back(generate_trace(c, k));
  return all;
}

}  // namespace park::abr::traces
