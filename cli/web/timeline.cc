#include "cli/web/timeline.h"

#include <algorithm>
#include <limits>

namespace park::cli {

std::uint32_t Names::operator()(std::string_view name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  const auto number = static_cast<std::uint32_t>(all_.size());
  all_.emplace_back(name);
  numbers_.emplace(name, number);
  return number;
}

void Timeline::begin(const Episode& episode) {
  *this = {};
  episode_ = episode;
}

void Timeline::job(std::uint64_t number, std::string_view name,
                   std::span<const EventStage> stages) {
  Job& job = jobs_.emplace_back(Job{number, std::string(name), {}});
  for (const EventStage& stage : stages) {
    Stage& one = job.stages.emplace_back();
    one.parents.assign(stage.parents.begin(), stage.parents.end());
    for (const EventArg& arg : stage.args) one.args.emplace_back(arg.name, arg.value);
  }
}

void Timeline::span(std::string_view lane, double start_s, double end_s, std::string_view what,
                    std::span<const EventArg> args) {
  add(spans_, lane, start_s, end_s, what, args);
}

void Timeline::point(std::string_view lane, double time_s, std::string_view what,
                     std::span<const EventArg> args) {
  add(points_, lane, time_s, time_s, what, args);
}

void Timeline::add(Events& to, std::string_view lane, double start_s, double end_s,
                   std::string_view what, std::span<const EventArg> args) {
  const std::size_t before = to.lane.size();
  to.lane.push_back(lanes_(lane));
  to.what.push_back(whats_(what));
  to.start_s.push_back(start_s);
  to.end_s.push_back(end_s);
  begin_s_ = std::min(begin_s_.value_or(start_s), start_s);
  end_s_ = std::max(end_s_, end_s);
  for (const EventArg& arg : args) {
    auto column = std::ranges::find(to.args, arg.name, &Column::name);
    if (column == to.args.end()) column = to.args.insert(column, {std::string(arg.name), {}});
    column->values.resize(before, std::numeric_limits<double>::quiet_NaN());
    column->values.push_back(arg.value);
    if (!arg.label.empty()) labels_[column->name].try_emplace(arg.value, arg.label);
  }
  for (Column& column : to.args)
    column.values.resize(before + 1, std::numeric_limits<double>::quiet_NaN());
}

void Timeline::value(std::string_view lane, std::string_view name, double time_s, double value) {
  const auto [known, added] =
      series_numbers_.try_emplace({std::string(lane), std::string(name)}, series_.size());
  if (added) series_.push_back({std::string(lane), std::string(name), {}, {}});
  Series& series = series_[known->second];
  series.times_s.push_back(time_s);
  series.values.push_back(value);
  end_s_ = std::max(end_s_, time_s);
}

}  // namespace park::cli
