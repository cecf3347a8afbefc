#include "park/envs/dl_inference/server_policies.h"

#include <algorithm>
#include <cmath>

namespace park::dl_inference {

PolicyInfo Clipper::info() {
  return {.name = "clipper",
          .summary = "the oldest request first, with limits of the batch that follow the latency",
          .reference = "Crankshaw et al., Clipper, NSDI 2017, section 4.3.1",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Clipper::answer(const Choices& c, std::uint32_t slot) {
  const std::size_t e = c.best([&](std::size_t at) { return c.oldest_s(at); });
  double& limit = limits_[slot].of[c.app(e)];
  const double batch = std::min(std::max(1.0, std::floor(limit)), c.batch(e));
  if (c.latency_s(e, batch) > c.deadline_s(e, config_.target))
    limit = std::max(1.0, limit * config_.backoff);
  else if (batch >= std::floor(limit))
    limit = std::min<double>(limit + config_.increase, kMaxBatch);
  return {e, batch};
}

PolicyInfo Clockwork::info() {
  return {.name = "clockwork",
          .summary = "the earliest deadline first, with the largest batch that meets it",
          .reference = "Gujarati et al., Serving DNNs like Clockwork, OSDI 2020, section 5.3",
          .environments = {kDlInferenceName}};
}

/// By bisection, since latencies rise with the batch; at least 1.
double Clockwork::largest_within(const Choices& c, std::size_t e, double time_s) noexcept {
  double low = 1, high = std::clamp(c.batch(e), 1.0, kLargest);
  while (low < high) {
    const double middle = std::ceil((low + high) / 2);
    if (c.latency_s(e, middle) <= time_s)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

ChoicePolicy::Answer Clockwork::answer(const Choices& c, std::uint32_t) {
  const auto left_s = [&](std::size_t e) { return c.deadline_s(e, config_.d) - c.oldest_s(e); };
  const std::size_t e = c.best([&](std::size_t at) { return -left_s(at); });
  if (c.single_s(e) > left_s(e)) return {e};
  return {e, largest_within(c, e, left_s(e))};
}

PolicyInfo Triton::info() {
  return {.name = "triton",
          .summary = "the oldest request first, with the largest batch and a delay at most",
          .reference = "NVIDIA Triton Inference Server, dynamic batcher",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Triton::answer(const Choices& c, std::uint32_t) {
  const auto ready = [&](std::size_t e) { return c.full(e) || c.oldest_s(e) >= config_.delay_s; };
  const std::size_t e = c.best([&](std::size_t at) { return ready(at) ? c.oldest_s(at) : -1; });
  return ready(e) ? Answer{e}
                  : wait_or(c, {c.best([&](std::size_t at) { return c.oldest_s(at); })});
}

}  // namespace park::dl_inference
