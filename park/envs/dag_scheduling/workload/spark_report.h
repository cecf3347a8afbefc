#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace park::dag_scheduling::workload {

/// How many things of one kind met one fate.
struct SparkCount {
  static constexpr std::size_t kExamples = 3;

  std::string what, why;  ///< what: in the singular, such as task; why: a clause
  std::uint64_t count = 0;
  std::vector<std::string> examples;  ///< the first few
};

/// Counts of taken and omitted parts. Counts are over all logs; excluded jobs are in none but
/// `excluded_executions` and `lines`.
struct SparkImportReport {
  std::uint64_t lines = 0;
  std::uint64_t jobs = 0, executions = 0, stages = 0, samples = 0;
  std::uint64_t excluded_executions = 0;
  // Both in order of first appearance.
  std::vector<SparkCount> dropped;  ///< what was left out
  std::vector<SparkCount> remarks;  ///< what was taken, but not as it stands
  std::vector<std::string> notes;   ///< one line each: what of the logs is missing

  void drop(const std::string& what, const std::string& why, const std::string& example,
            std::uint64_t count = 1);
  void remark(const std::string& what, const std::string& why, const std::string& example,
              std::uint64_t count = 1);
};

}  // namespace park::dag_scheduling::workload
