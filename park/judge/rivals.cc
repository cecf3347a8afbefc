#include "park/judge/rivals.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "park/bench/play_stream.h"
#include "park/bench/suite.h"
#include "park/bench/summary.h"
#include "park/core/episodes.h"
#include "park/core/error.h"
#include "park/core/text.h"

namespace park::judge {
namespace {

constexpr const char* kRandom = "random";
constexpr std::uint32_t kSlots = 8;

/// Fields that two texts of one environment give differently.
std::size_t differing_fields(const Value& a, const Value& b) {
  const auto lacks = [](const Value& from, const Value& in) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < from.keys.size(); ++i) {
      const auto at = std::ranges::find(in.keys, from.keys[i]) - in.keys.begin();
      const auto place = static_cast<std::size_t>(at);
      if (place == in.keys.size() || !(in.items[place] == from.items[i])) ++n;
    }
    return n;
  };
  return lacks(a, b) + lacks(b, a);
}

/// The suite's environment that differs from this one in the fewest fields; of several the one with the
/// most learned policies.
std::optional<bench::SuiteEnv> suite_env(const Registry& registry, const EnvOfText& env) {
  std::optional<bench::SuiteEnv> found;
  std::pair<std::size_t, std::ptrdiff_t> least;
  const Value mine = parse_named(env.text());
  for (const std::string& name : bench::bundled_suites())
    for (bench::SuiteEnv& one : bench::read_suite(name).environments) {
      if (one.name != env.name()) continue;
      const std::pair order(differing_fields(mine, parse_named(registry.canonical_env(one.text()))),
                            -std::ssize(one.policies));
      if (found && order >= least) continue;
      found = std::move(one);
      least = order;
    }
  return found;
}

}  // namespace

const char* to_text(Rival::Role role) noexcept {
  switch (role) {
    case Rival::Role::random:
      return "random";
    case Rival::Role::heuristic:
      return "heuristic";
    case Rival::Role::learned:
      return "learned";
    default:
      return "bound";
  }
}

std::vector<Rival> rivals_of(const Registry& registry, const EnvOfText& env) {
  using Role = Rival::Role;
  std::vector<Rival> all{{.policy = kRandom, .role = Role::random}};
  const auto add = [&](const std::string& policy, Role role) {
    if (std::ranges::find(all, policy, &Rival::policy) == all.end())
      all.push_back({.policy = policy, .role = role});
  };
  if (const auto suite = suite_env(registry, env)) {
    for (const std::string& policy : suite->baselines) add(policy, Role::heuristic);
    for (const std::string& policy : suite->policies)
      add(policy, policy == suite->bound ? Role::bound : Role::learned);
  } else {
    for (const std::string& policy : registry.policies_for(env.spec()))
      add(policy, Role::heuristic);
  }
  return all;
}

std::string bound_of(const Registry& registry, const EnvOfText& env) {
  const auto suite = suite_env(registry, env);
  return suite ? suite->bound : "";
}

void play_rival(const Registry& registry, const EnvOfText& env,
                const std::vector<Episode>& episodes, std::size_t metric, Rival& rival) {
  const auto policy = registry.policy(rival.policy, env.spec());
  const FixedEpisodes source(episodes);
  const auto slots = static_cast<std::uint32_t>(
      std::min<std::size_t>({policy->most_slots(), kSlots, episodes.size()}));
  const auto stream = env.stream(source, {.slots = slots});
  std::vector<bench::EpisodeResult> results;
  static_cast<void>(bench::play_stream(*stream, *policy, Rng(0).split("judge").split("actions"),
                                       results, [](std::size_t, std::size_t) { return true; }));
  std::ranges::sort(results, {}, &bench::EpisodeResult::id);
  rival.values = bench::metric_values(results, metric);
  rival.mean = bench::summarize(rival.values).mean;
}

Anchors anchors_of(const std::vector<Rival>& all, bool lower_is_better) {
  Anchors anchors;
  std::optional<std::size_t> best;
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r].role == Rival::Role::random) anchors.random = r;
    if (all[r].role != Rival::Role::heuristic || !std::isfinite(all[r].mean)) continue;
    const bool better =
        !best || (lower_is_better ? all[r].mean < all[*best].mean : all[r].mean > all[*best].mean);
    if (better) best = r;
  }
  if (!best)
    throw Error(Errc::unavailable,
                "no heuristic has a defined mean on these inputs to compare with");
  anchors.best = *best;
  return anchors;
}

}  // namespace park::judge
