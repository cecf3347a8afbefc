#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/abr/network_trace.h"

namespace park::abr::traces {

inline constexpr std::size_t kMaxRows = 1'000'000;  ///< lines of a trace that is made
inline constexpr double kBitsPerByte = 8, kBitsPerMegabit = 1e6, kMsPerS = 1000;

/// The parts left out for one reason.
struct LeftOut {
  std::string what, why;  ///< "measurement", "no throughput"
  std::uint64_t count = 0;
  std::string first;  ///< the first such thing, and where it is
};

/// Traces that an importer made, with unlike names that are fit for files.
class TraceSet {
 public:
  /// Adds a trace; another one with its name makes it NAME-2 and so on. One that delivers nothing,
  /// or less than the readers of traces take, is left out.
  void add(abr::NetworkTrace);
  void leave_out(const std::string& what, const std::string& why, const std::string& which,
                 std::uint64_t count = 1);

  [[nodiscard]] const std::vector<abr::NetworkTrace>& traces() const noexcept { return traces_; }
  [[nodiscard]] const std::vector<LeftOut>& left_out() const noexcept { return left_out_; }
  std::uint64_t lines = 0;  ///< number of lines read

 private:
  std::vector<abr::NetworkTrace> traces_;
  std::set<std::string> names_;
  std::vector<LeftOut> left_out_;
};

/// A trace of intervals one after another. Time 0 repeats the bandwidth of the first one, since the
/// first line of the form belongs to no interval. REQUIRES as many positive durations as rates.
[[nodiscard]] abr::NetworkTrace trace_of(std::string name, const std::vector<double>& durations_s,
                                         const std::vector<double>& mbps);

/// The mean bandwidth over the intervals.
[[nodiscard]] double mean_mbps(const abr::NetworkTrace&);

/// Letters, digits and . _ - of a text, at most 120; everything else becomes a hyphen, and so does
/// a full stop in front.
[[nodiscard]] std::string file_name_of(std::string_view text);

/// The lines "time_s Mbps" of a trace: times and bandwidths are rounded to six decimals.
[[nodiscard]] std::string trace_text(const abr::NetworkTrace&);

inline constexpr const char* kProvenanceFile = ".provenance";  ///< hidden: readers pass it over

/// Writes a new folder with a file per trace, and how they came about in kProvenanceFile. With
/// `overwrite` a folder that this function wrote is replaced; another one never. The folder appears
/// as a whole. Throws Error{invalid_config} if the folder may not be written and Error{io}.
void write_traces(const std::filesystem::path& folder, const std::vector<abr::NetworkTrace>& traces,
                  const std::string& provenance, bool overwrite);
/// Whether write_traces would take that folder; throws as it does.
void check_folder(const std::filesystem::path& folder, bool overwrite);
/// The contents of kProvenanceFile of a folder, or "".
[[nodiscard]] std::string provenance_of(const std::filesystem::path& folder);

}  // namespace park::abr::traces
