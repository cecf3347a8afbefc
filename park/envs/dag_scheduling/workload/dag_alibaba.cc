// Reads batch_task of the Alibaba cluster trace. Lines of tasks come in any order; they are kept as
// small records with the number of their job and grouped by job at the end of the file. A job
// becomes a profile when all its tasks are usable: parents come from the tasks' names, durations
// from their start and end. Jobs with a fault are counted by reason. import_dag calls
// read_dag_alibaba per file.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <utility>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload/dag_collector.h"
#include "park/envs/dag_scheduling/workload/graph.h"
#include "park/files/lines.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr std::string_view kHeader =
    "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem";
constexpr double kCpuUnit = 100;         // plan_cpu of one core
constexpr double kMemoryUnit = 100;      // plan_mem of the largest machine
constexpr std::uint32_t kBelowMs = 500;  // what a task took that began and ended in one second

/// Why a job is left out.
enum class Fault : std::uint8_t { none, status, times, instances, twice, parent, cycle, size };

/// What a task's name says of the graph: R5_2_3 is task 5 and needs 2 and 3. What is no number
/// says nothing, and a name of another form is that of a task that needs none.
struct TaskName {
  std::optional<std::uint32_t> number;
  std::vector<std::uint32_t> parents;

  explicit TaskName(std::string_view text) {
    const auto letter = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); };
    const auto digit = std::find_if_not(text.begin(), text.end(), letter);
    if (digit == text.begin()) return;
    text.remove_prefix(static_cast<std::size_t>(digit - text.begin()));
    number = take_number(text);
    while (number && !text.empty()) {
      text.remove_prefix(1);
      if (const auto parent = take_number(text)) parents.push_back(*parent);
    }
    std::sort(parents.begin(), parents.end());
    parents.erase(std::unique(parents.begin(), parents.end()), parents.end());
  }

 private:
  /// Takes off what is before the next '_'; a number or nothing.
  static std::optional<std::uint32_t> take_number(std::string_view& text) {
    const std::string_view part = text.substr(0, text.find('_'));
    text.remove_prefix(part.size());
    std::uint32_t n = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), n);
    if (error != std::errc{} || end != part.data() + part.size()) return std::nullopt;
    return n;
  }
};

class AlibabaReader {
 public:
  AlibabaReader(const std::string& file, DagCollector& into)
      : into_(into), bad_(file), allowed_(into.options().status) {}

  void read(files::ByteSource& source) {
    files::LineReader lines(source, bad_.file());
    std::string_view line;
    while (lines.next(line)) {
      ++into_.report().lines;
      number_ = lines.number();
      if (number_ == 1 && line == kHeader) continue;
      if (!line.empty() && split(line)) read_task();
    }
    bad_.throw_if_any();
    group_tasks();
    for (std::uint32_t j = 0; j < jobs_.size(); ++j) finish(j);
    bad_.throw_if_any();
    add_notes();
  }

 private:
  enum Column { task_name, instances, job_name, task_type, status, start, end, cpu, memory };
  static constexpr std::size_t kColumns = 9;

  struct Job {
    std::string name;
    std::uint64_t line;
    Fault fault = Fault::none;
    std::uint32_t tasks = 0, first = 0;  ///< in order_
  };
  struct Task {
    std::uint32_t job, instances;
    double start_s;
    std::uint32_t duration_ms;
    float cpus, memory;
    std::uint64_t name_hash;
    std::uint32_t number, parents;  ///< number: of the graph, where it is numbered
    std::uint64_t first_parent;
    bool numbered, no_demand;
  };

  void wrong(const std::string& what) { bad_.add(number_, what); }

  bool split(std::string_view line) {
    std::size_t count = 0;
    for (bool more = true; more; ++count) {
      const std::size_t comma = line.find(',');
      if (count < kColumns) field_[count] = line.substr(0, comma);
      more = comma != std::string_view::npos;
      if (more) line.remove_prefix(comma + 1);
    }
    if (count == kColumns) return true;
    wrong("there are " + std::to_string(count) + " fields, must be 9: " + std::string(kHeader));
    return false;
  }

