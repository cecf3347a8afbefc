#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/play/results.h"
#include "cli/web/timeline_file.h"
#include "park/command/options.h"
#include "park/core/error.h"

namespace park::cli {

class Session;

/// What a command made of the episodes of its policies: figures, and a timeline of each policy.
struct Played {
  Results results;
  TimelineFile timelines;
};
/// Results and timelines of a plan, empty still.
[[nodiscard]] Played nothing_played(const PlayPlan&, const Spec&);

/// Where a command that plays policies writes what came out: its options --save, --timeline and
/// --overwrite, and the end of its run.
class ResultFiles {
 public:
  /// `episode`: what a timeline shows, such as "first episode".
  void declare(Options&, const std::string& episode);
  void check(Violations&) const;
  [[nodiscard]] bool timeline() const noexcept { return !timeline_.empty(); }
  /// Whether the form of the timeline has explanations of decisions.
  [[nodiscard]] bool explains() const;
  /// Prints the results, writes the files and returns the exit code: that of the signal that ended
  /// the play, if one did.
  [[nodiscard]] int finish(Session&, Played&) const;

 private:
  std::string save_, timeline_;
  bool overwrite_ = false;
};

}  // namespace park::cli
