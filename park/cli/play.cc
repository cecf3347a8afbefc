#include "park/cli/play.h"

#include <algorithm>
#include <chrono>

#include "park/cli/interrupt.h"

namespace park::cli {
namespace {

// One number for every worker count: a network's outputs may depend on the rows of a batch.
constexpr std::uint32_t kSlots = 16;
// How long an interrupt may go unseen while a running system asks nothing.
constexpr auto kLook = std::chrono::milliseconds(100);

/// A part of a run whose episodes keep their numbers.
class Slice final : public EpisodeSource {
 public:
  Slice(const EpisodeSource& source, std::uint64_t first, std::uint64_t count)
      : source_(&source), first_(first), count_(count) {}
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override {
    return k < count_ ? source_->at(first_ + k) : std::nullopt;
  }

 private:
  const EpisodeSource* source_;
  std::uint64_t first_, count_;
};

/// Adds up what a stream delivers.
class Collector {
 public:
  Collector(std::size_t metrics, std::vector<EpisodeResult>& results)
      : metrics_(metrics), results_(&results) {}

  void add(const Decisions& d) {
    for (std::size_t i = 0; i < d.ended.size(); ++i) {
      const Ended& ended = d.ended[i];
      double& reward = reward_of(ended.slot);
      const auto* first = d.metrics.data() + i * metrics_;
      results_->push_back({.id = ended.episode.id,
                           .decisions = ended.decisions,
                           .events = ended.events,
                           .reward = reward + ended.last.reward,
                           .metrics = {first, first + metrics_}});
      reward = 0;
    }
    for (const Ask& ask : d.asked) reward_of(ask.slot) += ask.since_last.reward;
  }

 private:
  double& reward_of(std::uint32_t slot) {
    if (slot >= rewards_.size()) rewards_.resize(slot + 1);
    return rewards_[slot];
  }

  std::size_t metrics_;
  std::vector<EpisodeResult>* results_;
  std::vector<double> rewards_;  // per slot, of the episode that it plays
};

}  // namespace

void play_stream(Stream& stream, Policy& policy, const Rng& run,
                 std::vector<EpisodeResult>& results, Progress& progress) {
  Collector collector(stream.spec().metrics.size(), results);
  Batch actions(stream.spec().action);
  while (interrupted() == 0) {
    const Decisions& d = stream.recv(Clock::now() + kLook);
    collector.add(d);
    progress.advance(d.ended.size(), d.asked.size());
    if (d.done) return;
    actions.clear();
    actions.resize(d.asked.size());
    for (const Ask& ask : d.asked)
      if (ask.sequence == 0) policy.start(ask.slot, ask.episode, run.split(ask.episode.id));
    if (!d.asked.empty()) policy.act(d, actions);
    stream.send(actions);
  }
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
    const Slice slice(episodes, first, count);
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
