#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace park::dl_cluster {

/// Jobs of a file: CSV with the first line `submit_s,gpus,run_s`. Every other line is a job:
/// - submit_s: when it was submitted, in seconds (0 to 1e12, never decreasing);
/// - gpus: the GPUs that its user asked for (a whole number from 1 to 1e6);
/// - run_s: how long it ran on them, in seconds (1e-3 to 1e9).
/// At least two, which were not all submitted at one time. Immutable.
class JobTrace {
 public:
  struct Job {
    double submit_s = 0, run_s = 0;
    std::int32_t gpus = 0;
    bool operator==(const Job&) const = default;
  };

  static constexpr const char* kHeader = "submit_s,gpus,run_s";
  static constexpr std::size_t kMost = 10'000'000;  ///< jobs
  static constexpr double kMostSubmitS = 1e12, kMostRequest = 1e6;
  static constexpr double kLeastRunS = 1e-3, kMostRunS = 1e9;

  /// Files that are open already, and have not changed, are shared within the process. Throws
  /// Error{io} if the file cannot be read and Error{bad_file} with one line per violation.
  [[nodiscard]] static std::shared_ptr<const JobTrace> open(const std::string& path);
  /// Reads the text of such a file; `name` stands for it in messages.
  [[nodiscard]] static JobTrace parse(const std::string& text, const std::string& name);

  [[nodiscard]] std::span<const Job> jobs() const noexcept { return jobs_; }
  /// From the first job to the last and on by the mean gap: then the first one comes again.
  [[nodiscard]] double period_s() const noexcept;

 private:
  std::vector<Job> jobs_;
};

}  // namespace park::dl_cluster
