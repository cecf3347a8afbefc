#include "park/plugins/env.h"

#include <cmath>
#include <string>
#include <utility>

namespace park::plugins {

PluginEnv::PluginEnv(std::shared_ptr<const EnvKind> kind,
                     std::shared_ptr<const Configuration> config)
    : PluginEnv(kind, config, config->spec(), create(*kind, *config)) {}

PluginEnv::PluginEnv(std::shared_ptr<const EnvKind> kind,
                     std::shared_ptr<const Configuration> config, Spec spec, Handle env)
    : kind_(std::move(kind)),
      config_(std::move(config)),
      spec_(std::move(spec)),
      env_(std::move(env)),
      row_(spec_.observation),
      action_(Batch(spec_.action)) {
  if (!spec_.metrics.empty() && kind_->calls.metrics == nullptr)
    throw Error(Errc::invalid_space, kind_->who + " has metrics and lacks the function metrics");
}

PluginEnv::Handle PluginEnv::create(const EnvKind& kind, const Configuration& config) {
  ErrorPlace error;
  ParkEnv* env = nullptr;
  error.expect_ok(kind.calls.create(config.get(), &env, error.get()), kind.who);
  return {env, kind.calls.destroy};
}

void PluginEnv::reset(const Episode& e, Row observation) {
  const ParkEpisode episode = plugin::to_park(e);
  error_.expect_ok(kind_->calls.reset(env_.get(), &episode, row_.offer(observation), error_.get()),
                   kind_->who);
  if (sink_) sink_->rethrow();
  row_.take(observation);
}

Outcome PluginEnv::step(ConstRow action, Row observation) {
  ParkOutcome o{sizeof(ParkOutcome), 0, 0, 0, 0, 0};
  error_.expect_ok(
      kind_->calls.step(env_.get(), &action_.of(action), &o, row_.offer(observation), error_.get()),
      kind_->who);
  if (sink_) sink_->rethrow();
  row_.take(observation);
  if (!std::isfinite(o.reward) || !(o.elapsed_s >= 0 && o.elapsed_s < kInf) || o.end < 0 ||
      o.end > PARK_TRUNCATED) [[unlikely]]
    fail_outcome(o);
  return {.reward = o.reward, .elapsed_s = o.elapsed_s, .end = static_cast<End>(o.end)};
}

void PluginEnv::fail_outcome(const ParkOutcome& o) const {
  throw Error(Errc::not_finite, kind_->who + ": a step has the reward " + number_text(o.reward) +
                                    ", took " + number_text(o.elapsed_s) + " s, and its end is " +
                                    std::to_string(o.end) +
                                    "; allowed are a finite reward, a finite time from 0 on, and "
                                    "an end of 0 to 2");
}

void PluginEnv::metrics(std::span<double> values) const {
  if (kind_->calls.metrics == nullptr || values.empty()) return;
  error_.expect_ok(kind_->calls.metrics(env_.get(), values.data(), values.size(), error_.get()),
                   kind_->who);
}

void PluginEnv::events(EventSink* sink) {
  if (kind_->calls.events == nullptr) return;
  auto calls = sink ? std::make_unique<SinkCalls>(*sink) : nullptr;
  kind_->calls.events(env_.get(), calls ? calls->table() : nullptr);
  sink_ = std::move(calls);  // the one before was in use until now
}

std::uint64_t PluginEnv::event_count() const noexcept {
  return kind_->calls.event_count ? kind_->calls.event_count(env_.get()) : 0;
}

std::unique_ptr<Env> PluginEnv::clone() const {
  if (kind_->calls.clone == nullptr || !spec_.traits.cloneable) return nullptr;
  ParkEnv* copy = nullptr;
  error_.expect_ok(kind_->calls.clone(env_.get(), &copy, error_.get()), kind_->who);
  Handle mine(copy, kind_->calls.destroy);
  return std::unique_ptr<Env>(new PluginEnv(kind_, config_, spec_, std::move(mine)));
}

}  // namespace park::plugins
