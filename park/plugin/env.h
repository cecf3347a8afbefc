// The table of an environment's class. A ParkEnv holds the environment, and a batch of one row for
// each of its records. Columns without group are in the host's memory while the environment writes
// them, so nothing is copied. Columns of groups are in the batch, and the host copies them.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <utility>

#include "park/core/env.h"
#include "park/plugin/configured.h"
#include "park/plugin/rows.h"
#include "park/plugin/to_host_sink.h"

namespace park::plugin {

/// What a ParkEnv is. What many steps touch is in front of the environment, and all else elsewhere.
/// An environment among hundreds is out of the nearest cache when its step comes.
class Played {
 public:
  /// A copy of an environment.
  Played(std::unique_ptr<Env> env, const Record& observation, const Record& action)
      : Played(*env, observation, action) {
    copy_ = std::move(env);
  }
  virtual ~Played() = default;
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

  [[nodiscard]] static Played& of(ParkEnv* e) noexcept { return *reinterpret_cast<Played*>(e); }
  [[nodiscard]] static const Played& of(const ParkEnv* e) noexcept {
    return *reinterpret_cast<const Played*>(e);
  }
  [[nodiscard]] ParkEnv* theirs() noexcept { return reinterpret_cast<ParkEnv*>(this); }

  void reset(const ParkEpisode& episode, ParkNewRow& to) {
    env_.reset(from_park(copied(episode)), one_->begin(to));
    one_->finish(to);
  }
  void step(const ParkRow& action, ParkOutcome& outcome, ParkNewRow& to) {
    const ConstRow choices = one_->choices(action);
    const Outcome o = env_.step(choices, one_->begin(to));
    outcome.reward = o.reward;
    outcome.elapsed_s = o.elapsed_s;
    outcome.end = static_cast<std::int32_t>(o.end);
    one_->finish(to);
  }
  /// Steps many environments where the host wants their rows: the first one has batches that are views
  /// of the host's columns.
  static void step_many(std::span<ParkEnv* const> envs, const void* const* actions,
                        void* const* observation, double* rewards, double* elapsed_s,
                        std::int32_t* ends) {
    Played& first = of(envs[0]);
    if (!first.many_) first.many_ = std::make_unique<Views>(*first.one_);
    Batch& rows = first.many_->observation;
    Batch& choices = first.many_->action;
    view_flat(observation, envs.size(), rows);
    view_flat(const_cast<void* const*>(actions), envs.size(), choices);
    for (std::size_t i = 0; i < envs.size(); ++i) {
      const Outcome o = of(envs[i]).env_.step(std::as_const(choices).row(i), rows.row(i));
      rewards[i] = o.reward;
      elapsed_s[i] = o.elapsed_s;
      ends[i] = static_cast<std::int32_t>(o.end);
    }
  }
  void metrics(std::span<double> values) const { env_.metrics(values); }
  [[nodiscard]] std::uint64_t event_count() const noexcept { return env_.event_count(); }
  void events(const ParkSink* sink) {
    if (sink == nullptr) return env_.events(nullptr);
    auto mine = std::make_unique<ToHostSink>(*sink);
    env_.events(mine.get());
    sink_ = std::move(mine);
  }
  /// nullptr if it has no copies.
  [[nodiscard]] std::unique_ptr<Played> clone() const {
    std::unique_ptr<Env> copy = env_.clone();
    if (!copy) return nullptr;
    return std::make_unique<Played>(std::move(copy), one_->observation.record(),
                                    one_->action.record());
  }

 protected:
  Played(Env& env, const Record& observation, const Record& action)
      : env_(env), one_(std::make_unique<One>(observation, action)) {}

 private:
  /// The rows of one step.
  struct One {
    One(const Record& of_observation, const Record& of_action)
        : observation(of_observation),
          action(of_action),
          fields(byte_fields(observation)),
          ragged(!of_observation.groups.empty()) {
      observation.append();
      action.resize(1);
      for (std::size_t c = 0; c < action.columns(); ++c) heads.push_back(action.bytes(c, 0, 1));
    }
    [[nodiscard]] ConstRow choices(const ParkRow& theirs) {
      for (std::size_t h = 0; h < heads.size(); ++h)
        std::memcpy(heads[h].data(), theirs.columns[h], heads[h].size());
      return std::as_const(action).row(0);
    }
    /// The empty row, in the host's memory as far as it has no groups.
    [[nodiscard]] Row begin(const ParkNewRow& to) {
      if (ragged) {
        observation.clear();
        observation.append();
      }
      for (const auto& f : fields)
        if (f.group < 0) Lending::place(observation, f.column, to.columns[f.column]);
      return observation.row(0);
    }
    /// Hands out the columns of groups.
    void finish(ParkNewRow& to) {
      if (!ragged) return;
      const Row row = observation.row(0);
      for (std::size_t g = 0; g < observation.record().groups.size(); ++g)
        to.counts[g] = row.count({static_cast<std::int32_t>(g)});
      for (const auto& f : fields)
        if (f.group >= 0) to.columns[f.column] = row[f].data();
    }

    Batch observation, action;
    IdVector<Field<std::uint8_t>> fields;  // of the observation
    IdVector<std::span<std::byte>> heads;  // the row of the action
    bool ragged;
  };
  struct Views {
    explicit Views(const One& one)
        : observation(one.observation.record()), action(one.action.record()) {}
    Batch observation, action;
  };

  Env& env_;
  std::unique_ptr<One> one_;
  std::unique_ptr<Views> many_;  // of the first of many
  std::unique_ptr<ToHostSink> sink_;
  std::unique_ptr<Env> copy_;
};

/// One with the environment within itself.
template <class E>
class PlayedWithin final : public Played {
 public:
  template <class Config>
  PlayedWithin(const Config& config, const Spec& spec)
      : Played(env_, spec.observation, spec.action), env_(config) {}

 private:
  E env_;
};

namespace detail {

template <class E>
std::int32_t create_env(const ParkConfig* config, ParkEnv** env, ParkError* error) {
  return guarded(error, [&] {
    const auto& c = Configured<E>::of(config).config;
    const Spec spec = E::spec(c);
    *env = std::make_unique<PlayedWithin<E>>(c, spec).release()->theirs();
  });
}

inline std::int32_t clone_env(const ParkEnv* env, ParkEnv** copy, ParkError* error) {
  return guarded(error, [&] {
    auto made = Played::of(env).clone();
    if (!made) throw Error(Errc::unavailable, "the environment makes no copy of itself");
    *copy = made.release()->theirs();
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
