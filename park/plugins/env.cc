// The host's side of a plug-in's environment: one step by one call, and a Group that steps many. Both
// check what comes back before anybody else sees it.
#include "park/plugins/env.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace park::plugins {
namespace {

[[noreturn]] void fail_outcome(const EnvKind& kind, double reward, double elapsed_s,
                               std::int32_t end) {
  throw Error(Errc::not_finite,
              kind.who + ": a step has the reward " + number_text(reward) + ", took " +
                  number_text(elapsed_s) + " s, and its end is " + std::to_string(end) +
                  "; allowed are a finite reward, a finite time from 0 on, and an end of 0 to 2");
}

/// What a step gave, if a step may give that.
Outcome checked(const EnvKind& kind, double reward, double elapsed_s, std::int32_t end) {
  if (!std::isfinite(reward) || !(elapsed_s >= 0 && elapsed_s < kInf) || end < 0 ||
      end > PARK_TRUNCATED) [[unlikely]]
    fail_outcome(kind, reward, elapsed_s, end);
  return {.reward = reward, .elapsed_s = elapsed_s, .end = static_cast<End>(end)};
}

}  // namespace

EnvForm::EnvForm(std::shared_ptr<const EnvKind> of_kind, const Value& canonical)
    : kind(std::move(of_kind)),
      config(kind, canonical),
      spec(config.spec()),
      observation(spec.observation),
      heads(plugin::byte_fields(Batch(spec.action))) {
  if (!spec.metrics.empty() && kind->calls.metrics == nullptr)
    throw Error(Errc::invalid_space, kind->who + " has metrics and lacks the function metrics");
}

PluginEnv::PluginEnv(const std::shared_ptr<const EnvForm>& form) : PluginEnv(form, create(*form)) {}

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
  return checked(kind, o.reward, o.elapsed_s, o.end);
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

/// Several steps in one call: what a call costs is shared, and so is the check of what is written. The
/// rows of a call fit into the second cache. Calls of fewer rows, for the first one, took longer.
class PluginEnv::Group final : public EnvGroup {
 public:
  Group(std::shared_ptr<const EnvForm> form, std::span<Env* const> envs)
      : form_(std::move(form)),
        observation_(form_->spec.observation.leaves.size()),
        actions_(form_->heads.size()),
        rewards_(envs.size()),
        elapsed_s_(envs.size()),
        ends_(envs.size()) {
    constexpr std::size_t kBytes = 262144;
    std::size_t row = 0;
    for (const Leaf& leaf : form_->spec.observation.leaves) row += leaf.bytes();
    at_once_ = std::max<std::size_t>(kBytes / std::max<std::size_t>(row, 1), 1);
    for (Env* env : envs) envs_.push_back(static_cast<PluginEnv&>(*env).env_.get());
  }

  void step(const Batch& actions, Batch& observation, std::span<Outcome> outcomes) override {
    PARK_ASSERT(actions.rows() == envs_.size() && observation.rows() == envs_.size() &&
                outcomes.size() == envs_.size());
    for (std::size_t first = 0; first < envs_.size(); first += at_once_) {
      const std::size_t n = std::min(at_once_, envs_.size() - first);
      step_some(actions, observation, first, n);
      form_->observation.check_all(observation, first, n);
    }
    for (std::size_t i = 0; i < envs_.size(); ++i)
      outcomes[i] = checked(*form_->kind, rewards_[i], elapsed_s_[i], ends_[i]);
  }

 private:
  void step_some(const Batch& actions, Batch& observation, std::size_t first, std::size_t n) {
    for (std::size_t c = 0; c < actions_.size(); ++c)
      actions_[c] = actions.bytes(form_->heads[c].column, first, n).data();
    for (std::size_t c = 0; c < observation_.size(); ++c)
      observation_[c] = observation.bytes(c, first, n).data();
    const EnvKind& kind = *form_->kind;
    ErrorPlace error;
    error.expect_ok(
        kind.calls.step_many(envs_.data() + first, n, actions_.data(), observation_.data(),
                             rewards_.data() + first, elapsed_s_.data() + first,
                             ends_.data() + first, error.get()),
        kind.who);
  }

  std::shared_ptr<const EnvForm> form_;
  std::size_t at_once_ = 1;
  IdVector<ParkEnv*> envs_;
  IdVector<void*> observation_;
  IdVector<const void*> actions_;
  IdVector<double> rewards_, elapsed_s_;
  IdVector<std::int32_t> ends_;
};

std::unique_ptr<EnvGroup> PluginEnv::group(std::span<Env* const> envs) const {
  if (form_->kind->calls.step_many == nullptr || form_->observation.groups() > 0) return nullptr;
  return std::make_unique<Group>(form_, envs);
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
