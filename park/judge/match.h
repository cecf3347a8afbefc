// A candidate against inputs. The judge steps the environments; the candidate's process gets packed
// rows and sends packed actions. What it sends besides is never read as a number.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "park/core/registry.h"
#include "park/judge/candidate.h"

namespace park::judge {

struct InputResult {
  double value = 0;       ///< the metric
  std::string failure{};  ///< why the input is failed; "": it is not
  std::uint64_t decisions = 0;
};

struct MatchResult {
  std::vector<InputResult> inputs{};  ///< [inputs]
  std::string refused{};              ///< the code was not loaded: every input is failed
  std::string inconsistent{};         ///< it answered differently twice: every input is failed
  std::uint64_t decisions = 0;
  double answer_s = 0;  ///< waited for its answers, measured by the judge

  [[nodiscard]] std::size_t failed() const noexcept;
};

/// How a match goes.
struct MatchPlan {
  std::size_t metric = 0;  ///< in bench::result_metrics
  Limits limits{};
  std::uint64_t secret = 0;  ///< seeds which questions are asked twice
  std::function<bool()> stop{};
};

/// Thrown out of a match when an end was asked for.
struct Stopped {};

/// Plays all inputs. A candidate must be a function of its row. So one row occurs twice in every
/// message, and a new process plays the first input again. An exception, an illegal action or an
/// undefined metric fails that input. A process that ends, is late or speaks out of turn fails all
/// inputs that are not finished. Throws as Process and the environment, and Stopped.
[[nodiscard]] MatchResult play_match(const Candidate&, const Contract&, const EnvOfText&,
                                     const std::vector<Episode>&, const MatchPlan&);

}  // namespace park::judge
