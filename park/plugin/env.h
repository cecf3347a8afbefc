// The table of an environment's class. A ParkEnv holds the environment, and a batch of one row for
// each of its records. Columns without group are in the host's memory while the environment writes
// them, so nothing is copied. Columns of groups are in the batch, and the host copies them.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "park/core/env.h"
#include "park/plugin/configured.h"
#include "park/plugin/rows.h"
#include "park/plugin/to_host_sink.h"

namespace park::plugin {

/// What a ParkEnv is.
class Played {
 public:
  Played(std::unique_ptr<Env> env, const Record& observation, const Record& action)
      : env_(std::move(env)),
        observation_(observation),
        action_(action),
        fields_(byte_fields(observation_)),
        ragged_(!observation.groups.empty()) {
    observation_.append();
    action_.resize(1);
    for (std::size_t c = 0; c < action_.columns(); ++c) choices_.push_back(action_.bytes(c, 0, 1));
  }

  [[nodiscard]] static Played& of(ParkEnv* e) noexcept { return *reinterpret_cast<Played*>(e); }
  [[nodiscard]] static const Played& of(const ParkEnv* e) noexcept {
    return *reinterpret_cast<const Played*>(e);
  }

  void reset(const ParkEpisode& episode, ParkNewRow& to) {
    env_->reset(from_park(copied(episode)), begin(to));
    finish(to);
  }
  void step(const ParkRow& action, ParkOutcome& outcome, ParkNewRow& to) {
    for (std::size_t h = 0; h < choices_.size(); ++h)
      std::memcpy(choices_[h].data(), action.columns[h], choices_[h].size());
    const Outcome o = env_->step(std::as_const(action_).row(0), begin(to));
    outcome.reward = o.reward;
    outcome.elapsed_s = o.elapsed_s;
    outcome.end = static_cast<std::int32_t>(o.end);
    finish(to);
  }
  /// Steps many environments where the host wants their rows: the first one has batches that are views
  /// of the host's columns.
  static void step_many(std::span<ParkEnv* const> envs, const void* const* actions,
                        void* const* observation, double* rewards, double* elapsed_s,
                        std::int32_t* ends) {
    Played& first = of(envs[0]);
    if (!first.views_) first.views_ = std::make_unique<Views>(first);
    Batch& rows = first.views_->observation;
    Batch& choices = first.views_->action;
    Lending::set_rows(rows, envs.size(), nullptr);
    Lending::set_rows(choices, envs.size(), nullptr);
    for (std::size_t c = 0; c < rows.columns(); ++c) Lending::place(rows, c, observation[c]);
    for (std::size_t c = 0; c < choices.columns(); ++c)
      Lending::place(choices, c, const_cast<void*>(actions[c]));
    for (std::size_t i = 0; i < envs.size(); ++i) {
      const Outcome o = of(envs[i]).env_->step(std::as_const(choices).row(i), rows.row(i));
      rewards[i] = o.reward;
      elapsed_s[i] = o.elapsed_s;
      ends[i] = static_cast<std::int32_t>(o.end);
    }
  }
  void metrics(std::span<double> values) const { env_->metrics(values); }
  [[nodiscard]] std::uint64_t event_count() const noexcept { return env_->event_count(); }
  void events(const ParkSink* sink) {
    if (sink == nullptr) return env_->events(nullptr);
    sink_.emplace(*sink);
    env_->events(&*sink_);
  }
  /// nullptr if it has no copies.
  [[nodiscard]] std::unique_ptr<Played> clone() const {
    std::unique_ptr<Env> copy = env_->clone();
    if (!copy) return nullptr;
    return std::make_unique<Played>(std::move(copy), observation_.record(), action_.record());
  }

 private:
  /// The empty row, in the host's memory as far as it has no groups.
  [[nodiscard]] Row begin(const ParkNewRow& to) {
    if (ragged_) {
      observation_.clear();
      observation_.append();
    }
    for (const auto& f : fields_)
      if (f.group < 0) Lending::place(observation_, f.column, to.columns[f.column]);
    return observation_.row(0);
  }
  /// Hands out the columns of groups.
  void finish(ParkNewRow& to) {
    if (!ragged_) return;
    const Row row = observation_.row(0);
    for (std::size_t g = 0; g < observation_.record().groups.size(); ++g)
      to.counts[g] = row.count({static_cast<std::int32_t>(g)});
    for (const auto& f : fields_)
      if (f.group >= 0) to.columns[f.column] = row[f].data();
  }

  struct Views {
    explicit Views(const Played& p)
        : observation(p.observation_.record()), action(p.action_.record()) {}
    Batch observation, action;
  };

  std::unique_ptr<Env> env_;
  Batch observation_, action_;
  std::unique_ptr<Views> views_;            // of the first of many
  IdVector<Field<std::uint8_t>> fields_;    // of the observation
  IdVector<std::span<std::byte>> choices_;  // [heads] the row of the action
  std::optional<ToHostSink> sink_;
  bool ragged_;
};

namespace detail {

template <class E>
std::int32_t create_env(const ParkConfig* config, ParkEnv** env, ParkError* error) {
  return guarded(error, [&] {
    const auto& c = Configured<E>::of(config).config;
    const Spec spec = E::spec(c);
    *env = reinterpret_cast<ParkEnv*>(
        std::make_unique<Played>(std::make_unique<E>(c), spec.observation, spec.action).release());
  });
}

inline std::int32_t clone_env(const ParkEnv* env, ParkEnv** copy, ParkError* error) {
  return guarded(error, [&] {
    auto made = Played::of(env).clone();
    if (!made) throw Error(Errc::unavailable, "the environment makes no copy of itself");
    *copy = reinterpret_cast<ParkEnv*>(made.release());
  });
}

}  // namespace detail

/// The table of a class with the members that Registry::add_env asks for. It is in the memory.
template <class E>
[[nodiscard]] const ParkEnvType* env_type(Memory& memory) {
  auto table = sized<ParkEnvType>();
  set_common<E>(table, memory);
  table.create = &detail::create_env<E>;
  table.destroy = [](ParkEnv* env) { delete &Played::of(env); };
  table.reset = [](ParkEnv* env, const ParkEpisode* episode, ParkNewRow* row, ParkError* error) {
    return guarded(error, [&] { Played::of(env).reset(*episode, *row); });
  };
  table.step = [](ParkEnv* env, const ParkRow* action, ParkOutcome* outcome, ParkNewRow* row,
                  ParkError* error) {
    return guarded(error, [&] { Played::of(env).step(*action, *outcome, *row); });
  };
  table.metrics = [](ParkEnv* env, double* values, std::uint64_t count, ParkError* error) {
    return guarded(error, [&] { Played::of(env).metrics({values, count}); });
  };
  table.event_count = [](const ParkEnv* env) { return Played::of(env).event_count(); };
  table.events = [](ParkEnv* env, const ParkSink* sink) { Played::of(env).events(sink); };
  table.clone = &detail::clone_env;
  table.step_many = [](ParkEnv* const* envs, std::uint64_t count, const void* const* actions,
                       void* const* observation, double* rewards, double* elapsed_s,
                       std::int32_t* ends, ParkError* error) {
    return guarded(error, [&] {
      Played::step_many({envs, count}, actions, observation, rewards, elapsed_s, ends);
    });
  };
  return memory.keep(table);
}

}  // namespace park::plugin
