// What the readers of job graphs share. A JobDraft has stages with ids and names of parents;
// resolve turns it into a profile: ids become indices, edges are checked, a cycle is named by its
// stages. add_cell turns a list of durations, or a mean and a deviation, into samples. Readers fill
// a draft line by line or member by member and resolve it when the job is complete.
#include "park/envs/dag_scheduling/workload/dag_draft.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "park/core/config.h"
#include "park/envs/dag_scheduling/workload/spread.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr std::size_t kMostStagesToCompare = 1000;  // for "did you mean"

std::string whole_text(double v) {
  return std::abs(v) < 1e15 && v == std::trunc(v) ? std::to_string(static_cast<long long>(v))
                                                  : number_text(v);
}

/// Ids of stages and the edges between them.
class Graph {
 public:
  Graph(const JobDraft& job, FileViolations& bad) : job_(job), bad_(bad) {}

  std::vector<std::vector<std::uint16_t>> parents() {
    index_stages();
    std::vector<std::vector<std::uint16_t>> all;
    for (const StageDraft& stage : job_.stages) all.push_back(parents_of(stage));
    return all;
  }

  /// The ids along a cycle, its first one again at the end; empty where there is none. A stage is
  /// left with no child unvisited when all stages that follow from it were left before.
  [[nodiscard]] std::vector<std::string> cycle(
      const std::vector<std::vector<std::uint16_t>>& parents) const {
    enum class State : char { unseen, open, left };
    std::vector<State> state(parents.size(), State::unseen);
    std::vector<std::pair<std::size_t, std::size_t>> path;  // stage, next parent to look at
    for (std::size_t start = 0; start < parents.size(); ++start) {
      if (state[start] == State::unseen) path.emplace_back(start, 0);
      while (!path.empty()) {
        auto& [s, next] = path.back();
        state[s] = State::open;
        if (next == parents[s].size()) {
          state[s] = State::left;
          path.pop_back();
          continue;
        }
        const std::size_t parent = parents[s][next++];
        if (state[parent] == State::open) return ids_from(parent, path);
        if (state[parent] == State::unseen) path.emplace_back(parent, 0);
      }
    }
    return {};
  }

 private:
  void index_stages() {
    for (std::size_t s = 0; s < job_.stages.size(); ++s) {
      const StageDraft& stage = job_.stages[s];
      if (!index_.emplace(stage.id, static_cast<std::uint16_t>(s)).second) {
        bad_.add(stage.line, stage_text(job_.name, stage.id) + ": the job has two such stages");
      }
    }
  }

  std::vector<std::uint16_t> parents_of(const StageDraft& stage) {
    std::vector<std::uint16_t> found;
    for (const std::string& parent : stage.parents) {
      const auto at = index_.find(parent);
      const std::string where = stage_text(job_.name, stage.id) + ": the parent ";
      if (at == index_.end()) {
        bad_.add(stage.line, where + shown(parent) + " is no stage of the job" + near(parent));
      } else if (std::find(found.begin(), found.end(), at->second) != found.end()) {
        bad_.add(stage.line, where + shown(parent) + " is given twice");
      } else {
        found.push_back(at->second);
      }
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  [[nodiscard]] std::string near(const std::string& id) const {
    if (job_.stages.size() > kMostStagesToCompare) return "";
    std::vector<std::string> ids;
    for (const StageDraft& stage : job_.stages) ids.push_back(stage.id);
    const std::string name = nearest(id, ids);
    return name.empty() ? "" : "; the nearest is " + shown(name);
  }

  [[nodiscard]] std::vector<std::string> ids_from(
      std::size_t stage, const std::vector<std::pair<std::size_t, std::size_t>>& path) const {
    auto at = std::find_if(path.begin(), path.end(), [&](auto& p) { return p.first == stage; });
    std::vector<std::string> ids;
    for (; at != path.end(); ++at) ids.push_back(job_.stages[at->first].id);
    ids.push_back(job_.stages[stage].id);
    return ids;
  }

  const JobDraft& job_;
  FileViolations& bad_;
  std::unordered_map<std::string, std::uint16_t> index_;
};

std::string path_text(const std::vector<std::string>& ids) {
  constexpr std::size_t kMostShown = 8;
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) text += " <- ";
    if (i + 1 < ids.size() && i >= kMostShown) return text + "... <- " + shown(ids.back());
    text += shown(ids[i]);
  }
  return text;
}

std::uint32_t to_ms(double seconds) {
  return static_cast<std::uint32_t>(std::max(1.0, std::round(seconds * 1e3)));
}

