// A policy of one's own, with a field that can be set, played on the same episodes each time: a job
// goes to the server with the least wait + weight x service time. With weight=1 it is the greedy
// choice, shortest_expected_delay; with less, slow servers that stand idle are used more.
#include <iostream>

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/envs/load_balance/layout.h"

namespace {

struct WeightedDelayConfig {
  double weight = 1;
  bool operator==(const WeightedDelayConfig&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("weight", self.weight,
          park::FieldDoc{.doc = "of the service time against the wait", .min = 0, .max = 100});
  }
};

class WeightedDelay final : public park::RowPolicy {
 public:
  using Config = WeightedDelayConfig;

  static park::PolicyInfo info() {
    return {.name = "weighted_delay",
            .summary = "the least drain time + weight x service time",
            .reference = "an example of park",
            .environments = {"load_balance"}};
  }

  // The layout of the environment finds its leaves in the spec; `park describe load_balance` tells
  // what they mean. One that is missing is an error here, by name.
  WeightedDelay(const Config& config, const park::Spec& spec)
      : weight_(static_cast<float>(config.weight)),
        layout_(park::bind_layout<park::load_balance::ServersLayout>(spec)) {}

 private:
  // Answers one question. The next one may be of another episode.
  void choose(const park::Ask&, park::ConstRow row, park::Row action) override {
    const auto cost = [&](std::size_t s) {
      return row[layout_.drain_s][s] + weight_ * row.scalar(layout_.size) / row[layout_.rate][s];
    };
    std::size_t best = 0;
    for (std::size_t s = 1; s < row[layout_.rate].size(); ++s)
      if (cost(s) < cost(best)) best = s;
    action.scalar(layout_.server) = static_cast<std::int32_t>(best);
  }

  float weight_;
  park::load_balance::ServersLayout layout_;
};

}  // namespace

int main() {
  park::Registry registry;
  park::envs::register_all(registry);
  registry.add_policy<WeightedDelay>();
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate), {.count = 200});
  for (const char* text : {"weighted_delay", "weighted_delay(weight=0.5)"}) {
    const auto stream = registry.stream("load_balance", episodes);
    const auto policy = registry.policy(text, stream->spec());
    const std::size_t metric = stream->spec().metric("avg_response_s");
    double sum_s = 0;
    park::play(*stream, *policy, park::Rng(1), [&](const auto& d, const auto&) {
      if (!d.ended.empty()) sum_s += d.metrics_of(0)[metric];  // one at a time
    });
    std::cout << registry.canonical_policy(text) << ": " << sum_s / 200 << " s\n";
  }
}
