#include "park/net/link.h"

#include <algorithm>
#include <cmath>

namespace park::net {

void RateSteps::reset(const LinkConfig& c, Rng rng) {
  rng_ = rng;
  mean_ = c.bytes_per_s * 1e-9;
  sigma_ = c.sigma;
  least_ = c.least_share * mean_;
  most_ = c.most_share * mean_;
  keep_ = std::exp(-c.step_s / c.correlation_s);
  fresh_ = std::sqrt(1 - keep_ * keep_);
  outage_ends_ = std::min(1.0, c.step_s / c.outage_mean_s);
  outage_begins_ = c.outage_share > 0 ? outage_ends_ * c.outage_share / (1 - c.outage_share) : 0;
  rate_ = mean_;
  end_ = kNever;
  out_ = false;
  if (sigma_ == 0 && outage_begins_ == 0) return;
  step_ = to_nanos(c.step_s);
  end_ = step_;
  value_ = rng_.normal();
  draw();
}

void RateSteps::next() noexcept {
  end_ += step_;
  if (sigma_ > 0) value_ = keep_ * value_ + fresh_ * rng_.normal();
  if (outage_begins_ > 0) {
    const double u = rng_.uniform();
    out_ = out_ ? u >= outage_ends_ : u < outage_begins_;
  }
  draw();
}

/// The mean of exp(sigma x - sigma^2 / 2) is 1, so that the mean rate is that of the configuration.
void RateSteps::draw() noexcept {
  const double rate = mean_ * std::exp(sigma_ * value_ - sigma_ * sigma_ / 2);
  rate_ = out_ ? 0 : std::clamp(rate, least_, most_);
}

void Link::reset(const LinkConfig& c, Rng rng) {
  steps_.reset(c, rng.split("steps"));
  past_ = steps_;
  ns_per_byte_ = 1 / steps_.bytes_per_ns();
  list_ = c.opportunities;
  slotted_ = c.poisson || list_ != nullptr;
  gaps_ = rng.split("gaps");
  next_ = counted_ = 0;
  last_ = counted_until_ = 0;
  counted_bytes_ = 0;
  shift_ = 0;
  if (!list_) return;
  shift_ = static_cast<Nanos>(c.start_share * static_cast<double>(list_->period()));
  const auto first = std::ranges::lower_bound(list_->ms, shift_, {}, [](std::uint32_t ms) {
    return static_cast<Nanos>(ms) * kMillisecond;
  });
  next_ = counted_ = static_cast<std::uint64_t>(first - list_->ms.begin());
}

Nanos Link::departure_in_steps(Nanos start, std::uint32_t bytes) noexcept {
  while (steps_.end() <= start) steps_.next();
  double left = bytes;
  Nanos at = start;
  for (;;) {
    const auto room = static_cast<double>(steps_.end() - at) * steps_.bytes_per_ns();
    // NOLINTNEXTLINE(bugprone-incorrect-roundings): not negative, and a call would be slower
    if (room >= left) return at + static_cast<Nanos>(left / steps_.bytes_per_ns() + 0.5);
    left -= room;
    at = steps_.end();
    steps_.next();
  }
}

/// The time of an opportunity, counted from the begin of the list, in the link's time.
Nanos Link::listed(std::uint64_t index) const noexcept {
  const std::uint64_t n = list_->ms.size();
  return static_cast<Nanos>(index / n) * list_->period() +
         static_cast<Nanos>(list_->ms[index % n]) * kMillisecond - shift_;
}

Nanos Link::next_poisson(Nanos at) noexcept {
  Nanos time = std::max(at, last_);
  double bytes = gaps_.exponential(kOpportunityBytes);
  while (steps_.end() <= time) steps_.next();
  if (steps_.end() == kNever)
    return last_ = time + static_cast<Nanos>(bytes / steps_.bytes_per_ns());
  for (;;) {
    const auto room = static_cast<double>(steps_.end() - time) * steps_.bytes_per_ns();
    if (room >= bytes) break;
    bytes -= room;
    time = steps_.end();
    steps_.next();
  }
  return last_ = time + static_cast<Nanos>(bytes / steps_.bytes_per_ns());
}

Nanos Link::opportunity(Nanos at) noexcept {
  if (!list_) return next_poisson(at);  // memoryless: what passed unused does not matter
  const auto n = static_cast<std::uint64_t>(list_->ms.size());
  const Nanos wanted = at + shift_;
  // The last opportunity of a round is at its end, which is the next one's begin.
  const auto round = static_cast<std::uint64_t>(std::max<Nanos>(wanted - 1, 0) / list_->period());
  if (next_ < round * n) next_ = round * n;
  while (listed(next_) < at) ++next_;
  return listed(next_++);
}

double Link::capacity(Nanos until) noexcept {
  if (list_) {
    while (listed(counted_) <= until) ++counted_, counted_bytes_ += kOpportunityBytes;
    return counted_bytes_;
  }
  while (past_.end() <= until) {
    counted_bytes_ += static_cast<double>(past_.end() - counted_until_) * past_.bytes_per_ns();
    counted_until_ = past_.end();
    past_.next();
  }
  counted_bytes_ += static_cast<double>(until - counted_until_) * past_.bytes_per_ns();
  counted_until_ = until;
  return counted_bytes_;
}

double Link::bytes_per_s() const noexcept {
  if (list_)
    return static_cast<double>(list_->ms.size()) * kOpportunityBytes / to_seconds(list_->period());
  return past_.bytes_per_ns() * 1e9;
}

}  // namespace park::net