std::string check_durations(const DurationFields& fields) {
  if (fields.listed && fields.mean_s) return "durations_s and mean_s exclude each other";
  if (!fields.listed && !fields.mean_s) return "needs durations_s or mean_s";
  if (fields.sd_s && !fields.mean_s) return "sd_s needs mean_s";
  if (fields.listed && fields.durations_s.empty()) return "durations_s is empty";
  if (fields.sd_s.value_or(0) > Spread::kMost * fields.mean_s.value_or(0)) {
    return "sd_s = " + number_text(*fields.sd_s) +
           " must be at most 3 times mean_s = " + number_text(*fields.mean_s);
  }
  for (const double duration_s : fields.durations_s) {
    if (kDurationField.allows(duration_s)) continue;
    return "durations_s holds " + number_text(duration_s) + ", each must be " +
           kDurationField.allowed();
  }
  return "";
}

}  // namespace

void FileViolations::add(std::uint64_t line, const std::string& what) {
  add_line(":" + std::to_string(line) + ": " + what);
}

void FileViolations::add(const std::string& what) { add_line(": " + what); }

void FileViolations::add_line(const std::string& text) {
  lines_.add(file_ + text);
  if (lines_.size() >= kMost) throw_if_any();
}

bool NumberField::allows(double value) const noexcept {
  return std::isfinite(value) && (open_min ? value > min : value >= min) && value <= max &&
         (!whole || value == std::trunc(value));
}

std::string NumberField::allowed() const {
  return std::string(whole ? "a whole number " : "a number ") + (open_min ? "above " : "from ") +
         whole_text(min) + (open_min ? " and at most " : " to ") + whole_text(max);
}

std::optional<dag_scheduling::Wave> wave_of(std::string_view name) {
  for (const dag_scheduling::Wave wave :
       {dag_scheduling::Wave::fresh, dag_scheduling::Wave::first, dag_scheduling::Wave::rest}) {
    if (dag_scheduling::wave_name(wave) == name) return wave;
  }
  return std::nullopt;
}

std::string wrong_wave(std::string_view name) {
  return "wave = " + shown(name) + " must be fresh, first or rest";
}

std::string add_cell(dag_scheduling::StageProfile::Cell cell, const DurationFields& fields,
                     dag_scheduling::StageProfile& stage) {
  std::string wrong = check_durations(fields);
  if (!wrong.empty()) return wrong;
  for (const auto& other : stage.cells) {
    if (other.wave != cell.wave || other.executors != cell.executors) continue;
    return "durations of wave " + std::string(wave_name(cell.wave)) +
           " at executors = " + std::to_string(cell.executors) + " are given twice";
  }
  if (fields.mean_s) {
    const Spread spread(fields.sd_s.value_or(0) / *fields.mean_s);
    cell.durations_ms = spread.samples_ms(*fields.mean_s);
  } else {
    for (const double duration_s : fields.durations_s) {
      cell.durations_ms.push_back(to_ms(duration_s));
    }
  }
  stage.cells.push_back(std::move(cell));
  return "";
}

bool is_job_name(std::string_view name) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return !name.empty() && name.size() <= dag_scheduling::WorkloadLimits::kNameBytes &&
         std::none_of(name.begin(), name.end(), control);
}

dag_scheduling::JobProfile resolve(const JobDraft& job, FileViolations& bad) {
  const std::string where = "job " + shown(job.name);
  if (!is_job_name(job.name)) bad.add(job.line, where + ": a name must be " + kJobNames);
  if (job.stages.empty()) bad.add(job.line, where + ": it has no stages");
  if (job.stages.size() > dag_scheduling::WorkloadLimits::kStagesPerJob) {
    bad.add(job.line, where + ": it may have at most 10000 stages");
    return {};
  }
  Graph graph(job, bad);
  const std::size_t before = bad.size();
  const auto parents = graph.parents();
  if (bad.size() == before) {
    const std::vector<std::string> cycle = graph.cycle(parents);
    if (!cycle.empty()) bad.add(job.line, where + ": its stages form a cycle: " + path_text(cycle));
  }
  dag_scheduling::JobProfile profile{job.name, {}};
  for (std::size_t s = 0; s < job.stages.size(); ++s) {
    profile.stages.push_back(job.stages[s].profile);
    profile.stages.back().parents = parents[s];
  }
  return profile;
}

std::string stage_text(std::string_view job, std::string_view stage) {
  return "job " + shown(job) + " stage " + shown(stage);
}

}  // namespace park::dag_scheduling::workload
