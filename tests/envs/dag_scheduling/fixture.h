// Shared parts of the tests of dag_scheduling: small workloads, a Game that plays one environment
// step by step, and an EventLog of a timeline's reports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/action_space.h"
#include "park/core/config.h"
#include "park/core/env.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/dag_scheduling.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/kit/temporary_file.h"

namespace park::test {

class WorkloadFile : public TemporaryFile {
 public:
  explicit WorkloadFile(const std::vector<dag_scheduling::JobProfile>& jobs,
                        const dag_scheduling::Inflation& inflation = {})
      : TemporaryFile("") {
    dag_scheduling::WorkloadBuilder builder("test", "made by a test", inflation);
    for (const dag_scheduling::JobProfile& job : jobs) builder.add_job(job);
    dag_scheduling::write_workload(builder.build(), path());
  }
};

using Cells = std::vector<dag_scheduling::StageProfile::Cell>;

inline dag_scheduling::StageProfile stage(std::int32_t tasks, std::vector<std::uint16_t> parents,
                                          Cells cells) {
  dag_scheduling::StageProfile s;
  s.tasks = tasks;
  s.parents = std::move(parents);
  s.cells = std::move(cells);
  return s;
}
/// Every task takes the same time, warm or not.
inline dag_scheduling::StageProfile constant_stage(std::int32_t tasks, std::uint32_t ms,
                                                   std::vector<std::uint16_t> parents = {}) {
  using dag_scheduling::Wave;
  return stage(tasks, std::move(parents),
               {{Wave::fresh, 1, {ms}}, {Wave::first, 1, {ms}}, {Wave::rest, 1, {ms}}});
}

/// One environment, played by hand.
class Game {
 public:
  explicit Game(const std::string& fields)
      : config_(parse_config<dag_scheduling::DagSchedulingConfig>(
            parse_text("dag_scheduling(" + fields + ")"))),
        spec_(dag_scheduling::DagScheduling::spec(config_)),
        space_(spec_),
        env_(std::make_unique<dag_scheduling::DagScheduling>(config_)),
        observation_(spec_.observation),
        action_(spec_.action) {
    action_.resize(1);
  }

  void reset(const Episode& e = {}) {
    observation_.clear();
    last_ = {};
    reward_ = elapsed_s_ = 0;
    decisions_ = 0;
    env_->reset(e, observation_.append());
  }
  /// Throws where the choice is not legal.
  void choose(std::int32_t stage, std::int32_t limit, std::int32_t executor_class = 0) {
    action("stage") = stage;
    action("limit") = limit;
    action("class") = executor_class;
    if (!space_.legal(row(), action_row())) throw std::logic_error("not legal");
    step();
  }
  /// The first legal stage gets as much as possible.
  void choose_first() { choose(legal().at(0), config_.executors, class_of(legal().at(0))); }
  void choose_random(Rng& rng) {
    space_.sample(row(), action_.row(0), rng);
    step();
  }

  [[nodiscard]] bool over() const { return last_.end != End::none; }
  [[nodiscard]] const Outcome& last() const { return last_; }
  [[nodiscard]] double reward() const { return reward_; }
  [[nodiscard]] double elapsed_s() const { return elapsed_s_; }
  [[nodiscard]] std::uint64_t decisions() const { return decisions_; }
  [[nodiscard]] double now() const { return f64("cluster.time_s"); }
  [[nodiscard]] ConstRow row() const { return observation_.row(0); }
  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] const ActionSpace& space() const { return space_; }
  [[nodiscard]] dag_scheduling::DagScheduling& env() { return *env_; }
  [[nodiscard]] const dag_scheduling::Cluster& cluster() const { return env_->cluster(); }
  [[nodiscard]] std::size_t count(const char* group) const {
    return row().count(observation_.group(group));
  }

