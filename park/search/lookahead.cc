// The policy that looks ahead. Each slot has a shadow: the episode that asks, played again from its
// seeds. A question first moves the shadow on by the last answer and compares the rows. Then the
// base answers all rows; for every K-th decision of an episode the judge tries alternatives in
// copies of the shadow. Registry makes it of a text; Pool, Live and services call start and act.
#include "park/search/lookahead.h"

#include <limits>
#include <string>
#include <utility>

#include "park/core/error.h"
#include "park/core/futures.h"

namespace park::search {
namespace {

[[noreturn]] void refuse(const std::string& env, const std::string& why) {
  throw Error(Errc::invalid_config, "lookahead: '" + env + "' " + why);
}

bool is_lookahead(const std::string& policy) { return policy == "lookahead"; }

/// One name among several is unknown: the line says which.
std::unique_ptr<Policy> base_of(const Registry& registry, const std::string& base,
                                const Spec& spec) {
  try {
    return registry.policy(base, spec);
  } catch (const Error& error) {
    if (error.code() != Errc::unknown_name) throw;
    throw Error(Errc::invalid_config, std::string("base: ") + error.what());
  }
}

/// Makes the environment of a spec, or says why there is nothing to look ahead in.
EnvMaker maker_of(const Registry& registry, const Spec& spec, bool clairvoyant) {
  if (spec.traits.system) refuse(spec.name, "is a running system, which cannot be copied");
  if (spec.text.empty()) refuse(spec.name, "has no text here that it could be made of");
  const EnvOfText env = registry.env(spec.text);
  if (!env.simulated() || env.name() != spec.name)
    refuse(spec.text, "is not simulated here, so it cannot be copied");
  if (!spec.traits.cloneable) refuse(spec.text, "cannot be copied");
  EnvMaker make = env.factory();
  if (!clairvoyant && dynamic_cast<const Futures*>(make().get()) == nullptr)
    refuse(spec.text, "cannot draw its future anew; clairvoyant=true needs copies alone");
  return make;
}

}  // namespace

void LookaheadConfig::check(const LookaheadConfig& c, Violations& bad) {
  const bool named = c.base.kind == Value::Kind::bare || c.base.kind == Value::Kind::call;
  if (!named || c.base.text.empty())
    bad.add("base: must be a policy, as in base=random");
  else if (is_lookahead(c.base.text))
    bad.add("base: must be a policy that does not look ahead itself, as in base=random");
}

Lookahead::Lookahead(const Registry& registry, const LookaheadConfig& config, const Spec& spec)
    : spec_(spec),
      space_(spec),
      config_(config),
      make_(maker_of(registry, spec, config.clairvoyant)) {
  const std::string base = to_text(config.base);
  base_ = base_of(registry, base, spec);
  player_ = base_of(registry, base, spec);
  if (player_->most_slots() != std::numeric_limits<std::uint32_t>::max())
    throw Error(Errc::invalid_config,
                "lookahead: base '" + base + "' carries state from one episode to the next");
  judge_ = std::make_unique<Judge>(spec_, *player_,
                                   JudgePlan{.candidates = config.candidates,
                                             .futures = config.futures,
                                             .clairvoyant = config.clairvoyant,
                                             .horizon_s = config.horizon_s,
                                             .least_t = config.least_t});
}

void Lookahead::start(std::uint32_t slot, const Episode& episode, Rng rng) {
  while (shadows_.size() <= slot)
    shadows_.push_back({.env = make_(),
                        .episode = {},
                        .rng = Rng(),
                        .action = Batch(spec_.action),
                        .row = Batch(spec_.observation)});
  Shadow& s = shadows_[slot];
  s.episode = episode;
  s.rng = rng;
  s.sequence = 0;
  base_->start(slot, episode, rng);
}

/// Moves the shadow to the row.
void Lookahead::follow(Shadow& s, const Ask& ask, ConstRow observation) {
  const auto fail = [] {
    throw Error(Errc::unavailable,
                "lookahead: the row does not follow from its own answers, so it cannot look ahead");
  };
  if (ask.sequence != s.sequence || ask.episode != s.episode) fail();
  s.row.clear();
  if (ask.sequence == 0)
    s.env->reset(s.episode, s.row.append());
  else if (s.env->step(std::as_const(s.action).row(0), s.row.append()).end != End::none)
    fail();
  if (!same_row(std::as_const(s.row).row(0), observation)) fail();
  ++s.sequence;
}

void Lookahead::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    if (d.asked[i].slot >= shadows_.size())
      throw Error(Errc::unavailable, "lookahead: a row comes before its episode has begun");
    follow(shadows_[d.asked[i].slot], d.asked[i], d.observation.row(i));
  }
  base_->act(d, actions);
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const Ask& ask = d.asked[i];
    Shadow& s = shadows_[ask.slot];
    if (!space_.legal(d.observation.row(i), std::as_const(actions).row(i)))
      throw Error(Errc::illegal_action,
                  "lookahead: base '" + to_text(config_.base) + "' gives an illegal action");
    if (ask.sequence % config_.every == 0) {
      const Judgement j =
          judge_->judge(*s.env, ask, d.observation.row(i), std::as_const(actions).row(i), s.rng);
      if (j.best != 0) actions.row(i).assign(judge_->candidates().row(j.best));
    }
    s.action.clear();
    s.action.append(actions, i);
  }
}

void register_policies(Registry& registry) {
  const Registry* const all = &registry;
  registry.add_policy_loader(
      {.takes = is_lookahead,
       .fields = &field_infos<LookaheadConfig>,
       .make = [all](const Value& text, const Spec& spec) -> std::unique_ptr<Policy> {
         return std::make_unique<Lookahead>(*all, parse_config<LookaheadConfig>(text), spec);
       },
       .bundled = is_lookahead,
       .files =
           [all](const Value& text) {
             return all->policy_files(to_text(parse_config<LookaheadConfig>(text).base));
           }});
}

}  // namespace park::search
