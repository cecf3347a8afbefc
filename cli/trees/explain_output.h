#pragma once

#include <string>

#include "park/core/json_writer.h"
#include "park/core/space.h"
#include "park/trees/explain_decision.h"

namespace park::cli {

/// For people: a table per level, with 95 % intervals by the bootstrap over episodes.
[[nodiscard]] std::string explanation_text(const park::trees::ExplainPlan&,
                                           const park::trees::Explanation&);

/// One object with all figures.
[[nodiscard]] std::string explanation_json(const park::trees::ExplainPlan&,
                                           const park::trees::Explanation&);

/// Which decision of a plan.
struct DecisionPlace {
  std::uint64_t episode = 0, decision = 0;
};

/// For people: the first candidates with their leaves, the surrogate's trees, and the change.
[[nodiscard]] std::string decision_text(const park::trees::ExplainPlan&, const DecisionPlace&,
                                        const park::trees::DecisionExplanation&, std::size_t width);

/// One object with all candidates.
[[nodiscard]] std::string decision_json(const park::trees::ExplainPlan&, const DecisionPlace&,
                                        const park::trees::DecisionExplanation&);

/// The members of an explanation, in an object that is open. At most `most` candidates of a head, the
/// chosen one first, then by falling score; 0: all, in their order.
void write_explanation(JsonWriter&, const park::trees::DecisionExplanation&, std::size_t most);

}  // namespace park::cli
