#include "park/envs/dag_scheduling/durations.h"

#include <algorithm>
#include <utility>

namespace park::dag_scheduling {
namespace {

constexpr std::uint64_t kCertain = std::uint64_t{1} << 32;  // a probability of 1

// Decima's executor_data_point.
constexpr std::array<std::int32_t, 8> kCompatLevels = {5, 10, 20, 40, 50, 60, 80, 100};

std::vector<std::int32_t> levels_of(std::span<const WorkloadCell> cells) {
  std::vector<std::int32_t> levels;
  for (const WorkloadCell& c : cells) levels.push_back(c.executors);
  std::ranges::sort(levels);
  levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
  return levels;
}

}  // namespace

/// Finds the cells that a stage's rows use.
class DurationTable::StageRows {
 public:
  explicit StageRows(std::span<const WorkloadCell> cells)
      : cells_(cells), levels_(levels_of(cells)) {}

  [[nodiscard]] std::vector<Row> rows() const {
    std::vector<Row> all;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      Row& row = all.emplace_back();
      row.executors = levels_[i];
      for (const Wave w : {Wave::fresh, Wave::first, Wave::rest})
        row.cells[static_cast<std::size_t>(w)] = find(i, w);
    }
    return all;
  }

 private:
  [[nodiscard]] std::optional<Cell> measured(std::size_t level, Wave wave, bool warmup) const {
    for (const WorkloadCell& c : cells_)
      if (c.wave == wave && c.executors == levels_[level])
        return Cell{c.begin, 2 * c.count + (warmup ? 1 : 0)};
    return std::nullopt;
  }

  /// At one level, with what takes the place of a wave that is missing there.
  [[nodiscard]] std::optional<Cell> at(std::size_t level, Wave wave) const {
    const auto first_of = [](auto a, auto b) { return a ? a : b; };
    const auto fresh = measured(level, Wave::fresh, false);
    const auto first = measured(level, Wave::first, wave == Wave::fresh);
    if (wave == Wave::fresh) return first_of(fresh, first);
    if (wave == Wave::first) return first_of(first, fresh);
    return first_of(measured(level, Wave::rest, false), first_of(first, fresh));
  }

  [[nodiscard]] Cell find(std::size_t level, Wave wave) const {
    for (std::size_t away = 0; away < levels_.size(); ++away) {
      if (level >= away)
        if (const auto c = at(level - away, wave)) return *c;
      if (level + away < levels_.size())
        if (const auto c = at(level + away, wave)) return *c;
    }
    return only_rest(level, wave);
  }

  /// A stage of which nothing but `rest` was measured, at every level.
  [[nodiscard]] Cell only_rest(std::size_t level, Wave wave) const {
    return *measured(level, Wave::rest, wave == Wave::fresh);
  }

  std::span<const WorkloadCell> cells_;
  std::vector<std::int32_t> levels_;
};

DurationTable::DurationTable(std::shared_ptr<const Workload> workload,
                             const DurationOptions& options)
    : workload_(std::move(workload)), options_(options), first_row_(1, 0) {
  for (const Workload::Job& job : workload_->jobs())
    for (const Workload::Stage& stage : workload_->stages(job)) add_stage(workload_->cells(stage));
  const Workload::Job& job = workload_->jobs().front();
  const WorkloadCell& cell = workload_->cells(workload_->stages(job).front()).front();
  samples_ = workload_->durations_ms(cell).data() - cell.begin;
}

void DurationTable::add_stage(std::span<const WorkloadCell> cells) {
  const std::vector<Row> rows = StageRows(cells).rows();
  rows_.insert(rows_.end(), rows.begin(), rows.end());
  first_row_.push_back(static_cast<std::uint32_t>(rows_.size()));
}

DurationTable::Mix DurationTable::mix(std::uint32_t stage, std::int32_t executors) const {
  if (options_.compat) return compat_mix(stage, executors);
  const std::span<const Row> rows = levels(stage);
  const auto right = std::ranges::lower_bound(rows, executors, {}, &Row::executors);
  const auto index = first_row_[stage] + static_cast<std::uint32_t>(right - rows.begin());
  if (right == rows.end()) {
    Mix m{index - 1, index - 1, kCertain, options_.inflate && workload_->inflation().present, {}};
    for (const Wave w : {Wave::fresh, Wave::first, Wave::rest})
      m.factor[static_cast<std::size_t>(w)] =
          workload_->inflation().factor(w, rows.back().executors, executors);
    return m;
  }
  if (right == rows.begin() || right->executors == executors)
    return {index, index, kCertain, false, {}};
  const auto left = std::prev(right);
  const auto width = static_cast<std::uint64_t>(right->executors - left->executors);
  const auto above = static_cast<std::uint64_t>(right->executors - executors);
  return {index - 1, index, (above << 32) / width, false, {}};
}

DurationTable::Mix DurationTable::compat_mix(std::uint32_t stage, std::int32_t executors) const {
  const auto right = std::ranges::lower_bound(kCompatLevels, executors);
  const bool exact =
      right == kCompatLevels.begin() || right == kCompatLevels.end() || *right == executors;
  const std::int32_t high = right == kCompatLevels.end() ? kCompatLevels.back() : *right;
  const std::uint32_t at_right = row_at(stage, high);
  if (exact) return {at_right, at_right, kCertain, false, {}};
  const std::int32_t low = *std::prev(right);
  const auto above_left = static_cast<std::uint64_t>(executors - low);
  return {row_at(stage, low),
          at_right,
          (above_left << 32) / static_cast<std::uint64_t>(high - low),
          false,
          {}};
}

std::uint32_t DurationTable::row_at(std::uint32_t stage, std::int32_t level) const noexcept {
  const std::span<const Row> rows = levels(stage);
  const auto row = std::ranges::find(rows, level, &Row::executors);
  const auto index = row == rows.end() ? std::ssize(rows) - 1 : row - rows.begin();
  return first_row_[stage] + static_cast<std::uint32_t>(index);
}

}  // namespace park::dag_scheduling
