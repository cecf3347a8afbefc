#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/play/results.h"
#include "park/trees/distill.h"

namespace park::cli {

/// What `park distill` has made.
struct Distilled {
  const park::trees::DistillPlan& plan;
  const Metric& metric;  ///< the environment's first one
  std::string file;      ///< that was written
  park::trees::DistillOutcome outcome{};
  /// The same held-out episodes: the teacher first, then the student, then others.
  std::optional<Results> comparison{};
  std::vector<double> decision_us{};  ///< of each of these, by the wall clock, as it was played
  /// The same episodes where the student chooses one head and the teacher all others. It is empty
  /// for one head alone, and for a teacher without scores.
  std::vector<std::pair<std::string, PolicyResult>> ablation{};  ///< by the student's head
};

/// For people.
[[nodiscard]] std::string distilled_text(const Distilled&);
/// One object.
[[nodiscard]] std::string distilled_json(const Distilled&);
/// A page for a browser. REQUIRES a comparison and sizes.
[[nodiscard]] std::string distilled_page(const Distilled&);
/// A page with the trees of a file.
[[nodiscard]] std::string tree_page(const park::trees::TreeFile&);

}  // namespace park::cli
