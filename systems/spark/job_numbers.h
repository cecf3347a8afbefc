#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "systems/spark/cluster_report.h"

namespace park::spark {

/// The numbers under which a policy sees the jobs in the system, below how many there may be at
/// once. An application has any number of jobs over its life, so numbers are used again. That is as
/// late as possible, because policies may remember jobs by them.
class JobNumbers {
 public:
  explicit JobNumbers(std::uint32_t most) : most_(most) {}

  struct Place {
    std::uint64_t order = 0;   ///< of all jobs so far
    std::uint32_t number = 0;  ///< equal to the order until numbers are used again
  };
  /// REQUIRES fewer than the most in use.
  [[nodiscard]] Place take();
  void give_back(std::uint32_t number) { used_.erase(number); }

 private:
  std::uint32_t most_, next_ = 0;
  std::uint64_t order_ = 0;
  std::set<std::uint32_t> used_;
};

/// The jobs of one application that are in the system.
class NumberedJobs {
 public:
  /// New jobs get a number, and those that are gone give theirs back.
  void follow(const std::vector<JobReport>& present, JobNumbers&);
  /// All of them are gone.
  void leave(JobNumbers& all) { follow({}, all); }
  /// By the driver's number of a job that is present.
  [[nodiscard]] const JobNumbers::Place& at(std::uint32_t number) const {
    return places_.at(number);
  }

 private:
  std::map<std::uint32_t, JobNumbers::Place> places_;
};

}  // namespace park::spark
