#include "systems/spark/job_numbers.h"

#include <algorithm>

namespace park::spark {

JobNumbers::Place JobNumbers::take() {
  // A policy may learn from the largest number how often jobs come; small ones would mislead it.
  const std::uint32_t lower = most_ / 2;
  const std::uint32_t again = used_.size() < most_ - lower ? lower : 0;
  if (next_ >= most_) next_ = again;
  while (used_.contains(next_)) next_ = next_ + 1 < most_ ? next_ + 1 : again;
  used_.insert(next_);
  return {.order = order_++, .number = next_++};
}

void NumberedJobs::follow(const std::vector<JobReport>& present, JobNumbers& all) {
  std::erase_if(places_, [&](const auto& one) {
    if (std::ranges::binary_search(present, one.first, {}, &JobReport::number)) return false;
    all.give_back(one.second.number);
    return true;
  });
  for (const JobReport& job : present)
    if (!places_.contains(job.number)) places_.emplace(job.number, all.take());
}

}  // namespace park::spark
