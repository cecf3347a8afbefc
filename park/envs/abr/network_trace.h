#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace park::abr {

/// Bounds of what a trace may hold.
inline constexpr double kMaxTraceS = 1e9;       ///< limit of the last time
inline constexpr double kMaxTraceMbps = 1e6;    ///< limit of any bandwidth
inline constexpr double kMinMeanMbps = 1e-3;    ///< limit of the mean bandwidth over the intervals
inline constexpr std::size_t kMaxTraces = 1e6;  ///< limit of a folder

/// The bandwidth of a link over time, in the form of Pensieve's cooked traces. Interval i, from 1,
/// has mbps[i] from time_s[i-1] to time_s[i]. The first interval begins at time 0 if a trace is
/// played again; mbps[0] belongs to no interval.
struct NetworkTrace {
  std::string name{};          ///< name of its file
  std::vector<double> time_s;  ///< increasing, at least two
  std::vector<double> mbps{};  ///< as many, at least 0; megabits (1e6 bits) per second
  bool operator==(const NetworkTrace&) const = default;
};

/// Every file of a folder, sorted by name; hidden files and folders are left out. A line is "time_s
/// Mbps", separated by spaces or tabs; empty lines are skipped. Throws Error{io} if the folder or a
/// file cannot be read. Throws Error{bad_file} with one line per violation, 10 at most, which names
/// the file, its line and the allowed values.
[[nodiscard]] std::vector<NetworkTrace> read_traces(const std::filesystem::path& folder);
/// Reads the text of one file; `name` stands for it in messages. Throws Error{bad_file} likewise.
[[nodiscard]] NetworkTrace parse_trace(std::string_view text, const std::string& name);

}  // namespace park::abr
