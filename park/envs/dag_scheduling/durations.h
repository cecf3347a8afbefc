#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "park/core/id_vector.h"
#include "park/envs/dag_scheduling/clock.h"
#include "park/envs/dag_scheduling/workload.h"

namespace park::dag_scheduling {

struct DurationOptions {
  bool compat = false;
  bool inflate = true;  ///< durations grow beyond the largest measured number of executors
  Ticks warmup = 0;
};

/// Draws the durations of tasks. A stage was measured at some numbers of executors of its job, its
/// levels. A task is launched while its job holds n executors. Its duration is drawn from one of
/// the two levels around n, uniformly from the durations measured there in the same wave.
///
/// Between the levels L < n < R it is L with probability (R - n) / (R - L). The mean is then the
/// linear interpolation of the two. Below the smallest level it is the smallest; above the largest
/// one the largest, times the workload's model of growth where `inflate`.
///
/// compat, as Decima's released code: L with probability (n - L) / (R - L), which is inverted. The
/// levels are always 5, 10, 20, 40, 50, 60, 80, 100. The stage's largest level replaces one that
/// was not measured.
///
/// A wave that a level did not measure is replaced. Fresh: first plus the warm-up; rest: first,
/// else fresh; first: fresh. If these are missing too, the nearest level that has one decides.
///
/// Immutable; safe from any number of threads.
class DurationTable {
 public:
  DurationTable(std::shared_ptr<const Workload>, const DurationOptions&);

  /// The durations of a stage at one number of executors.
  struct Mix {
    std::uint32_t left = 0, right = 0;  ///< rows
    std::uint64_t left_share = 0;       ///< probability of `left` in units of 2^-32
    bool inflated = false;
    std::array<double, kWaves> factor{};  ///< where inflated
  };
  /// `stage` counts all stages of the workload.
  [[nodiscard]] Mix mix(std::uint32_t stage, std::int32_t executors) const;
  /// The duration selected by 64 random bits; at least one tick.
  [[nodiscard]] Ticks draw(const Mix& m, Wave wave, std::uint64_t bits) const noexcept {
    const Row& row = rows_[(bits & 0xffffffffu) < m.left_share ? m.left : m.right];
    const Cell& cell = row.cells[static_cast<std::size_t>(wave)];
    const std::uint64_t sample = ((bits >> 32) * (cell.count >> 1)) >> 32;
    Ticks t = static_cast<Ticks>(samples_[cell.begin + sample]) * kTicksPerMs;
    if (m.inflated) t = to_ticks(to_seconds(t) * m.factor[static_cast<std::size_t>(wave)]);
    return t + ((cell.count & 1) != 0 ? options_.warmup : 0);
  }

 private:
  struct Cell {
    std::uint32_t begin = 0;
    std::uint32_t count = 0;  // 2 * samples + 1 where the warm-up is added
  };
  struct Row {
    std::int32_t executors = 0;
    std::array<Cell, kWaves> cells{};
  };
  class StageRows;

  [[nodiscard]] std::span<const Row> levels(std::uint32_t stage) const noexcept {
    return std::span(rows_).subspan(first_row_[stage], first_row_[stage + 1] - first_row_[stage]);
  }
  void add_stage(std::span<const WorkloadCell>);
  [[nodiscard]] std::uint32_t row_at(std::uint32_t stage, std::int32_t level) const noexcept;
  [[nodiscard]] Mix compat_mix(std::uint32_t stage, std::int32_t executors) const;

  std::shared_ptr<const Workload> workload_;
  DurationOptions options_;
  const std::uint32_t* samples_ = nullptr;  // of the workload
  IdVector<Row> rows_;                      // of stage s: first_row_[s] .. first_row_[s + 1] - 1
  IdVector<std::uint32_t> first_row_;
};

}  // namespace park::dag_scheduling
