// The table of a policy's class. A ParkPolicy holds the policy, and batches that show the rows of
// the host without copying them.
#pragma once

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "park/core/policy.h"
#include "park/core/text.h"
#include "park/plugin/describe.h"
#include "park/plugin/read.h"
#include "park/plugin/rows.h"

namespace park::plugin {

/// What a ParkPolicy is.
class Deciding {
 public:
  Deciding(std::unique_ptr<Policy> policy, const Spec& spec)
      : policy_(std::move(policy)),
        metrics_(spec.metrics.size()),
        decisions_(spec),
        observation_(spec.observation),
        actions_(spec.action) {}
  [[nodiscard]] static Deciding& of(ParkPolicy* p) noexcept {
    return *reinterpret_cast<Deciding*>(p);
  }
  [[nodiscard]] static const Policy& policy_of(const ParkPolicy* p) noexcept {
    return *reinterpret_cast<const Deciding*>(p)->policy_;
  }

  void start(std::uint32_t slot, const ParkEpisode& episode, std::uint64_t key) {
    Rng rng;
    rng.restore({.key = key, .counter = 0});
    policy_->start(slot, from_park(copied(episode)), rng);
  }
  void act(const ParkQuestions& theirs, void* const* actions) {
    const ParkQuestions q = copied(theirs);
    decisions_.done = q.done != 0;
    show_asked(q);
    show_ended(q);
    view_flat(actions, q.count, actions_);
    policy_->act(decisions_, actions_);
  }
  [[nodiscard]] bool scores(const ParkRows& observation, std::size_t head,
                            const void* const* actions, ParkScores& to) {
    view(observation, observation_);
    view_flat(const_cast<void* const*>(actions), observation.rows, actions_);
    if (!policy_->scores(observation_, head, actions_, candidates_, scores_)) return false;
    to.offsets = candidates_.offsets.data();
    to.value = candidates_.value.data();
    to.score = scores_.data();
    return true;
  }

 private:
  void show_asked(const ParkQuestions& q) {
    decisions_.asked.resize(q.count);
    for (std::size_t i = 0; i < q.count; ++i) {
      Ask& ask = decisions_.asked[i];
      ask.slot = q.slot[i];
      ask.context = q.context[i];
      ask.sequence = q.sequence[i];
      ask.episode = from_park(*q.episode[i]);
      ask.since_last = from_park(*q.since_last[i]);
    }
    view(*q.observation, decisions_.observation);
  }
  void show_ended(const ParkQuestions& q) {
    decisions_.ended.resize(q.ended);
    for (std::size_t i = 0; i < q.ended; ++i)
      decisions_.ended[i] = {q.ended_slot[i],
                             q.ended_context[i],
                             q.ended_decisions[i],
                             q.ended_events[i],
                             from_park(*q.ended_episode[i]),
                             from_park(*q.ended_last[i])};
    view(*q.final_observation, decisions_.final_observation);
    decisions_.metrics.assign(q.metrics, q.metrics + q.ended * metrics_);
  }

  std::unique_ptr<Policy> policy_;
  std::size_t metrics_;
  Decisions decisions_;
  Batch observation_, actions_;  // views of rows of the host
  Candidates candidates_;
  std::vector<float> scores_;
};

namespace detail {

template <class P>
[[nodiscard]] std::unique_ptr<Policy> make_policy(const char* text, const Spec& spec) {
  if constexpr (requires { typename P::Config; })
    return std::make_unique<P>(parse_config<typename P::Config>(parse_named(text)), spec);
  else
    return std::make_unique<P>(spec);
}

template <class P>
std::int32_t create_policy(const char* text, const ParkSpec* theirs, ParkPolicy** policy,
                           ParkError* error) {
  return guarded(error, [&] {
    const Spec spec = read_spec(theirs);
    *policy = reinterpret_cast<ParkPolicy*>(
        std::make_unique<Deciding>(make_policy<P>(text, spec), spec).release());
  });
}

inline void set_calls(ParkPolicyType& table) {
  table.destroy = [](ParkPolicy* policy) { delete &Deciding::of(policy); };
  table.start = [](ParkPolicy* policy, std::uint32_t slot, const ParkEpisode* episode,
                   std::uint64_t key, ParkError* error) {
    return guarded(error, [&] { Deciding::of(policy).start(slot, *episode, key); });
  };
  table.act = [](ParkPolicy* policy, const ParkQuestions* questions, void* const* actions,
                 ParkError* error) {
    return guarded(error, [&] { Deciding::of(policy).act(*questions, actions); });
  };
  table.scores = [](ParkPolicy* policy, const ParkRows* observation, std::uint64_t head,
                    const void* const* actions, ParkScores* scores, std::int32_t* has,
                    ParkError* error) {
    return guarded(error, [&] {
      *has = Deciding::of(policy).scores(*observation, head, actions, *scores) ? 1 : 0;
    });
  };
  table.most_slots = [](const ParkPolicy* p) { return Deciding::policy_of(p).most_slots(); };
  table.may_wait = [](const ParkPolicy* p) -> std::int32_t {
    return Deciding::policy_of(p).may_wait() ? 1 : 0;
  };
}

}  // namespace detail

/// The table of a class with the members that Registry::add_policy asks for. It is in the memory.
template <class P>
[[nodiscard]] const ParkPolicyType* policy_type(Memory& memory) {
  auto table = sized<ParkPolicyType>();
  const auto info = P::info();
  table.name = memory.keep(info.name);
  table.summary = memory.keep(info.summary);
  table.reference = memory.keep(info.reference);
  table.environments = memory.keep(info.environments);
  table.environment_count = info.environments.size();
  if constexpr (requires { typename P::Config; }) {
    const std::vector<FieldInfo> fields = field_infos<typename P::Config>();
    table.fields = describe(fields, memory);
    table.field_count = fields.size();
  }
  table.create = &detail::create_policy<P>;
  detail::set_calls(table);
  return memory.keep(table);
}

}  // namespace park::plugin
