#include "park/core/as_system.h"

#include <utility>

namespace park {

AsSystem::AsSystem(Spec spec, std::unique_ptr<Env> env)
    : spec_(std::move(spec)),
      observation_(spec_.observation),
      action_(spec_.action),
      metrics_(spec_.metrics.size()),
      env_(std::move(env)) {
  action_.resize(1);
}

void AsSystem::run(Episodes& episodes, Decider& decider, std::stop_token stop) {
  while (!stop.stop_requested()) {
    const auto e = episodes.next();
    if (!e) return;
    play(*e, decider);
  }
}

void AsSystem::play(const Episode& e, Decider& decider) {
  const Context c = decider.open(e);
  const auto observed = [&] { return std::as_const(observation_).row(0); };
  Outcome o;
  observation_.clear();
  env_->reset(e, observation_.append());
  while (o.end == End::none) {
    const Applied by = decider.decide(c, o, observed(), action_.row(0), kNever);
    if (by == Applied::fallback) {  // without a deadline: only at a stop
      o = {};
      o.end = End::truncated;
      break;
    }
    observation_.clear();
    o = env_->step(std::as_const(action_).row(0), observation_.append());
  }
  env_->metrics(metrics_);
  decider.close(c, o, observed(), metrics_);
}

}  // namespace park
