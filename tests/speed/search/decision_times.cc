// How long a policy takes for one call of act, on one thread:
//
//     decision_times ENV POLICY BATCH CALLS
//
// BATCH episodes ask at once. Prints the 50th and the 99th percentile over CALLS calls, in microseconds
// per question, as JSON. A tenth as many calls before them are not counted.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#include "park/search/lookahead.h"

namespace {

using namespace park;

/// Sorted times of calls, in microseconds per question.
std::vector<double> times_us(const Registry& registry, const char* env, const char* policy_text,
                             std::uint32_t batch, std::size_t calls) {
  using Clock = std::chrono::steady_clock;
  const RandomEpisodes source(phase_rng(1, Phase::evaluate));
  const auto stream = registry.stream(env, source, {.slots = batch});
  const auto policy = registry.policy(policy_text, stream->spec());
  Batch actions(stream->spec().action);
  std::vector<double> all;
  const std::size_t before = calls / 10;
  for (std::size_t call = 0; call < before + calls; ++call) {
    const Decisions& d = stream->recv();
    actions.clear();
    actions.resize(d.asked.size());
    for (const Ask& a : d.asked)
      if (a.sequence == 0) policy->start(a.slot, a.episode, Rng(1).split(a.episode.id));
    const Clock::time_point start = Clock::now();
    policy->act(d, actions);
    const std::chrono::duration<double, std::micro> took = Clock::now() - start;
    if (call >= before) all.push_back(took.count() / static_cast<double>(d.asked.size()));
    stream->send(actions);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fputs("usage: decision_times ENV POLICY BATCH CALLS\n", stderr);
    return 2;
  }
  Registry registry;
  envs::register_all(registry);
  search::register_policies(registry);
  runs::add_checkpoint_policies(registry);
  const auto calls = static_cast<std::size_t>(std::max(1L, std::atol(argv[4])));
  const auto batch = static_cast<std::uint32_t>(std::clamp(std::atol(argv[3]), 1L, 4096L));
  const std::vector<double> all = times_us(registry, argv[1], argv[2], batch, calls);
  std::printf("{\"p50_us\": %.3f, \"p99_us\": %.3f}\n", all[all.size() / 2],
              all[std::min(all.size() - 1, all.size() * 99 / 100)]);
  return 0;
} catch (const std::exception& e) {
  std::fprintf(stderr, "error: %s\n", e.what());
  return 2;
}
