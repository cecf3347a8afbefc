// What a policy decides by, level by level (after arXiv 2209.09645): leaves that say yes or no, which
// referred element, which candidate of it. The policy plays episodes; its choices become lessons, as
// for a student, and figures of these. explain_decision.h looks at one decision.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "park/core/candidates.h"
#include "park/core/episodes.h"
#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/trees/pair_forest.h"

namespace park::trees {

/// Whose decisions are looked at, and where.
struct ExplainPlan {
  std::string env, policy;  ///< texts
  Phase phase = Phase::train;
  std::uint64_t episodes = 30;  ///< 0 .. episodes - 1, which are those of `park run`
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< of fitting; the result does not depend on it
};

/// Asked often with what is being done and how many decisions of it were done; false ends it.
using ExplainProgress = std::function<bool(const char* what, std::uint64_t decisions)>;

/// Sees each decision of a plan before it is taken.
using SeeDecision = std::function<void(const Ask&, ConstRow observation, ConstRow action)>;
/// Plays the episodes of a plan. False: an end was asked for.
bool play_decisions(const EnvOfText&, Policy&, const ExplainPlan&, const SeeDecision&,
                    const ExplainProgress&);

/// How well a pairwise forest foretells the choices of a level in free decisions, those that no rule
/// narrows. It is fitted on the first half of the episodes.
struct ForestFigures {
  std::size_t fitted = 0;        ///< episodes it is fitted on
  FirstShares seen{}, unseen{};  ///< of these episodes, of the others
  FirstShares by_chance{};       ///< of all, by a random order
};

/// A level of a head: what its items differ in and how far that leads.
struct LevelFigures {
  std::string name{};         ///< the group of the items; "values"
  bool referred = false;      ///< items are elements that candidates refer to
  std::uint64_t choices = 0;  ///< decisions with at least two items
  std::vector<BinaryLeaf> binary{};
  std::uint64_t compared =
      0;  ///< decisions that the rules are counted in: of a referred level free ones
  std::vector<SimpleRule> rules{};
  Share by_chance{};  ///< of the rules
  std::optional<ForestFigures> forest{};
};

struct HeadFigures {
  std::string name{};
  std::uint64_t forced = 0;  ///< decisions with one legal value
  std::uint64_t free = 0;    ///< that no rule of the environment narrows
  Share followed{};  ///< of decisions that a rule narrows: the choice is among what it keeps
  std::vector<LevelFigures> levels{};
};

struct Explanation {
  std::uint64_t decisions = 0;
  std::vector<HeadFigures> heads{};
  std::vector<std::string> missing{};  ///< figures that do not exist here, and why
};

/// Throws Error{invalid_config} in one line where all heads are continuous: nothing is chosen among
/// candidates there.
void need_candidates(const Heads&, const std::string& env);

/// Nothing: an end was asked for. Throws Error{invalid_config} in one line if no decision leaves a
/// choice. Other errors are those of texts, policies and environments.
[[nodiscard]] std::optional<Explanation> explain(const Registry&, const ExplainPlan&,
                                                 const ExplainProgress&);

}  // namespace park::trees
