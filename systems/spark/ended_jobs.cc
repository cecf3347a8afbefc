#include "systems/spark/ended_jobs.h"

#include <utility>

namespace park::spark {

void EndedJobs::take(wire::Progress::Reader from,
                     const std::function<void(wire::EndedJob::Reader)>& use) {
  std::set<std::uint32_t> told;
  for (const auto job : from.getEnded()) {
    if (!told.insert(job.getNumber()).second || last_.contains(job.getNumber())) continue;
    ++(job.getFailed() ? sums_.failed : sums_.jobs);
    use(job);
  }
  last_ = std::move(told);
}

}  // namespace park::spark
