#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

/// The version of the format that this program writes, and the newest that it reads.
inline constexpr std::uint32_t kWorkloadVersion = 1;

/// The bytes of a workload file (docs/workload-format.md). Equal workloads have equal bytes.
[[nodiscard]] std::vector<std::byte> workload_bytes(const Workload&);

/// The bytes of one job within the file: they depend on nothing but that job.
[[nodiscard]] std::vector<std::byte> job_bytes(const Workload&, std::size_t job);

/// Throws Error{bad_file}; `source` names the bytes in its message. Allocates in proportion to the
/// bytes, not to the counts that they claim.
[[nodiscard]] Workload parse_workload(std::span<const std::byte> bytes, const std::string& source);

/// A whole file. Throws Error{io} when it cannot be read.
[[nodiscard]] std::string read_bytes(const std::string& path);

/// Throws Error{io} when the file cannot be read, else as parse_workload.
[[nodiscard]] Workload read_workload(const std::string& path);

/// Writes to a temporary name beside `path`, then renames. Throws Error{io}.
void write_workload(const Workload&, const std::string& path);

}  // namespace park::dag_scheduling
