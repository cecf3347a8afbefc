#include "park/bench/play_stream.h"

#include <chrono>

namespace park::bench {
namespace {

// How long a wish to stop may go unseen while a running system asks nothing.
constexpr auto kLook = std::chrono::milliseconds(100);

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

bool play_stream(Stream& stream, Policy& policy, const Rng& run,
                 std::vector<EpisodeResult>& results, const OnRound& on_round) {
  Collector collector(stream.spec().metrics.size(), results);
  Batch actions(stream.spec().action);
  for (;;) {
    const Decisions& d = stream.recv(Clock::now() + kLook);
    collector.add(d);
    const bool go_on = on_round(d.ended.size(), d.asked.size());
    if (d.done) return true;
    if (!go_on) return false;
    actions.clear();
    actions.resize(d.asked.size());
    for (const Ask& ask : d.asked)
      if (ask.sequence == 0) policy.start(ask.slot, ask.episode, run.split(ask.episode.id));
    if (!d.asked.empty()) policy.act(d, actions);
    stream.send(actions);
  }
}

}  // namespace park::bench
