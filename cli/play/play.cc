#include "cli/play/play.h"

#include <algorithm>

#include "cli/frame/interrupt.h"

namespace park::cli {
namespace {

// One number for every worker count: a network's outputs may depend on the rows of a batch.
constexpr std::uint32_t kSlots = 16;

}  // namespace

const std::vector<std::string>& phase_names() {
  static const std::vector<std::string> names{"train", "validate", "evaluate"};
  return names;
}

std::string phase_name(Phase phase) { return phase_names().at(static_cast<std::size_t>(phase)); }

Phase phase_of(const std::string& name) {
  const auto& names = phase_names();
  return static_cast<Phase>(std::ranges::find(names, name) - names.begin());
}

void play_stream(Stream& stream, Policy& policy, const Rng& run,
                 std::vector<EpisodeResult>& results, Progress& progress) {
  bench::play_stream(stream, policy, run, results, [&](std::size_t ended, std::size_t asked) {
    progress.advance(ended, asked);
    return interrupted() == 0;
  });
}

PolicyResult play_policy(const Registry& registry, const PlayPlan& plan, const std::string& text,
                         Policy& policy, EventSink* first_episode, Progress& progress) {
  PolicyResult result{.policy = text, .episodes = {}};
  const double begin_s = monotonic_s();
  const Rng phase = phase_rng(plan.seed, plan.phase);
  const RandomEpisodes episodes(phase);
  const Rng run = phase.split("actions");
  const std::uint64_t apart = first_episode == nullptr ? 0 : 1;
  auto play_some = [&](std::uint64_t first, std::uint64_t count, StreamOptions options) {
    if (count == 0 || interrupted() != 0) return;
    const EpisodeSlice slice(episodes, first, count);
    const auto stream = registry.stream(plan.env, slice, options);
    play_stream(*stream, policy, run, result.episodes, progress);
  };
  play_some(0, apart, {.events = first_episode});
  const std::uint64_t rest = plan.episodes - apart;
  const std::uint32_t most = plan.system ? 1 : std::min(kSlots, policy.most_slots());
  const auto slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, rest));
  play_some(apart, rest, {.slots = slots, .workers = plan.workers});
  std::ranges::stable_sort(result.episodes, {}, &EpisodeResult::id);
  result.wall_s = monotonic_s() - begin_s;
  return result;
}

}  // namespace park::cli
