#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "park/files/byte_source.h"

namespace park::dag_scheduling::workload {

/// One file of an event log.
struct SparkLogFile {
  std::string name;  ///< for messages
  std::function<std::unique_ptr<files::ByteSource>()> open;
  bool after_gap = false;  ///< the files right before it are missing
};

/// One event log: a file, or the files of a rolled log in order.
struct SparkLogInput {
  std::string name;  ///< for messages
  std::vector<SparkLogFile> files;
  std::string application = {};         ///< as the name tells it, where the log does not
  bool headless = false;                ///< its beginning is not there
  std::uint64_t bytes = 0;              ///< size of all files on disk
  std::vector<std::string> notes = {};  ///< what is missing, one line each
};

/// The log at a path: a file, or a folder that Spark made for a rolled log, with files named
/// events_N_APPLICATION. They are read in the order of N. A file that Spark compacted replaces all
/// up to its N. The status file and unfinished compactions are ignored. The notes name missing
/// files. Throws Error{io} for a path that cannot be read or a folder without such files,
/// Error{bad_file} when two files have the same N.
[[nodiscard]] SparkLogInput spark_log_at(const std::string& path);

}  // namespace park::dag_scheduling::workload
