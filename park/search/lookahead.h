#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/search/judge.h"

namespace park::search {

/// The fields of `lookahead`.
struct LookaheadConfig {
  Value base{};
  std::uint32_t candidates = 16, futures = 8, every = 1;
  bool clairvoyant = false;
  double horizon_s = kInf, least_t = 1.5;
  bool operator==(const LookaheadConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("base", self.base,
          FieldDoc{.doc = "the policy that is improved and plays the roll-outs"});
    visit("candidates", self.candidates,
          FieldDoc{
              .doc = "actions that are compared, the base's own included", .min = 2, .max = 1024});
    visit("futures", self.futures,
          FieldDoc{.doc = "drawn futures that candidates are played in", .min = 1, .max = 4096});
    visit("every", self.every,
          FieldDoc{.doc = "looks at every so many decisions; the base takes the others",
                   .min = 1,
                   .max = 1e6});
    visit(
        "clairvoyant", self.clairvoyant,
        FieldDoc{.doc = "plays them in the future that will come: a bound of what can be had, and "
                        "no policy that anyone could use"});
    visit("horizon_s", self.horizon_s,
          FieldDoc{.doc = "length of a roll-out; inf: to the end of the episode",
                   .unit = "s",
                   .min = 0,
                   .open_min = true});
    visit("least_t", self.least_t,
          FieldDoc{.doc = "the base's own action is left where the mean gain is so many standard "
                          "errors above 0",
                   .min = 0,
                   .max = 100});
  }
  static void check(const LookaheadConfig&, Violations&);
};

/// One-step look-ahead on a base policy: see Judge. It needs no access to the environment that asks.
/// An episode and the answers determine every row. So the policy plays a copy of the episode beside
/// it, made of the spec's text, and compares the rows. Look-ahead therefore works wherever a policy
/// does: in comparisons, benchmarks and on any number of slots. Rows of other origin are refused.
///
/// The base's own decisions are those of one instance, which sees every row of an episode;
/// another one plays the roll-outs.
class Lookahead final : public Policy {
 public:
  /// The registry outlives it. Throws Error{invalid_config} in a line where the environment is not
  /// simulated here, gives no copies, or draws no futures and clairvoyant is off. Throws it too
  /// where the base is unknown or plays few episodes at once.
  Lookahead(const Registry&, const LookaheadConfig&, const Spec&);

  void start(std::uint32_t slot, const Episode&, Rng) override;
  /// Throws Error{unavailable} for a row that does not follow from its own answers, and
  /// Error{illegal_action} where the base's answer is not legal.
  void act(const Decisions&, Batch& actions) override;
  [[nodiscard]] std::uint32_t most_slots() const noexcept override { return base_->most_slots(); }
  [[nodiscard]] bool may_wait() const noexcept override { return base_->may_wait(); }

 private:
  /// An episode that is played beside the one that asks.
  struct Shadow {
    std::unique_ptr<Env> env;
    Episode episode;
    Rng rng;
    Batch action, row;
    std::uint64_t sequence = 0;  // of the next question
  };
  void follow(Shadow&, const Ask&, ConstRow observation);

  Spec spec_;
  ActionSpace space_;
  LookaheadConfig config_;
  EnvMaker make_;
  std::unique_ptr<Policy> base_, player_;
  std::unique_ptr<Judge> judge_;
  std::vector<Shadow> shadows_;  // by slot
};

/// Makes lookahead(base=POLICY,...) a policy of every environment that is simulated and can be
/// copied. Lists of policies have those that play without fields, so it is a loader's name. The
/// registry must stay where it is.
void register_policies(Registry&);

}  // namespace park::search
