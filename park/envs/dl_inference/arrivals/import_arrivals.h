#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "park/files/recording.h"

namespace park::dl_inference::arrivals {

/// Where recorded arrivals come from. Both are CSV whose first line names the columns; others than
/// those named here are not read, and they may stand in any order.
enum class Form {
  /// Azure LLM inference traces of 2023 and 2024 (P. Patel et al., "Splitwise", ISCA 2024):
  /// TIMESTAMP as 2023-11-16 18:15:46.6805900. Each file is an application.
  azure,
  /// BurstGPT (Y. Wang et al., arXiv 2401.17644): Timestamp in seconds, Model. Each model is an
  /// application.
  burstgpt,
};

using ImportOptions = files::RecordedPart;
using Input = files::RecordedFile;

/// What was read and made.
struct ImportReport : files::RowCount {
  std::vector<std::string> apps{};  ///< names, by number
  std::uint64_t arrivals = 0;       ///< that were written
  double length_s = 0;              ///< from the first to the last of them
};

/// Reads the inputs side by side, merges them by time and appends a trace of arrivals, header
/// first. Times count from the first arrival on, in microseconds. A row is broken if it cannot be
/// read, goes back in time, or is of a 65th application. Memory is one line of each input. Throws
/// Error{bad_file} for a first line without the columns, more than 1 % broken rows, or an input
/// that is cut short. Throws it too for fewer than two arrivals at different times. What was
/// appended is then useless.
[[nodiscard]] ImportReport import_arrivals(Form, std::vector<Input>, const ImportOptions&,
                                           const std::function<void(std::string_view)>& append);

}  // namespace park::dl_inference::arrivals
