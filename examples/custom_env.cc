// An environment of one's own: a server whose speed is chosen for each job, where a fast job costs
// energy and a slow one makes the next ones wait (speed scaling: Yao, Demers, Shenker, FOCS 1995).
// Once it is registered, every policy, trainer and benchmark that fits its spaces can use it.
#include <algorithm>
#include <iostream>

#include "park/core/registry.h"

struct SpeedConfig {
  double interval_s = 1;
  bool operator==(const SpeedConfig&) const = default;
  static void fields(auto& self, auto&& visit) {
    park::FieldDoc doc{.doc = "mean time between jobs", .unit = "s", .min = 1e-3, .max = 1e3};
    visit("interval_s", self.interval_s, doc);
  }
};

class Speed final : public park::Env {
 public:
  using Config = SpeedConfig;
  static park::Spec spec(const Config&) {
    park::Spec s{.name = "speed", .summary = "speed of a server", .reference = "Yao et al. 1995"};
    park::Leaf wait{.name = "wait_s", .low = 0, .high = 1e9, .unit = "s", .doc = "until it starts"};
    park::Leaf size{.name = "size", .low = 0, .high = 1e9, .unit = "s", .doc = "work at speed 1"};
    park::Leaf speed{
        .name = "speed", .dtype = park::DType::i32, .low = 1, .high = 4, .doc = "for it"};
    s.observation.leaves = {wait, size};
    s.action.leaves = {speed};
    s.metrics = {{"mean_cost", "s", true, "response time plus size times squared speed / 4"}};
    return s;
  }
  // Names and types are looked up once; from then on a row is plain memory.
  explicit Speed(const Config& config) : interval_s_(config.interval_s) {
    const park::Batch observation(spec(config).observation), action(spec(config).action);
    wait_s_ = observation.field<float>("wait_s");
    size_ = observation.field<float>("size");
    speed_ = action.field<std::int32_t>("speed");
  }
  void reset(const park::Episode& episode, park::Row observation) override {
    inputs_ = park::Rng(episode.inputs);
    jobs_ = now_s_ = free_s_ = cost_ = 0;
    arrive(observation);
  }
  park::Outcome step(park::ConstRow action, park::Row observation) override {
    const double asked_s = now_s_, speed = action.scalar(speed_);
    free_s_ = std::max(free_s_, now_s_) + job_ / speed;
    const double cost = free_s_ - now_s_ + job_ * speed * speed / 4;
    cost_ += cost;
    arrive(observation);
    return {-cost, now_s_ - asked_s, jobs_ > 1000 ? park::End::terminated : park::End::none};
  }
  void metrics(std::span<double> out) const override { out[0] = cost_ / (jobs_ - 1); }

 private:
  // A job's chance is keyed by its number, so it is the same job whatever was done before.
  void arrive(park::Row observation) {
    park::Rng draw = inputs_.split(static_cast<std::uint64_t>(jobs_++));
    now_s_ += draw.exponential(interval_s_);
    job_ = draw.exponential(1);
    observation.scalar(wait_s_) = static_cast<float>(std::max(0.0, free_s_ - now_s_));
    observation.scalar(size_) = static_cast<float>(job_);
  }
  double interval_s_, jobs_ = 0, now_s_ = 0, free_s_ = 0, job_ = 0, cost_ = 0;
  park::Field<float> wait_s_, size_;
  park::Field<std::int32_t> speed_;
  park::Rng inputs_;
};

int main() {
  park::Registry registry;
  registry.add_env<Speed>();
  const park::RandomEpisodes episodes(park::phase_rng(1, park::Phase::evaluate), {.count = 5});
  const auto stream = registry.stream("speed(interval_s=0.8)", episodes);
  park::RandomPolicy policy(stream->spec());
  park::play(*stream, policy, park::Rng(1), [](const park::Decisions& d, const park::Batch&) {
    for (double cost : d.metrics) std::cout << cost << " s per job\n";  // of episodes that ended
  });
}
