#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "park/envs/dl_cluster/radial_basis.h"

namespace park::dl_cluster {

inline constexpr std::size_t kMostTypes = 64, kMostPoints = 1024;
inline constexpr double kMostTasks = 1024;       ///< workers or servers of a job
inline constexpr double kMostSamplesPerS = 1e9;  ///< speed of a job
inline constexpr double kMostSlots = 1024;       ///< of a node, or demanded by a task
inline constexpr double kMostEpochSize = 1e12;   ///< samples
inline constexpr std::size_t kMostTableBytes = 1 << 26;

/// What the jobs of one type have in common, beside their speed.
struct JobType {
  std::string name;
  std::array<double, 2> worker{};  ///< CPU and GPU slots that a worker needs
  std::array<double, 2> server{};  ///< the same of a parameter server
  double epoch_samples = 0;        ///< samples of an epoch, in the unit of the speeds
  double epochs = 0;               ///< of a job, as a share of max_epochs
  bool operator==(const JobType&) const = default;
};

/// The step time of `psworker` with w workers and p servers: compute_s / w + traffic_s (w / p + 1)
/// + server_s p. Computing is shared by the workers, each server sends to all workers, a worker
/// sends to all servers, and every server costs something. So the best w and p differ by type.
struct StepTime {
  double samples = 1, compute_s = 0, traffic_s = 0, server_s = 0;
  [[nodiscard]] double samples_per_s(double servers, double workers) const noexcept {
    return samples /
           (compute_s / workers + traffic_s * (workers / servers + 1) + server_s * servers);
  }
};

/// Speeds of training jobs on parameter servers and workers, by type. Immutable.
///
/// As a file it is CSV without a header. A line begins with its kind; others are comments (#) or
/// empty:
///     type,NAME,WORKER_CPU,WORKER_GPU,SERVER_CPU,SERVER_GPU,EPOCH_SAMPLES,EPOCHS
///     speed,NAME,SERVERS,WORKERS,SAMPLES_PER_S
/// Types may follow their speeds. Between points the speed is interpolated (RadialBasis).
class SpeedTable {
 public:
  struct Type {
    JobType about;
    std::vector<SpeedPoint> points;
    std::optional<StepTime> formula{};  ///< of a bundled table, in place of interpolation
    RadialBasis surface{};
  };

  /// A bundled table ("psworker", "cpu"), a file of this format, or DL2's config_speed.txt. Files
  /// that are open already, and have not changed, are shared. Throws Error{io}, and Error{bad_file}
  /// with one line per violation.
  [[nodiscard]] static std::shared_ptr<const SpeedTable> open(const std::string& table);
  /// The table of a text; `name` stands for the file in messages.
  [[nodiscard]] static SpeedTable parse(std::string_view text, const std::string& name);
  /// Our own: eight types by the formula of StepTime. Nothing of it was measured.
  [[nodiscard]] static SpeedTable psworker();
  /// REQUIRES types whose points are at different places, or which have a formula.
  explicit SpeedTable(std::vector<Type>);

  [[nodiscard]] std::span<const Type> types() const noexcept { return types_; }
  /// Samples per second of all workers; it may be 0 or below between the points.
  [[nodiscard]] double speed(std::size_t type, double servers, double workers) const noexcept;
  /// The types whose speed is 0 or below somewhere at 1 .. `servers` and 1 .. `workers`: jobs that
  /// are grown there stand still.
  [[nodiscard]] std::vector<std::string> standing_still(int servers, int workers) const;
  /// The file.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<Type> types_;
};

/// The points that a formula or a table has, for fits: those that were measured, or the grid of
/// powers of two up to 16.
[[nodiscard]] std::vector<SpeedPoint> measured_points(const SpeedTable::Type&);

/// Collects the types of a table while a text is read, and says what is wrong with them.
class SpeedTableBuilder {
 public:
  explicit SpeedTableBuilder(std::string name) : name_(std::move(name)) {}

  void add_type(JobType, std::size_t line);
  void add_point(std::string_view type, const SpeedPoint&, std::size_t line);
  void wrong(std::size_t line, const std::string& what);
  /// Whether so much is wrong that more says nothing new.
  [[nodiscard]] bool given_up() const noexcept;
  /// Throws Error{bad_file}.
  [[nodiscard]] SpeedTable build() &&;

 private:
  struct Entry {
    SpeedTable::Type type;
    std::size_t first_line = 0;
    bool described = false;
  };
  Entry& entry(std::string_view type, std::size_t line);

  std::string name_;
  std::vector<Entry> entries_;
  std::vector<std::string> wrong_;
};

}  // namespace park::dl_cluster
