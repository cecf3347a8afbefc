#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "systems/dl_cluster_live/messages.h"
#include "systems/dl_cluster_live/runs.h"

namespace park::dl_cluster_live {

/// Thrown where a stop was requested meanwhile.
struct Stopped {};

/// A measured speed.
struct Measured {
  double samples_per_s = 0;
  double cpu_share = 0;  ///< CPU time of the first worker over real time
};

/// How fast a kind of job trains, after a warm-up, over at least this real time. REQUIRES as many
/// free cores as it has workers and servers, and no other runs. Throws Stopped; Error{unavailable}
/// where the job fails.
[[nodiscard]] Measured measure_speed(Runs&, std::int32_t kind, std::int32_t workers,
                                     std::int32_t servers, double seconds);

/// Samples per second of each kind of job on each number of workers of a ladder.
class JobSpeeds {
 public:
  /// Those of a table whose types have the names of the kinds, at one server. Throws what
  /// dl_cluster::SpeedTable::open throws, and Error{bad_file} where a kind is missing or stands
  /// still.
  [[nodiscard]] static JobSpeeds of_table(const std::string& path,
                                          const std::vector<std::int32_t>& ladder);
  [[nodiscard]] static JobSpeeds measured(Runs&, const std::vector<std::int32_t>& ladder,
                                          double seconds);

  [[nodiscard]] double samples_per_s(std::size_t kind, std::size_t rung) const {
    return all_[kind][rung];
  }
  /// Relative to one worker.
  [[nodiscard]] double relative(std::size_t kind, std::size_t rung) const {
    return all_[kind][rung] / all_[kind][0];
  }
  /// The same of all rungs.
  [[nodiscard]] std::vector<double> relative(std::size_t kind) const {
    std::vector<double> all;
    for (std::size_t rung = 0; rung < all_[kind].size(); ++rung)
      all.push_back(relative(kind, rung));
    return all;
  }

 private:
  std::array<std::vector<double>, kJobKinds.size()> all_;
};

}  // namespace park::dl_cluster_live
