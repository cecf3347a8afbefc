#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "park/core/batch.h"
#include "park/core/env.h"

namespace park::golden_detail {

/// Shared by writing and replaying golden trajectories; not for other use.

/// One line of the text: "name values".
struct Entry {
  std::string name, values;
  bool exact = true;  ///< integers; floats agree to 6 significant digits
};

/// The groups, as "[name]", and the leaves of one row. Long leaves are given by their sum and the
/// sum of (i + 1) value[i].
[[nodiscard]] std::vector<Entry> entries(ConstRow);
/// The leaves of an action, floats in full.
[[nodiscard]] std::vector<Entry> action_entries(ConstRow);
[[nodiscard]] std::string outcome_text(const Outcome&);
[[nodiscard]] std::string episode_text(const Episode&);
/// 6 significant digits.
[[nodiscard]] std::string short_number(double);

}  // namespace park::golden_detail