  /// 0 where the field is empty; otherwise a number of at least 0, or a violation.
  double number(Column column, const char* name) {
    const std::string_view text = field_[column];
    double v = 0;
    if (text.empty()) return v;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), v);
    if (error == std::errc{} && stop == text.data() + text.size() && v >= 0 && v <= 1e12) return v;
    wrong(std::string(name) + " = " + shown(text) + " must be a number from 0 to 1e12, or empty");
    return 0;
  }

  void read_task() {
    const std::string name(field_[job_name]);
    if (name.empty()) return wrong("job_name is empty");
    auto known = index_.find(name);
    if (known == index_.end()) {
      if (!into_.wants(name)) return;
      known = index_.emplace(name, static_cast<std::uint32_t>(jobs_.size())).first;
      add_job(name);
    }
    Job& job = jobs_[known->second];
    Task task{};
    task.job = known->second;
    const double count = number(instances, "instance_num");
    task.start_s = number(start, "start_time");
    const double end_s = number(end, "end_time");
    task.cpus = static_cast<float>(number(cpu, "plan_cpu") / kCpuUnit);
    task.memory = static_cast<float>(number(memory, "plan_mem") / kMemoryUnit);
    task.no_demand = field_[cpu].empty() || field_[memory].empty();
    if (job.fault == Fault::none) job.fault = fault_of(count, task.start_s, end_s);
    if (job.fault != Fault::none) return;
    task.instances = static_cast<std::uint32_t>(count);
    const double took_ms = std::round((end_s - task.start_s) * 1e3);
    task.duration_ms = took_ms < 1 ? 0 : static_cast<std::uint32_t>(took_ms);
    add_task(job, task);
  }

  void add_job(const std::string& name) {
    if (!is_job_name(name)) wrong("job_name = " + shown(name) + " must be " + kJobNames);
    jobs_.push_back({name, number_});
  }

  void add_task(Job& job, Task task) {
    const TaskName name(field_[task_name]);
    task.numbered = name.number.has_value();
    task.number = name.number.value_or(0);
    task.name_hash = hash_text(field_[task_name]);
    task.first_parent = parents_.size();
    task.parents = static_cast<std::uint32_t>(name.parents.size());
    parents_.insert(parents_.end(), name.parents.begin(), name.parents.end());
    tasks_.push_back(task);
    if (++job.tasks > dag_scheduling::WorkloadLimits::kStagesPerJob) job.fault = Fault::size;
  }

  [[nodiscard]] Fault fault_of(double count, double start_s, double end_s) const {
    if (std::find(allowed_.begin(), allowed_.end(), field_[status]) == allowed_.end()) {
      return Fault::status;
    }
    if (start_s <= 0 || end_s < start_s || end_s - start_s > kMostSeconds) return Fault::times;
    const bool whole =
        count == std::trunc(count) && count <= dag_scheduling::WorkloadLimits::kTasks;
    return count < 1 || !whole ? Fault::instances : Fault::none;
  }

  /// The tasks job by job, whatever their order in the file.
  void group_tasks() {
    std::uint32_t first = 0;
    for (Job& job : jobs_) {
      job.first = first;
      first += std::exchange(job.tasks, 0);
    }
    order_.resize(tasks_.size());
    for (std::uint32_t t = 0; t < tasks_.size(); ++t) {
      Job& job = jobs_[tasks_[t].job];
      order_[job.first + job.tasks++] = t;
    }
  }

  void finish(std::uint32_t j) {
    Job& job = jobs_[j];
    const std::span order(order_.data() + job.first, job.tasks);
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return key(tasks_[a]) < key(tasks_[b]);
    });
    dag_scheduling::JobProfile profile{job.name, {}};
    if (job.fault == Fault::none) job.fault = connect(order, profile);
    if (job.fault != Fault::none) {
      return into_.drop(reason(job.fault), "job " + shown(job.name) + " (" + bad_.file() + ":" +
                                               std::to_string(job.line) + ")");
    }
    double start_s = tasks_[order[0]].start_s;
    for (const std::uint32_t t : order) {
      start_s = std::min(start_s, tasks_[t].start_s);
      below_ += tasks_[t].duration_ms == 0;
      plain_ += !tasks_[t].numbered;
      no_demand_ += tasks_[t].no_demand;
    }
    if (!into_.add(profile, start_s)) {
      bad_.add(job.line, "job " + shown(job.name) + ": the name occurs in another file too");
    }
  }

  /// Numbered tasks by number, then the others in the order of the file.
  static std::pair<bool, std::uint32_t> key(const Task& task) {
    return {!task.numbered, task.number};
  }

  Fault connect(std::span<const std::uint32_t> order, dag_scheduling::JobProfile& profile) const {
    std::unordered_map<std::uint32_t, std::uint16_t> stage_of;
    std::vector<std::uint64_t> names;
    for (const std::uint32_t t : order) {
      const Task& task = tasks_[t];
      const auto stage = static_cast<std::uint16_t>(profile.stages.size());
      if (task.numbered && !stage_of.emplace(task.number, stage).second) return Fault::twice;
      if (!task.numbered) names.push_back(task.name_hash);
      add_stage(task, profile);
    }
    std::sort(names.begin(), names.end());
    if (std::adjacent_find(names.begin(), names.end()) != names.end()) return Fault::twice;
    for (std::size_t s = 0; s < order.size(); ++s) {
      const Task& task = tasks_[order[s]];
      for (std::uint64_t p = task.first_parent; p < task.first_parent + task.parents; ++p) {
        const auto parent = stage_of.find(parents_[p]);
        if (parent == stage_of.end()) return Fault::parent;
        profile.stages[s].parents.push_back(parent->second);
      }
    }
    return topological(profile).size() == order.size() ? Fault::none : Fault::cycle;
  }

  static void add_stage(const Task& task, dag_scheduling::JobProfile& profile) {
    dag_scheduling::StageProfile& stage = profile.stages.emplace_back();
    stage.tasks = static_cast<std::int32_t>(task.instances);
    stage.cpus = task.cpus;
    stage.memory = task.memory;
    const std::uint32_t ms = task.duration_ms == 0 ? kBelowMs : task.duration_ms;
    stage.cells = {{dag_scheduling::Wave::rest, 1, {ms}}};
  }

  [[nodiscard]] std::string reason(Fault fault) const {
    std::string status_text;
    for (const std::string& one : allowed_)
      status_text += (status_text.empty() ? "" : " or ") + one;
    switch (fault) {
      case Fault::status:
        return "a task's status is not " + status_text;
      case Fault::times:
        return "a task has no start_time or end_time, ends before it starts or takes over 49 days";
      case Fault::instances:
        return "a task's instance_num is no whole number from 1 to 10000000";
      case Fault::twice:
        return "two tasks have the same number or name";
      case Fault::parent:
        return "a task depends on a number that no task has";
      case Fault::cycle:
        return "its tasks depend on each other in a cycle";
      default:
        return "more than 10000 tasks";
    }
  }

  void add_notes() {
    const auto note = [&](const std::string& what, std::uint64_t count) {
      if (count == 0) return;
      into_.report().notes.push_back(bad_.file() + ": " + what + ": " + std::to_string(count));
    };
    note("stages that began and ended in the same second, taken as 0.5 s", below_);
    note("stages without a number in their name, taken as without parents", plain_);
    note("stages without plan_cpu or plan_mem, taken as 0", no_demand_);
  }

  DagCollector& into_;
  FileViolations bad_;
  const std::vector<std::string>& allowed_;  ///< statuses
  std::uint64_t number_ = 0;                 ///< of the line
  std::array<std::string_view, kColumns> field_{};
  std::unordered_map<std::string, std::uint32_t> index_;
  std::deque<Job> jobs_;
  std::deque<Task> tasks_;
  std::deque<std::uint32_t> parents_;
  std::vector<std::uint32_t> order_;
  std::uint64_t below_ = 0, plain_ = 0, no_demand_ = 0;  ///< stages of jobs that were kept
};

}  // namespace

void read_dag_alibaba(files::ByteSource& source, const std::string& file, DagCollector& into) {
  AlibabaReader(file, into).read(source);
}

}  // namespace park::dag_scheduling::workload
