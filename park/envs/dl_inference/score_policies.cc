#include "park/envs/dl_inference/score_policies.h"

#include <cmath>

namespace park::dl_inference {
namespace {

/// Exponents of 0 and 1 are exact and cheap.
double power(double base, double exponent) {
  if (exponent == 0) return 1;
  return exponent == 1 ? base : std::pow(base, exponent);
}

}  // namespace

PolicyInfo MaxSlowdown::info() {
  return {.name = "max_slowdown",
          .summary = "the application whose oldest request would have the largest slowdown",
          .reference = "greedy on the slowdown of DyBatch, CCGRID 2020",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer MaxSlowdown::answer(const Choices& c, std::uint32_t) {
  return {c.best([&](std::size_t e) {
    return (c.oldest_s(e) + config_.latency * c.full_s(e)) / c.single_s(e);
  })};
}

PolicyInfo Wspt::info() {
  return {.name = "wspt",
          .summary = "the batch with the most weight per second of the device",
          .reference = "Smith, Various optimizers for single-stage production, 1956",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Wspt::answer(const Choices& c, std::uint32_t) {
  return {c.best([&](std::size_t e) {
    return c.batch(e) * c.weight(e) / (power(c.single_s(e), config_.q) * c.full_s(e));
  })};
}

PolicyInfo Aged::info() {
  return {.name = "aged",
          .summary = "the batch with the most aged slowdown per second of the device",
          .reference = "own rule",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Aged::answer(const Choices& c, std::uint32_t) {
  return {c.best([&](std::size_t e) {
    const double sum = c.batch(e) * c.mean_age(e, config_.p);
    return c.weight(e) / c.rate(e) / c.single_s(e) * sum / c.full_s(e);
  })};
}

PolicyInfo Index::info() {
  return {.name = "index",
          .summary = "an index of five exponents of age, batch, rate and latencies",
          .reference = "own rule",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Index::answer(const Choices& c, std::uint32_t) {
  const Config& x = config_;
  return {c.best([&](std::size_t e) {
    return c.mean_age(e, x.p) * power(c.batch(e), x.d) /
           (power(c.rate(e), x.e) * power(c.single_s(e), x.q) * power(c.full_s(e), x.r));
  })};
}

PolicyInfo Edf::info() {
  return {.name = "edf",
          .summary = "the application whose oldest request has the earliest deadline",
          .reference =
              "Liu, Layland, Scheduling algorithms for multiprogramming in a "
              "hard-real-time environment, 1973",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Edf::answer(const Choices& c, std::uint32_t) {
  return {c.best([&](std::size_t e) { return c.oldest_s(e) - c.deadline_s(e, config_.d); })};
}

PolicyInfo LeastSlack::info() {
  return {.name = "least_slack",
          .summary = "the application whose oldest request has the least time left after its batch",
          .reference =
              "Mok, Fundamental design problems of distributed systems for the "
              "hard-real-time environment, 1983",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer LeastSlack::answer(const Choices& c, std::uint32_t) {
  return {c.best(
      [&](std::size_t e) { return c.oldest_s(e) + c.full_s(e) - c.deadline_s(e, config_.d); })};
}

}  // namespace park::dl_inference
