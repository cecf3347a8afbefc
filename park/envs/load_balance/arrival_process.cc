#include "park/envs/load_balance/arrival_process.h"

#include "park/core/error.h"

namespace park::load_balance {

namespace {

sim::Distribution sizes_of(const LoadBalanceConfig& c) {
  if (c.sizes == "exponential") return sim::FastExponential{c.exponential_mean};
  if (c.sizes == "uniform") return sim::Uniform{c.uniform_low, c.uniform_high};
  if (c.sizes == "bimodal")
    return sim::Bimodal{c.bimodal_small, c.bimodal_large, c.bimodal_large_share};
  return sim::Pareto(c.pareto_shape, c.pareto_scale);
}

}  // namespace

ArrivalProcess::ArrivalProcess(const LoadBalanceConfig& c)
    : poisson_(c.arrivals == "poisson"),
      random_start_(c.recording_start == "random"),
      gaps_(sim::FastExponential{c.interval_s}),
      sizes_(sizes_of(c)) {
  if (c.sizes != "recorded") return;
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
  if (recording_)
    entry_ = random_start_ ? input.split("start").below(recording_->sizes().size()) : 0;
  used_ = block_.size();
}

void ArrivalProcess::draw_future(std::uint64_t inputs) {
  const bool recorded = recording_ && !random_start_;
  const std::size_t read = block_.size() - used_;  // entries that were read ahead
  const std::size_t entry = entry_;
  reset(inputs);
  if (!recorded) return;
  const std::size_t entries = recording_->sizes().size();
  entry_ = (entry + entries - read % entries) % entries;
}

void ArrivalProcess::refill() {
  if (poisson_) sim::draw_all(gaps_, gap_draws_, block_, [](Job& j, double s) { j.gap_s = s; });
  if (recording_)
    copy_recorded();
  else
    sim::draw_all(sizes_, size_draws_, block_, [](Job& j, double size) { j.size = size; });
  used_ = 0;
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
