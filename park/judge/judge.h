// Judges a candidate: plays it and its rivals on inputs, and says what it is worth. The score comes
// from the simulated metric alone. An input gives:
//     x = (rival - candidate) / (random - rival)      of a metric of which less is better
//     1 + x where x >= 0, else 1 / (1 - x); 0 where the candidate failed
// The rival is the best tuned heuristic on the same input, and the denominator is of means. So 1 is
// as good as that heuristic, 2 as far above it as it is above random, and 1/2 as good as random.
// Nothing that finishes is worth less than what fails. The score is the mean.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "park/bench/summary.h"
#include "park/core/registry.h"
#include "park/judge/inputs.h"
#include "park/judge/match.h"
#include "park/judge/rivals.h"

namespace park::judge {

struct JudgePlan {
  std::string env{};  ///< a text
  CandidateFile candidate{};
  Set set = Set::hidden;                       ///< whose score counts
  std::uint64_t inputs = 20;                   ///< of each set
  std::uint64_t seed = 1;                      ///< of train and validation inputs
  std::optional<std::uint64_t> hidden_seed{};  ///< of a judgement that is repeated
  std::vector<Rival> rivals{};                 ///< empty: rivals_of
  /// A policy that nothing can beat; "": that of `rivals`, or of the suite (bound_of).
  std::string bound{};
  std::optional<double> claim{};  ///< the mean of the metric that its author claims
  Limits limits{};
  Tools tools{};
  std::function<bool()> stop{};
};

enum class Verdict : std::uint8_t {
  valid,          ///< all inputs were played to their end
  failed_inputs,  ///< some were not, and count as the worst
  refused,        ///< the code cannot be loaded, or says what it may not; the score is 0
  inconsistent,   ///< it answered differently twice; the score is 0
  above_bound     ///< it, or its claim, is better than can be; the score is 0
};
[[nodiscard]] const char* to_text(Verdict) noexcept;

/// Against one rival: candidate minus rival on the inputs that the candidate finished.
struct Difference {
  Rival rival{};
  bench::Summary difference{};
  std::size_t losses = 0;  ///< inputs on which the rival is better, failed ones included
};

/// One set of inputs.
struct SetJudgement {
  Set set = Set::validation;
  std::uint64_t seed = 0;
  std::string digest{};  ///< of the inputs, before and after
  MatchResult match{};
  bench::Summary score{}, value{};  ///< of inputs; of the metric where finished
  std::size_t best = 0;             ///< place of the best heuristic
  std::vector<Difference> differences{};
  std::vector<double> scores{};  ///< [inputs]
  std::string above{};           ///< how it is better than can be; "": it is not
};

struct Judgement {
  std::string env{};
  Metric metric{};
  Verdict verdict = Verdict::valid;
  std::string why{};  ///< of a verdict other than valid
  double score = 0;
  bench::Interval interval{};
  std::vector<SetJudgement> sets{};  ///< that of the feedback; then, if asked for, hidden
  std::string feedback{};
  std::vector<std::string> left_out{};  ///< rivals that could not play, and why
};

/// Throws the Errors of texts and environments, and Error{bad_file} where inputs changed meanwhile.
/// Throws Error{unavailable} in one line where candidates cannot be confined, the environment is
/// not simulated here, or there is no heuristic to compare with. Throws Stopped.
[[nodiscard]] Judgement judge(const Registry&, const JudgePlan&);

/// The whole judgement as JSON (docs/judge.md). `reveal`: with the seed of hidden inputs.
[[nodiscard]] std::string judgement_json(const JudgePlan&, const Judgement&, bool reveal);

}  // namespace park::judge
