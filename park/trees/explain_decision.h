#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "park/trees/explain.h"
#include "park/trees/shap.h"
#include "park/trees/what_if.h"

namespace park::trees {

/// One question of a tree on the way of a row.
struct AskedQuestion {
  std::string feature;
  float value = 0, threshold = 0;
  bool yes = false;  ///< value <= threshold
};

/// What a tree of the surrogate says of the item that the policy chose.
struct LevelReason {
  std::string name{};     ///< of the level; "values" of a number
  std::size_t items = 0;  ///< that are compared; 1: a number
  std::size_t place = 0;  ///< how many items the surrogate puts before it
  std::vector<std::string> inputs{};
  std::vector<float> row{};  ///< [inputs] of the item
  std::vector<AskedQuestion> path{};
  Attribution reasons{};  ///< of the tree's value, by input
  double value = 0;       ///< of the tree
};

/// A decision of one head.
struct HeadReason {
  std::string name{};
  std::vector<std::int32_t> candidates{};
  std::size_t chosen = 0;       ///< by the policy: a place in candidates
  std::vector<float> scores{};  ///< [candidates] of the policy; empty: it has none
  /// Groups that the candidates refer to, with the element of each candidate.
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> references{};
  std::size_t kept = 0;                     ///< candidates that the environment's rules keep
  std::vector<std::string> leaves{};        ///< that differ between candidates
  std::vector<std::vector<float>> table{};  ///< [leaves][candidates]
  std::vector<std::pair<std::string, float>> situation{};  ///< leaves that do not differ
  std::size_t surrogate = 0;                               ///< what the surrogate chooses
  bool agrees = false;                                     ///< with the same effect
  std::uint64_t agreed = 0, compared = 0;  ///< of the episode's decisions with a choice
  std::vector<LevelReason> levels{};
  std::optional<LeafChange> change{};
  std::uint64_t asked = 0, refused = 0;  ///< changed rows that the policy was asked about, refused
};

/// The heads of a decision that have a choice.
struct DecisionExplanation {
  std::uint64_t decisions = 0;  ///< of the episode
  std::uint64_t learnt = 0;     ///< decisions of other episodes that the surrogate is fitted on
  bool from_rows = false;       ///< the policy answers from a row alone
  std::vector<HeadReason> heads{};
};

/// One of several decisions of an episode.
struct ExplainedDecision {
  std::uint64_t decision = 0;
  double time_s = 0;  ///< since the first decision of the episode
  DecisionExplanation explanation{};
};

/// Explains decision `decision` of episode `episode` of a plan by a surrogate. The surrogate has
/// trees with 32 leaves in all, fitted on the policy's choices in the plan's other episodes.
/// Nothing: an end was asked for. Throws Error{invalid_config} in one line that names the field if
/// there is no such episode or decision. Throws it too if every head has one value there, or if
/// other episodes leave no choice.
[[nodiscard]] std::optional<DecisionExplanation> explain_decision(const Registry&,
                                                                  const ExplainPlan&,
                                                                  std::uint64_t episode,
                                                                  std::uint64_t decision,
                                                                  const ExplainProgress&);

/// Explains at most `most` decisions of an episode, at equal distances among those that leave a
/// choice. The plan is played once. Errors and ends are those of explain_decision; there is one too
/// if no decision of the episode leaves a choice.
[[nodiscard]] std::optional<std::vector<ExplainedDecision>> explain_decisions(
    const Registry&, const ExplainPlan&, std::uint64_t episode, std::uint64_t most,
    const ExplainProgress&);

}  // namespace park::trees
