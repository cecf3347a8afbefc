#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "park/core/policy.h"
#include "park/judge/contract.h"
#include "park/trees/tree_policy.h"

namespace park::judge {

/// Lines NAME = EXPRESSION over the leaves of an environment. An expression is that of trees
/// (park/trees/expression.h, names in features.h); a "#" that stands alone begins a comment.
///     slack = job.work_left_s / limit.min     a name of later lines
///     stage = job.source                      a head: the legal value with the largest number
///     stage = -job.work_left_s                again: of equal ones that with the largest of this
///     limit = cluster.executors#sum / 2       a head that is a number: the legal value next to it
///     rates[1] = 0.5                          a component of a continuous head
/// A categorical head with a single value may be left out. Throws Refused in one line
/// "NAME:LINE: what is wrong".
[[nodiscard]] trees::TreeFile parse_expressions(std::string_view text, const std::string& name,
                                                const Spec&);

/// Answers packed rows by expressions. Nothing allocates once warm. One thread.
class ExpressionPlayer {
 public:
  /// Throws Refused.
  ExpressionPlayer(std::string_view text, const std::string& name, const Contract&);
  /// The body of questions becomes one of answers.
  void answer(std::string_view questions, std::string& answers);

 private:
  const Contract& contract_;
  std::unique_ptr<trees::TreePolicy> policy_;
  Decisions rows_;
  Batch actions_;
};

}  // namespace park::judge
