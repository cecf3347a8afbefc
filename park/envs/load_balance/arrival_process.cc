#include "park/envs/load_balance/arrival_process.h"

#include <utility>

#include "park/core/error.h"

namespace park::envs {

ArrivalProcess::ArrivalProcess(const LoadBalanceConfig& c)
    : sizes_(Sizes::pareto),
      poisson_(c.arrivals == "poisson"),
      random_start_(c.recording_start == "random"),
      interval_s_(c.interval_s),
      first_(c.pareto_shape),
      second_(c.pareto_scale) {
  if (c.sizes == "exponential") {
    sizes_ = Sizes::exponential;
    first_ = c.exponential_mean;
  } else if (c.sizes == "uniform") {
    sizes_ = Sizes::uniform;
    first_ = c.uniform_low, second_ = c.uniform_high;
  } else if (c.sizes == "bimodal") {
    sizes_ = Sizes::bimodal;
    first_ = c.bimodal_small, second_ = c.bimodal_large, share_ = c.bimodal_large_share;
  } else if (c.sizes == "recorded") {
    sizes_ = Sizes::recorded;
    recording_ = Recording::open(c.recording);
    if (!poisson_ && recording_->gaps_s().empty())
      throw Error(Errc::bad_file,
                  "arrivals: recorded needs a recording with the header 'gap_s,size', but '" +
                      c.recording + "' has sizes only");
  }
}

void ArrivalProcess::reset(std::uint64_t inputs) {
  const Rng input(inputs);
  gap_draws_ = input.split("gaps");
  size_draws_ = input.split("sizes");
  if (sizes_ == Sizes::recorded)
    entry_ = random_start_ ? input.split("start").below(recording_->sizes().size()) : 0;
}

double ArrivalProcess::gap() noexcept {
  return poisson_ ? gap_draws_.exponential(interval_s_) : recording_->gaps_s()[entry_];
}

double ArrivalProcess::size() noexcept {
  switch (sizes_) {
    case Sizes::pareto: return size_draws_.pareto(first_, second_);
    case Sizes::exponential: return size_draws_.exponential(first_);
    case Sizes::uniform: return size_draws_.uniform(first_, second_);
    case Sizes::bimodal: return size_draws_.uniform() < share_ ? second_ : first_;
    case Sizes::recorded: break;
  }
  const std::size_t entry = entry_;
  entry_ = entry + 1 == recording_->sizes().size() ? 0 : entry + 1;
  return recording_->sizes()[entry];
}

}  // namespace park::envs
