#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace park::dl_cluster_live {

/// What is measured: each kind of job on every pair of numbers of workers and servers.
struct ProfilePlan {
  bool ring = false;                    ///< all-reduce between the workers, without servers
  std::vector<std::int32_t> workers{};  ///< in ascending order
  std::vector<std::int32_t> servers{};  ///< likewise; with `ring` one element, 1
  std::int32_t repeats = 3;             ///< of each, all in random order
  double seconds = 0.5;                 ///< of each, after a warm-up
};

/// The numbers of workers, or of servers, up to the largest: powers of two, or for a ring those
/// that the running cluster grants.
[[nodiscard]] std::vector<std::int32_t> profile_grid(bool ring, std::int32_t most);
/// Measurements of a plan.
[[nodiscard]] std::size_t measurements_of(const ProfilePlan&);

struct ProfilePoint {
  std::int32_t kind = 0, workers = 1, servers = 1;
  double samples_per_s = 0;  ///< the median
  double spread = 0;         ///< (largest - smallest) / median
};

struct Profile {
  std::vector<ProfilePoint> points;
  /// CPU time over real time of one worker alone, the smallest of all kinds: below 1 where others
  /// used the machine.
  double cpu_share = 1;
};

/// Runs real jobs. `done` is called after each measurement. Throws Stopped, and what Runs and
/// measure_speed throw.
[[nodiscard]] Profile profile(const ProfilePlan&, const std::stop_token&,
                              const std::function<void()>& done);

/// A table of speeds as dl_cluster::SpeedTable reads it. Lines of `comment` stand in front. Epochs
/// are such that a job of max_epochs = 80 000, alone at its best speed, takes 40 slots of 1200 s.
[[nodiscard]] std::string profile_table(const Profile&, const std::vector<std::string>& comment);

}  // namespace park::dl_cluster_live
