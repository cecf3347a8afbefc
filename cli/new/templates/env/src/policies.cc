#include "policies.h"

#include <cstddef>
#include <cstdint>

namespace project::newenv {
namespace {

/// The job of least cost, the first among equals.
template <class Cost>
std::int32_t least(std::size_t jobs, Cost&& cost) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < jobs; ++i)
    if (cost(i) < cost(best)) best = i;
  return static_cast<std::int32_t>(best);
}

}  // namespace

park::PolicyInfo FirstCome::info() {
  return {.name = "newenv_fifo",
          .summary = "the job that has waited longest",
          .reference = "first come, first served",
          .environments = {"newenv"}};
}

void FirstCome::choose(const park::Ask&, park::ConstRow row, park::Row action) {
  const auto wait_s = row[layout_.wait_s];
  action.scalar(layout_.next) = least(wait_s.size(), [&](std::size_t i) { return -wait_s[i]; });
}

park::PolicyInfo Shortest::info() {
  return {.name = "newenv_shortest",
          .summary = "the job with the least size - aging x wait",
          .reference = "Phipps, Machine repair as a priority waiting-line problem, 1956",
          .environments = {"newenv"}};
}

void Shortest::choose(const park::Ask&, park::ConstRow row, park::Row action) {
  const auto size_s = row[layout_.size_s];
  const auto wait_s = row[layout_.wait_s];
  action.scalar(layout_.next) = least(size_s.size(), [&](std::size_t i) {
    return static_cast<double>(size_s[i]) - aging_ * static_cast<double>(wait_s[i]);
  });
}

}  // namespace project::newenv
