#include "park/envs/dl_inference/share_policies.h"

#include <algorithm>
#include <cmath>

namespace park::dl_inference {

ChoicePolicy::Answer TurnPolicy::answer(const Choices& c, std::uint32_t slot) {
  std::size_t& last = turns_[slot].last;
  auto next = c.next_after(last, [&](std::size_t e) { return ready(c, e); });
  if (!next) {
    if (const auto wait = c.waiting()) return {*wait, 0};
    next = c.next_after(last, [](std::size_t) { return true; });
  }
  last = c.app(*next);
  return {*next, batch(c, *next)};
}

PolicyInfo Rr::info() {
  return {.name = "rr",
          .summary = "the applications in turn, a batch when it is full or has waited long enough",
          .reference = "Olston et al., TensorFlow-Serving, 2017; its batching guide",
          .environments = {kDlInferenceName}};
}

PolicyInfo Nexus::info() {
  return {.name = "nexus",
          .summary = "the applications in turn, a batch for the arrivals of a duty cycle",
          .reference = "Shen et al., Nexus, SOSP 2019, section 6.1",
          .environments = {kDlInferenceName}};
}

double Nexus::batch(const Choices& c, std::size_t e) const {
  return std::clamp(std::floor(c.rate(e) * config_.cycle_s), 1.0, kLargest);
}

PolicyInfo LowestUtil::info() {
  return {.name = "lowest_util",
          .summary = "the application that has used the device least",
          .reference = "Zhang et al., DyBatch, CCGRID 2020",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer LowestUtil::answer(const Choices& c, std::uint32_t) {
  return {c.best([&](std::size_t e) {
    const double used_s = config_.window == "episode"  ? c.used_s(e)
                          : config_.window == "second" ? c.used_second_s(e)
                                                       : c.used_tenth_s(e);
    return -used_s / c.weight(e);
  })};
}

PolicyInfo Sfq::info() {
  return {.name = "sfq",
          .summary = "start-time fair queueing of device time",
          .reference = "Goyal, Vin, Cheng, Start-time fair queueing, 1997",
          .environments = {kDlInferenceName}};
}

ChoicePolicy::Answer Sfq::answer(const Choices& c, std::uint32_t slot) {
  Tags& tags = tags_[slot];
  const auto start_tag = [&](std::size_t e) {
    return std::max(tags.virtual_s - config_.credit_s, tags.end_s[c.app(e)]);
  };
  const std::size_t e = c.best([&](std::size_t at) { return -start_tag(at); });
  const double start_s = start_tag(e);
  tags.virtual_s = std::max(tags.virtual_s, start_s);
  tags.end_s[c.app(e)] = start_s + c.full_s(e) / c.weight(e);
  return {e};
}

}  // namespace park::dl_inference
