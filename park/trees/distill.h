#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/trees/lessons.h"

namespace park::trees {

struct DistillRound {
  std::uint32_t round = 0;      ///< from 1
  std::uint64_t decisions = 0;  ///< rows so far
  std::size_t leaves = 0;
  double metric = 0;  ///< mean over the validation episodes
};

/// A round of an earlier call: its figures, and the tree that it ended with.
struct FinishedRound {
  DistillRound figures{};
  TreeFile tree{};
};

/// Makes a tree from a teacher by DAgger (Ross, Gordon, Bagnell, AISTATS 2011). In the first round
/// the teacher plays, later the student of the round before. The teacher says what it would have
/// done in every row, and each round's student learns from all rows so far.
struct DistillPlan {
  std::string env, teacher;   ///< texts
  std::string validate_on{};  ///< the environment of validations; "": env
  std::size_t leaves = 32;    ///< of all trees together, at least two of each
  std::uint32_t trees = 1;    ///< in place of each tree, each with its leaves
  std::uint32_t rounds = 4;
  std::uint64_t episodes = 16;             ///< of a round, of training inputs
  std::uint64_t validation_episodes = 16;  ///< by which the best round is chosen
  std::uint64_t seed = 1;
  std::uint32_t threads = 1;  ///< of fitting; the result does not depend on it
  LessonWeights weights = LessonWeights::balanced;
  /// A strategy of the environment's features.txt that gives some heads in place of trees; "": none.
  /// The trees of the other heads learn from what the teacher does in the states it leads to.
  std::string separate{};
  /// The first rounds, of a call with this plan that ended before: played again for their lessons,
  /// but neither fitted nor validated. The result has the same bytes.
  std::vector<FinishedRound> finished{};
  std::vector<std::size_t>
      sizes{};  ///< numbers of leaves that are tried on the lessons of all rounds
};

/// How often a student's first choices contain the teacher's, in decisions of one kind. Values of a
/// bounded number that have the same effect count as one choice.
struct Agreement {
  std::uint64_t decisions = 0, first = 0, first_three = 0;
};

/// The agreement of a head's choices.
struct HeadAgreement {
  std::string head{};
  std::uint64_t forced = 0;  ///< decisions with a single legal value
  Agreement ruled{};         ///< a rule leaves some candidates out, and keeps the teacher's choice
  Agreement free{};          ///< all others
};

/// A tree of another size.
struct DistillSize {
  std::size_t asked = 0, leaves = 0;
  double metric = 0;  ///< mean over the validation episodes
};

struct DistillOutcome {
  std::vector<DistillRound> rounds{};
  std::size_t best = 0;                    ///< place in `rounds`
  TreeFile tree{};                         ///< of the best round
  double teacher = 0;                      ///< the teacher's mean on the validation episodes
  std::vector<HeadAgreement> agreement{};  ///< of the best round, where the teacher plays
  std::vector<HeadAgreement> agreement_on_student{};  ///< where the student plays
  std::vector<DistillSize> sizes{};
  bool finished = false;  ///< else an end was asked for
};

/// Follows and may end it.
class DistillWatcher {
 public:
  virtual ~DistillWatcher() = default;
  /// Asked often; finished rounds are kept.
  [[nodiscard]] virtual bool stop() { return false; }
  virtual void on_round(const DistillRound&, const TreeFile&) {}
  /// Rows that were decided, and in which part of a round.
  virtual void on_rows(const char* what, std::uint64_t rows) {
    static_cast<void>(what), static_cast<void>(rows);
  }
};

/// How the leaves are shared out, as [heads][parts]. The first part of the first head that chooses
/// gets half, the others the rest in equal shares. No part gets fewer than two.
[[nodiscard]] std::vector<std::vector<std::size_t>> share_leaves(
    std::size_t leaves, const std::vector<std::size_t>& parts);

/// Throws Error{invalid_config} in one line where the environment cannot teach, because no decision
/// has a choice, or where it has no such strategy. Throws it too where validate_on has another
/// layout or another first metric. Throws Error{bad_file} where a finished round met other
/// decisions than now. Other errors are those of texts, policies and environments.
[[nodiscard]] DistillOutcome distill(const Registry&, const DistillPlan&, DistillWatcher&);

}  // namespace park::trees
