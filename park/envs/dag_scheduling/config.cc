#include "park/envs/dag_scheduling/config.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "park/core/text.h"

namespace park::dag_scheduling {
namespace {

constexpr double kShareTolerance = 0.01;  // so that three shares of 0.333 are accepted

double sum_of_shares(const std::vector<ExecutorClassConfig>& classes) {
  double sum = 0;
  for (const ExecutorClassConfig& c : classes) sum += c.share;
  return sum;
}

void check_arrivals(const DagSchedulingConfig& c, Violations& bad) {
  if (c.arrival == "file") {
    if (c.arrivals.empty()) bad.add("arrivals must name a file where arrival = file");
    if (c.jobs != DagSchedulingConfig{}.jobs)
      bad.add("jobs is not allowed where arrival = file: the file of arrivals lists the jobs");
  } else if (!c.arrivals.empty()) {
    bad.add("arrivals is allowed only where arrival = file");
  }
  if (c.arrival == "poisson" && c.jobs * c.interval_s > kMaxArrivalS)
    bad.add("interval_s = " + number_text(c.interval_s) +
            " times jobs = " + std::to_string(c.jobs) + " must not exceed 1e9 s");
}

void check_classes(const DagSchedulingConfig& c, Violations& bad) {
  if (c.classes.empty()) return;
  if (c.classes.size() > kMaxClasses) {
    bad.add("classes has " + std::to_string(c.classes.size()) + " entries; allowed are at most " +
            std::to_string(kMaxClasses));
    return;
  }
  const double sum = sum_of_shares(c.classes);
  if (std::abs(sum - 1) > kShareTolerance) {
    bad.add("classes: the shares add up to " + number_text(sum) + " and must add up to 1");
    return;
  }
  const std::vector<std::int32_t> sizes = c.class_sizes();
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] == 0)
      bad.add("classes: class " + std::to_string(i) +
              " gets none of the executors = " + std::to_string(c.executors));
}

}  // namespace

void DagSchedulingConfig::check(const DagSchedulingConfig& c, Violations& bad) {
  if (c.objective == "deadline" && c.deadline_factor == 0)
    bad.add("deadline_factor must be above 0 where objective = deadline: no job has a deadline");
  check_arrivals(c, bad);
  check_classes(c, bad);
}

std::vector<ExecutorClassConfig> DagSchedulingConfig::executor_classes() const {
  return classes.empty() ? std::vector<ExecutorClassConfig>(1) : classes;
}

std::vector<std::int32_t> DagSchedulingConfig::class_sizes() const {
  const std::vector<ExecutorClassConfig> all = executor_classes();
  const double sum = sum_of_shares(all);
  std::vector<std::int32_t> sizes;
  std::vector<double> remainders;
  for (const ExecutorClassConfig& c : all) {
    const double exact = executors * c.share / sum;
    sizes.push_back(static_cast<std::int32_t>(exact + 1e-9));
    remainders.push_back(exact - sizes.back());
  }
  for (std::int32_t left = executors - std::reduce(sizes.begin(), sizes.end()); left > 0; --left) {
    const auto largest = std::ranges::max_element(remainders);
    ++sizes[static_cast<std::size_t>(largest - remainders.begin())];
    *largest = -1;
  }
  return sizes;
}

}  // namespace park::dag_scheduling