  template <class T>
  [[nodiscard]] T value(const char* leaf, std::size_t i = 0) const {
    return row()[observation_.field<T>(leaf)][i];
  }
  [[nodiscard]] float f32(const char* leaf, std::size_t i = 0) const {
    return value<float>(leaf, i);
  }
  [[nodiscard]] double f64(const char* leaf, std::size_t i = 0) const {
    return value<double>(leaf, i);
  }
  [[nodiscard]] int i32(const char* leaf, std::size_t i = 0) const {
    return value<std::int32_t>(leaf, i);
  }
  [[nodiscard]] bool flag(const char* leaf, std::size_t i = 0) const {
    return value<std::uint8_t>(leaf, i) != 0;
  }
  /// Stages that may be chosen.
  [[nodiscard]] std::vector<int> legal() const {
    std::vector<int> all;
    for (std::size_t s = 0; s < count("stages"); ++s)
      if (flag("mask.stage", s)) all.push_back(static_cast<int>(s));
    return all;
  }
  [[nodiscard]] std::int32_t class_of(int stage) const {
    const auto classes = env_->cluster().classes();
    for (std::size_t c = 0; c < classes; ++c)
      if (flag("mask.class", static_cast<std::size_t>(stage) * classes + c))
        return static_cast<std::int32_t>(c);
    throw std::logic_error("no class");
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec_.metrics.size());
    env_->metrics(all);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (spec_.metrics[i].name == name) return all[i];
    throw std::logic_error("no such metric");
  }

 private:
  std::int32_t& action(const char* head) {
    return action_.row(0).scalar(action_.field<std::int32_t>(head));
  }
  [[nodiscard]] ConstRow action_row() const { return action_.row(0); }
  void step() {
    Batch next(spec_.observation);
    last_ = env_->step(action_row(), next.append());
    std::swap(observation_, next);
    reward_ += last_.reward;
    elapsed_s_ += last_.elapsed_s;
    ++decisions_;
  }

  dag_scheduling::DagSchedulingConfig config_;
  Spec spec_;
  ActionSpace space_;
  std::unique_ptr<dag_scheduling::DagScheduling> env_;
  Batch observation_, action_;
  Outcome last_;
  double reward_ = 0, elapsed_s_ = 0;
  std::uint64_t decisions_ = 0;
};

/// What an environment reports to a timeline.
class EventLog final : public EventSink {
 public:
  struct Entry {
    std::string lane, what;
    double start_s = 0, end_s = 0;
    std::vector<std::pair<std::string, double>> args;
    [[nodiscard]] double arg(std::string_view name) const {
      for (const auto& [key, value] : args)
        if (key == name) return value;
      throw std::logic_error("no such argument");
    }
  };
  struct Job {
    std::uint64_t number;
    std::string name;
    std::vector<std::vector<std::uint16_t>> parents;
    std::vector<double> tasks;
    std::vector<double> memory;  ///< of a task of each stage, where that is told
  };
  std::vector<Entry> spans, points, values;
  std::vector<Job> jobs;
  std::vector<std::string> lanes;

  void begin(const Episode&) override {}
  void lane(std::string_view name) override { lanes.emplace_back(name); }
  void job(std::uint64_t number, std::string_view name,
           std::span<const EventStage> stages) override {
    Job& job = jobs.emplace_back(Job{number, std::string(name), {}, {}, {}});
    for (const EventStage& stage : stages) {
      job.parents.emplace_back(stage.parents.begin(), stage.parents.end());
      job.tasks.push_back(stage.args[0].value);
      for (const EventArg& a : stage.args)
        if (a.name == "memory") job.memory.push_back(a.value);
    }
  }
  void span(std::string_view lane, double start_s, double end_s, std::string_view what,
            std::span<const EventArg> args) override {
    add(spans, lane, start_s, end_s, what, args);
  }
  void point(std::string_view lane, double time_s, std::string_view what,
             std::span<const EventArg> args) override {
    add(points, lane, time_s, time_s, what, args);
  }
  void value(std::string_view, std::string_view series, double time_s, double v) override {
    add(values, series, time_s, v, "", {});
  }
  [[nodiscard]] std::vector<Entry> points_called(std::string_view what) const {
    std::vector<Entry> found;
    for (const Entry& e : points)
      if (e.what == what) found.push_back(e);
    return found;
  }

 private:
  static void add(std::vector<Entry>& to, std::string_view lane, double start_s, double end_s,
                  std::string_view what, std::span<const EventArg> args) {
    Entry& e = to.emplace_back();
    e.lane = lane;
    e.what = what;
    e.start_s = start_s;
    e.end_s = end_s;
    for (const EventArg& a : args) e.args.emplace_back(a.name, a.value);
  }
};

}  // namespace park::test
