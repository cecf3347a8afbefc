#pragma once

#include <cstdint>
#include <string>

#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/search/lookahead.h"

namespace park::test {

/// The rewards of some episodes, added up. `lookahead` is a policy, too.
inline double total_reward(const std::string& env, const std::string& policy,
                           std::uint64_t episodes) {
  Registry registry;
  envs::register_all(registry);
  search::register_policies(registry);
  const RandomEpisodes source(phase_rng(1, Phase::evaluate), {.count = episodes});
  const auto stream = registry.stream(env, source);
  const auto player = registry.policy(policy, stream->spec());
  double sum = 0;
  play(*stream, *player, Rng(1), [&](const Decisions& d, const Batch&) {
    for (const Ended& e : d.ended) sum += e.last.reward;
    for (const Ask& a : d.asked) sum += a.since_last.reward;
  });
  return sum;
}

}  // namespace park::test
