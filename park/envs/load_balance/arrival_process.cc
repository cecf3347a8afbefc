#include "park/envs/load_balance/arrival_process.h"

#include <cmath>

#include "park/core/error.h"

namespace park::load_balance {

ArrivalProcess::ArrivalProcess(const LoadBalanceConfig& c)
    : poisson_(c.arrivals == "poisson"),
      random_start_(c.recording_start == "random"),
      interval_s_(c.interval_s),
      pareto_exponent_(-1.0 / c.pareto_shape),
      pareto_scale_(c.pareto_scale),
      exponential_mean_(c.exponential_mean),
      uniform_low_(c.uniform_low),
      uniform_high_(c.uniform_high),
      bimodal_small_(c.bimodal_small),
      bimodal_large_(c.bimodal_large),
      bimodal_large_share_(c.bimodal_large_share) {
  if (c.sizes == "exponential") sizes_ = Sizes::exponential;
  if (c.sizes == "uniform") sizes_ = Sizes::uniform;
  if (c.sizes == "bimodal") sizes_ = Sizes::bimodal;
  if (c.sizes != "recorded") return;
  sizes_ = Sizes::recorded;
  recording_ = Recording::open(c.recording);
  if (!poisson_ && recording_->gaps_s().empty())
    throw Error(Errc::bad_file,
                "arrivals = recorded needs a recording with the header "
                "'gap_s,size', but '" +
                    c.recording + "' has sizes only");
}

void ArrivalProcess::reset(std::uint64_t inputs) {
  const Rng input(inputs);
  gap_draws_ = input.split("gaps");
  size_draws_ = input.split("sizes");
  if (sizes_ == Sizes::recorded)
    entry_ = random_start_ ? input.split("start").below(recording_->sizes().size()) : 0;
  used_ = block_.size();
}

void ArrivalProcess::refill() {
  if (poisson_) draw_gaps();
  if (sizes_ == Sizes::recorded)
    copy_recorded();
  else
    draw_sizes();
  used_ = 0;
}

/// Inversion. 1 - u is exact, so the logarithm loses nothing against log1p(-u), which costs more.
void ArrivalProcess::draw_gaps() {
  for (Job& job : block_) job.gap_s = -interval_s_ * std::log(1.0 - gap_draws_.uniform());
}

void ArrivalProcess::draw_sizes() {
  const auto fill = [&](auto&& size_of) {
    for (Job& job : block_) job.size = size_of(size_draws_.uniform());
  };
  switch (sizes_) {
    case Sizes::pareto:
      return fill([&](double u) { return pareto_scale_ * std::pow(1.0 - u, pareto_exponent_); });
    case Sizes::exponential:
      return fill([&](double u) { return -exponential_mean_ * std::log(1.0 - u); });
    case Sizes::uniform:
      return fill([&](double u) { return uniform_low_ + (uniform_high_ - uniform_low_) * u; });
    case Sizes::bimodal:
      return fill(
          [&](double u) { return u < bimodal_large_share_ ? bimodal_large_ : bimodal_small_; });
    case Sizes::recorded:
      return;
  }
}

void ArrivalProcess::copy_recorded() {
  const auto sizes = recording_->sizes(), gaps_s = recording_->gaps_s();
  for (Job& job : block_) {
    job.size = sizes[entry_];
    if (!poisson_) job.gap_s = gaps_s[entry_];
    if (++entry_ == sizes.size()) entry_ = 0;
  }
}

}  // namespace park::load_balance
