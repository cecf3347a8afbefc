#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dl_cluster/config.h"

namespace park::dl_cluster {

/// A type of job of model=allreduce. Step time, throughput and goodput are those of Pollux (Qiao et
/// al., OSDI 2021, section 3). The time of a ring all-reduce takes the place of the time that
/// Pollux fits.
struct TrainingType {
  double step_s, sample_s;         ///< gradients of m samples on one GPU take step_s + sample_s m
  double model_mb;                 ///< that every step exchanges
  double first_batch, most_batch;  ///< M0, and the largest M
  double gpu_batch;                ///< most samples that a GPU holds
  double noise, noise_growth;      ///< gradient noise scale: noise (1 + noise_growth progress)
  double share;                    ///< of the jobs
  double least_hours, most_hours;  ///< on one GPU; logarithms are uniform
};

/// Settings of our own: from short jobs that scale badly to long ones that scale well.
inline constexpr std::array<TrainingType, 5> kTrainingTypes{{
    {.02, .0006, 45, 128, 4096, 1024, 900, 9, .38, .1, 1},
    {.01, .00001, 25, 1024, 32768, 8192, 3000, 5, .36, .1, 1},
    {.05, .004, 350, 20, 640, 64, 100, 5, .17, 1, 10},
    {.08, .02, 240, 8, 512, 16, 60, 9, .06, 10, 60},
    {.06, .003, 100, 200, 12800, 256, 4000, 9, .03, 60, 200},
}};

/// The type whose part of [0, 1) has u in it.
[[nodiscard]] std::int32_t drawn_type(double u) noexcept;

/// Time of a step of K GPUs with m samples each: (T_grad^g + T_sync^g)^(1/g), g = 1.6, and `more`
/// steps of T_grad alone, whose gradients are accumulated. T_sync = 2 (K - 1) / K S / B + (K - 1)
/// latency; B = 10 GB/s within a node and 1.25 GB/s across nodes, latency 0.1 ms.
[[nodiscard]] double step_time_s(const TrainingType&, double gpus, double gpu_samples, double more,
                                 bool across_nodes) noexcept;

/// Goodput: samples per second times the statistical efficiency (noise + M0) / (noise + M), at the
/// batch M that is best. M is one of a grid from M0 to the largest; samples that the GPUs cannot
/// hold at once are accumulated.
[[nodiscard]] double goodput(const TrainingType&, double noise, double gpus,
                             bool across_nodes) noexcept;

/// Numbers of GPUs of the ladder that users who have tuned a job of this type ask for. At the
/// beginning of its training these numbers give 50 to 80 % of the ideal speed-up (Pollux, section
/// 5.1). The ideal speed-up of a number of GPUs is that number. Where no number does so, the result
/// is the largest that gives more.
[[nodiscard]] std::vector<std::int32_t> tuned_requests(const DlClusterConfig&, std::size_t type);
/// The same with speed-ups relative to one GPU, of each rung of the ladder.
[[nodiscard]] std::vector<std::int32_t> tuned_requests(std::span<const std::int32_t> ladder,
                                                       std::span<const double> speedups);

/// Goodput by type, stage of training and rung, relative to that of one GPU at the same stage. The
/// noise scale is that in the middle of one of kStages equal parts of the training.
class GoodputTable {
 public:
  static constexpr std::size_t kStages = 16;
  /// With a table, the speeds of its types at one server in place of goodput, at every stage. Throws
  /// what SpeedTable::open throws, and Error{bad_file} where a speed is not above 0.
  explicit GoodputTable(const DlClusterConfig&);

  /// GPUs of each rung above 0.
  [[nodiscard]] const std::vector<std::int32_t>& ladder() const noexcept { return ladder_; }
  [[nodiscard]] static std::size_t stage(double progress) noexcept;
  /// REQUIRES a rung of the ladder.
  [[nodiscard]] double at(std::size_t type, std::size_t stage, std::size_t rung,
                          bool across_nodes) const noexcept {
    return relative_[place(type, stage, rung, across_nodes)];
  }

 private:
  [[nodiscard]] std::size_t place(std::size_t type, std::size_t stage, std::size_t rung,
                                  bool across) const noexcept {
    return ((type * kStages + stage) * ladder_.size() + rung) * 2 + (across ? 1 : 0);
  }
  void fill(std::size_t type, std::size_t rung, bool across, double power);
  void fill_from(const std::string& table);

  std::vector<std::int32_t> ladder_;
  std::vector<double> relative_;  // [types, stages, rungs, 2]
};

}  // namespace park::dl_cluster
