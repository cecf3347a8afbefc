#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/abr/network_trace.h"

namespace park::abr::traces {

/// A recording is all that one measuring unit of the FCC measured, one trip of the HSDPA logs, or
/// else one file. Traces are cut from recordings, and pieces of one recording are alike: a policy
/// that was trained on one of them knows the others.
struct Recording {
  std::string name;
  std::vector<std::size_t> traces;  ///< numbers of its traces, ascending
};

/// Two traces with that many successive different bandwidths in common are cut from one recording;
/// at least kUnlikeRates of these must differ from each other.
inline constexpr std::size_t kSharedRates = 16, kUnlikeRates = 8;

/// The recording that the name of a file tells: "fcc unit 942154" of
/// "000_trace_942154_http---www.ebay.com_0", and the trip "ferry.report.2010-09-21_1001CEST" of
/// "ferry.report.2010-09-21_1001CEST.log_320". Other names tell none.
[[nodiscard]] std::optional<std::string> recording_name(std::string_view file);

/// The recordings of these traces, by the first trace of each. Traces are of one recording where
/// their names tell the same one, where all their bandwidths are the same, or where they share some
/// (kSharedRates). Bandwidths are the same within 1e-6 Mbps. A recording whose name is not told has
/// that of its first trace; names of traces are to be unlike each other.
[[nodiscard]] std::vector<Recording> recordings(const std::vector<NetworkTrace>&);

/// Whether a trace is a part of another or the same. A part has at least kSharedRates bandwidths,
/// and all of them, one after another, are in the other trace. Traces are the same if all times and
/// bandwidths are.
[[nodiscard]] bool is_part(const NetworkTrace&, const NetworkTrace& whole);

/// What traces have in common with other ones.
struct Overlap {
  std::size_t recordings = 0;         ///< of which both have traces
  std::vector<std::size_t> traces{};  ///< numbers of those that are cut from these recordings
  std::size_t parts = 0;              ///< that are a part of one of the others
  std::size_t same = 0;               ///< whose times and bandwidths are those of one of the others
  bool operator==(const Overlap&) const = default;
};
[[nodiscard]] Overlap overlap(const std::vector<NetworkTrace>&,
                              const std::vector<NetworkTrace>& others);

}  // namespace park::abr::traces
