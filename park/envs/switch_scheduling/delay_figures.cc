#include "park/envs/switch_scheduling/delay_figures.h"

#include <algorithm>

namespace park::switch_scheduling {

void DelayFigures::clear() {
  slots_ = cell_slots_ = queued_slots_ = 0;
  arrived_ = sent_ = most_ = busy_ = maximal_ = 0;
  sent_after_.clear();
  std::ranges::fill(queued_, 0u);
  queued_total_ = 0;
}

void DelayFigures::arrive(std::size_t output) {
  ++arrived_;
  ++queued_[output];
  ++queued_total_;
}

void DelayFigures::pass(std::uint64_t cells, double part) {
  slots_ += part;
  cell_slots_ += part * static_cast<double>(cells);
  queued_slots_ += part * static_cast<double>(queued_total_);
  most_ = std::max(most_, cells);
}

void DelayFigures::end_slot(bool maximal) {
  ++busy_;
  if (maximal) ++maximal_;
  for (std::uint64_t& q : queued_)
    if (q > 0) {
      --q;
      --queued_total_;
    }
}

void DelayFigures::send(std::int64_t delay) {
  const auto at = static_cast<std::size_t>(delay);
  if (at >= sent_after_.size()) sent_after_.resize(at + 1);
  ++sent_after_[at];
  ++sent_;
}

double DelayFigures::percentile(std::uint64_t percent) const {
  std::uint64_t below = 0;
  for (std::size_t delay = 0; delay < sent_after_.size(); ++delay) {
    below += sent_after_[delay];
    if (below > 0 && below * 100 >= sent_ * percent) return static_cast<double>(delay);
  }
  return 0;
}

double DelayFigures::maximal_share() const noexcept {
  return busy_ == 0 ? 1 : static_cast<double>(maximal_) / static_cast<double>(busy_);
}

}  // namespace park::switch_scheduling
