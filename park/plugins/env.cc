#include "park/plugins/env.h"

#include <cmath>
#include <string>
#include <utility>

namespace park::plugins {

EnvForm::EnvForm(std::shared_ptr<const EnvKind> of_kind, const Value& canonical)
    : kind(std::move(of_kind)),
      config(kind, canonical),
      spec(config.spec()),
      observation(spec.observation),
      heads(plugin::byte_fields(Batch(spec.action))) {
  if (!spec.metrics.empty() && kind->calls.metrics == nullptr)
    throw Error(Errc::invalid_space, kind->who + " has metrics and lacks the function metrics");
}

PluginEnv::PluginEnv(std::shared_ptr<const EnvForm> form) : PluginEnv(form, create(*form)) {}

PluginEnv::PluginEnv(std::shared_ptr<const EnvForm> form, Handle env)
    : form_(std::move(form)),
      env_(std::move(env)),
      row_(form_->observation),
      choices_(form_->heads.size()) {
  action_ = {sizeof(ParkRow), choices_.data(), nullptr};
}

PluginEnv::Handle PluginEnv::create(const EnvForm& form) {
  const ParkEnvType& calls = form.kind->calls;
  ErrorPlace error;
  ParkEnv* env = nullptr;
  error.expect_ok(calls.create(form.config.get(), &env, error.get()), form.kind->who);
  return {env, calls.destroy};
}

const ParkRow& PluginEnv::pointers_of(ConstRow action) noexcept {
  for (std::size_t h = 0; h < choices_.size(); ++h) choices_[h] = action[form_->heads[h]].data();
  return action_;
}

void PluginEnv::reset(const Episode& e, Row observation) {
  const EnvKind& kind = *form_->kind;
  const ParkEpisode episode = plugin::to_park(e);
  ErrorPlace error;
  form_->observation.offer(observation, row_.get());
  error.expect_ok(kind.calls.reset(env_.get(), &episode, &row_.get(), error.get()), kind.who);
  if (sink_) sink_->rethrow();
  form_->observation.take(observation, row_.get());
}

Outcome PluginEnv::step(ConstRow action, Row observation) {
  const EnvKind& kind = *form_->kind;
  ParkOutcome o{sizeof(ParkOutcome), 0, 0, 0, 0, 0};
  ErrorPlace error;
  form_->observation.offer(observation, row_.get());
  error.expect_ok(kind.calls.step(env_.get(), &pointers_of(action), &o, &row_.get(), error.get()),
                  kind.who);
  if (sink_) sink_->rethrow();
  form_->observation.take(observation, row_.get());
  if (!std::isfinite(o.reward) || !(o.elapsed_s >= 0 && o.elapsed_s < kInf) || o.end < 0 ||
      o.end > PARK_TRUNCATED) [[unlikely]]
    fail_outcome(o);
  return {.reward = o.reward, .elapsed_s = o.elapsed_s, .end = static_cast<End>(o.end)};
}

void PluginEnv::fail_outcome(const ParkOutcome& o) const {
  throw Error(Errc::not_finite, form_->kind->who + ": a step has the reward " +
                                    number_text(o.reward) + ", took " + number_text(o.elapsed_s) +
                                    " s, and its end is " + std::to_string(o.end) +
                                    "; allowed are a finite reward, a finite time from 0 on, and "
                                    "an end of 0 to 2");
}

void PluginEnv::metrics(std::span<double> values) const {
  const EnvKind& kind = *form_->kind;
  if (kind.calls.metrics == nullptr || values.empty()) return;
  ErrorPlace error;
  error.expect_ok(kind.calls.metrics(env_.get(), values.data(), values.size(), error.get()),
                  kind.who);
}

void PluginEnv::events(EventSink* sink) {
  const ParkEnvType& types = form_->kind->calls;
  if (types.events == nullptr) return;
  auto calls = sink ? std::make_unique<SinkCalls>(*sink) : nullptr;
  types.events(env_.get(), calls ? calls->table() : nullptr);
  sink_ = std::move(calls);  // the one before was in use until now
}

std::uint64_t PluginEnv::event_count() const noexcept {
  const ParkEnvType& calls = form_->kind->calls;
  return calls.event_count ? calls.event_count(env_.get()) : 0;
}

std::unique_ptr<Env> PluginEnv::clone() const {
  const EnvKind& kind = *form_->kind;
  if (kind.calls.clone == nullptr || !form_->spec.traits.cloneable) return nullptr;
  ErrorPlace error;
  ParkEnv* copy = nullptr;
  error.expect_ok(kind.calls.clone(env_.get(), &copy, error.get()), kind.who);
  Handle mine(copy, kind.calls.destroy);
  return std::unique_ptr<Env>(new PluginEnv(form_, std::move(mine)));
}

}  // namespace park::plugins
