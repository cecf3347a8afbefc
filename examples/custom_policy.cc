// A policy of one's own, with a field that can be set, played on the same episodes each time: a job
// goes to the server with the least wait + weight x service time. With weight=1 it is the greedy
// choice, shortest_expected_delay; with less, slow servers that stand idle are used more.
#include <iostream>

#include "park/core/registry.h"
#include "park/envs/envs.h"

namespace {

struct WeightedDelayConfig {
  double weight = 1;
  bool operator==(const WeightedDelayConfig&) const = default;
  static void fields(auto& self, auto&& visit) {
    visit("weight", self.weight,
          park::FieldDoc{.doc = "of the service time against the wait", .min = 0, .max = 100});
  }
};

class WeightedDelay final : public park::Policy {
 public:
  using Config = WeightedDelayConfig;

  static park::PolicyInfo info() {
    return {.name = "weighted_delay",
            .summary = "the least drain time + weight x service time",
            .reference = "an example of park",
            .environments = {"load_balance"}};
  }

  // Leaves are looked up by name and type once. Everything they mean is told by
  // `park describe load_balance`.
  WeightedDelay(const Config& config, const park::Spec& spec)
      : weight_(static_cast<float>(config.weight)) {
    const park::Batch observation(spec.observation), action(spec.action);
    drain_s_ = observation.field<float>("server.drain_s");
    rate_ = observation.field<float>("server.rate");
    size_ = observation.field<float>("job.size");
    server_ = action.field<std::int32_t>("server");
  }

  // Row i of the actions answers row i of the observations; rows are from different episodes.
  void act(const park::Decisions& d, park::Batch& actions) override {
    for (std::size_t i = 0; i < d.asked.size(); ++i) {
      const park::ConstRow row = d.observation.row(i);
      const auto cost = [&](std::size_t s) {
        return row[drain_s_][s] + weight_ * row.scalar(size_) / row[rate_][s];
      };
      std::size_t best = 0;
      for (std::size_t s = 1; s < row[rate_].size(); ++s)
        if (cost(s) < cost(best)) best = s;
      actions.row(i).scalar(server_) = static_cast<std::int32_t>(best);
    }
  }

 private:
  float weight_;
  park::Field<float> drain_s_, rate_, size_;
  park::Field<std::int32_t> server_;
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
    double sum_s = 0;  // avg_response_s is the first metric of load_balance
    park::play(*stream, *policy, park::Rng(1), [&](const park::Decisions& d, const park::Batch&) {
      if (!d.ended.empty()) sum_s += d.metrics[0];
    });
    std::cout << registry.canonical_policy(text) << ": " << sum_s / 200 << " s\n";
  }
}
