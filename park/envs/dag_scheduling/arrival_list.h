#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

/// The jobs that a file lists, in its order. CSV: the first line is `time_s,job`, every other line
/// a job. It has the time of its arrival in seconds, from 0 to 1e9 and never before that of the
/// line above. Its name in the workload follows after the first comma.
struct ArrivalList {
  struct Entry {
    Ticks time;
    std::uint32_t job;  ///< index in the workload
  };
  std::vector<Entry> entries{};

  /// Throws Error{io} if the file cannot be read and Error{bad_file} with one line per violation
  /// (10 at most), each naming the file and the line.
  [[nodiscard]] static ArrivalList read(const std::string& path, const Workload&);
  /// Reads the text of such a file; `name` stands for it in messages.
  [[nodiscard]] static ArrivalList parse(std::string_view text, const std::string& name,
                                         const Workload&);
};

}  // namespace park::dag_scheduling
