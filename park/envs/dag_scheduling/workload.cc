// Checks and shared copies of workloads. A workload is columns: jobs, stages, parents, cells,
// samples; each element of one column owns a range of the next. Checker goes over the columns once,
// in that order, and collects violations; fill_means computes means afterwards. The cache holds no
// workload alive and reads a file again when it has changed. Readers and builders construct
// workloads, models open them.
#include "park/envs/dag_scheduling/workload.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <utility>

#include "park/core/data_path.h"
#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "park/files/stamp_cache.h"

namespace park::dag_scheduling {
namespace {

constexpr std::size_t kMaxLines = 20;

bool is_demand(double value) { return std::isfinite(value) && value >= 0; }

bool is_name(std::string_view text) {
  const auto printable = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f; };
  return !text.empty() && text.size() <= WorkloadLimits::kNameBytes &&
         std::all_of(text.begin(), text.end(), printable);
}

/// Checks the columns of a workload; stops adding lines at kMaxLines.
class Checker {
 public:
  explicit Checker(const Workload::Data& data) : data_(data) {}

  void run() {
    check_head();
    check_layout();
    lines_.throw_if_any(Errc::bad_file);  // what follows relies on the layout
    for (std::size_t j = 0; j < data_.jobs.size(); ++j) check_job(j);
    check_unique();
    lines_.throw_if_any(Errc::bad_file);
  }

 private:
  void add(std::string line) {
    if (lines_.size() < kMaxLines) lines_.add(std::move(line));
  }

  void check_head() {
    if (!is_name(data_.name)) add("name: must be 1 to 256 bytes without control characters");
    if (data_.provenance.size() > WorkloadLimits::kTextBytes) {
      add("provenance: must be at most 65536 bytes");
    }
    if (data_.jobs.empty()) add("jobs: there must be at least one");
    if (data_.jobs.size() > WorkloadLimits::kJobs) add("jobs: there may be at most 1000000");
    const Inflation& inflation = data_.inflation;
    bool sane = std::isfinite(inflation.fitted_to) && inflation.fitted_to >= 1;
    for (const Inflation::Growth& law : inflation.growth) {
      sane = sane && is_demand(law.slope) && std::isfinite(law.power) && law.power > 0;
    }
    if (!sane) add("inflation: coefficients must be finite, slopes at least 0, powers above 0");
  }

  /// Every element belongs to exactly one owner, in order.
  void check_layout() {
    std::size_t stages = 0, parents = 0, cells = 0, samples = 0;
    for (const Workload::Job& job : data_.jobs) {
      if (job.first_stage != stages) return add("jobs: their stages are not in a row");
      stages += job.stages;
    }
    for (const Workload::Stage& stage : data_.stages) {
      if (stage.first_parent != parents || stage.first_cell != cells) {
        return add("stages: their parents or cells are not in a row");
      }
      parents += stage.parents;
      cells += stage.cells;
    }
    for (const WorkloadCell& cell : data_.cells) {
      if (cell.begin != samples) return add("cells: their durations are not in a row");
      samples += cell.count;
    }
    if (stages != data_.stages.size() || parents != data_.parents.size() ||
        cells != data_.cells.size() || samples != data_.durations_ms.size()) {
      add("counts: they do not add up");
    }
  }

  void check_job(std::size_t index) {
    const Workload::Job& job = data_.jobs[index];
    if (!is_name(job.name)) {
      return add("job number " + std::to_string(index) +
                 ": its name must be 1 to 256 bytes without control characters");
    }
    const std::string where = "job " + job.name;
    if (job.stages == 0) return add(where + ": it has no stages");
    if (job.stages > WorkloadLimits::kStagesPerJob) {
      return add(where + ": it may have at most 10000 stages");
    }
    const std::size_t before = lines_.size();
    for (std::uint32_t s = 0; s < job.stages; ++s) {
      check_stage(where + " stage " + std::to_string(s), job, data_.stages[job.first_stage + s]);
    }
    if (lines_.size() == before && has_cycle(job)) add(where + ": its stages form a cycle");
  }

  void check_stage(const std::string& where, const Workload::Job& job,
                   const Workload::Stage& stage) {
    if (stage.tasks < 1 || stage.tasks > WorkloadLimits::kTasks) {
      add(where + ": tasks must be 1 to 10000000");
    }
    if (!is_demand(stage.cpus) || !is_demand(stage.memory)) {
      add(where + ": cpus and memory must be finite and at least 0");
    }
    if (!is_demand(stage.run_s) || !is_demand(stage.cpu_s)) {
      add(where + ": run and CPU time must be finite and at least 0");
    }
    const std::uint16_t* parents = data_.parents.data() + stage.first_parent;
    for (std::uint32_t i = 0; i < stage.parents; ++i) {
      if (parents[i] >= job.stages) return add(where + ": a parent is no stage of the job");
      if (i > 0 && parents[i] <= parents[i - 1]) {
        return add(where + ": parents must be ascending and different");
      }
    }
    check_cells(where, stage);
  }

  void check_cells(const std::string& where, const Workload::Stage& stage) {
    if (stage.cells == 0) return add(where + ": it has no measured durations");
    const WorkloadCell* cells = data_.cells.data() + stage.first_cell;
    for (std::uint32_t i = 0; i < stage.cells; ++i) {
      const WorkloadCell& cell = cells[i];
      if (static_cast<std::size_t>(cell.wave) >= kWaves) return add(where + ": unknown wave");
      if (cell.executors < 1) return add(where + ": a cell's executors must be at least 1");
      if (cell.count < 1) return add(where + ": a cell is empty");
      if (i > 0 && std::pair(cell.wave, cell.executors) <=
                       std::pair(cells[i - 1].wave, cells[i - 1].executors)) {
        return add(where + ": cells must be sorted by wave and executors, no two alike");
      }
      const auto first = data_.durations_ms.begin() + cell.begin;
      if (std::find(first, first + cell.count, 0u) != first + cell.count) {
        return add(where + ": durations must be at least 1 ms");
      }
    }
  }

  /// Kahn's algorithm over the edges child -> parents. REQUIRES parents within the job.
  [[nodiscard]] bool has_cycle(const Workload::Job& job) const {
    const std::span stages(data_.stages.data() + job.first_stage, job.stages);
    const auto parents_of = [&](std::size_t s) {
      return std::span(data_.parents.data() + stages[s].first_parent, stages[s].parents);
    };
    std::vector<std::uint32_t> children(stages.size(), 0), ready;
    for (std::size_t s = 0; s < stages.size(); ++s) {
      for (const std::uint16_t parent : parents_of(s)) ++children[parent];
    }
    for (std::uint32_t s = 0; s < job.stages; ++s) {
      if (children[s] == 0) ready.push_back(s);
    }
    std::size_t done = 0;
    for (; !ready.empty(); ++done) {
      const std::uint32_t s = ready.back();
      ready.pop_back();
      for (const std::uint16_t parent : parents_of(s)) {
        if (--children[parent] == 0) ready.push_back(parent);
      }
    }
    return done != stages.size();
  }

  void check_unique() {
    std::vector<std::string_view> names;
    for (const Workload::Job& job : data_.jobs) names.push_back(job.name);
    std::sort(names.begin(), names.end());
    for (std::size_t i = 1; i < names.size(); ++i) {
      const bool repeated = i > 1 && names[i - 1] == names[i - 2];  // one line per name
      if (names[i] == names[i - 1] && !repeated && is_name(names[i])) {
        add("job " + std::string(names[i]) + ": the name occurs more than once");
      }
    }
  }

  const Workload::Data& data_;
  Violations lines_;
};

void fill_means(Workload::Data& data) {
  for (Workload::Stage& stage : data.stages) {
    std::uint64_t sum = 0, count = 0;
    for (std::uint32_t c = 0; c < stage.cells; ++c) {
      const WorkloadCell& cell = data.cells[stage.first_cell + c];
      const auto first = data.durations_ms.begin() + cell.begin;
      sum = std::accumulate(first, first + cell.count, sum);
      count += cell.count;
    }
    stage.mean_duration_s = static_cast<double>(sum) / static_cast<double>(count) / 1e3;
  }
}

}  // namespace

Workload::Workload(Data data) : data_(std::move(data)) {
  Checker(data_).run();
  fill_means(data_);
  by_name_.resize(data_.jobs.size());
  std::iota(by_name_.begin(), by_name_.end(), 0u);
  std::sort(by_name_.begin(), by_name_.end(), [this](std::uint32_t a, std::uint32_t b) {
    return data_.jobs[a].name < data_.jobs[b].name;
  });
}

std::optional<std::uint32_t> Workload::find(std::string_view job_name) const noexcept {
  const auto less = [this](std::uint32_t a, std::string_view b) { return data_.jobs[a].name < b; };
  const auto at = std::lower_bound(by_name_.begin(), by_name_.end(), job_name, less);
  if (at == by_name_.end() || data_.jobs[*at].name != job_name) return std::nullopt;
  return *at;
}

std::size_t Workload::memory_bytes() const noexcept {
  const auto bytes = [](const auto& column) { return column.capacity() * sizeof(column[0]); };
  std::size_t sum = sizeof(*this) + bytes(data_.name) + bytes(data_.provenance);
  sum += bytes(data_.jobs) + bytes(data_.stages) + bytes(data_.parents) + bytes(data_.cells);
  sum += bytes(data_.durations_ms) + bytes(by_name_);
  for (const Job& job : data_.jobs) sum += job.name.capacity() > 15 ? job.name.capacity() : 0;
  return sum;
}

std::shared_ptr<const Workload> Workload::open(const std::string& name) {
  static files::StampCache<std::string, Workload> cache;
  const std::filesystem::path file = path(name);
  std::error_code error;
  files::FileStamp stamp = files::stamp_of(file, error);
  if (error) throw Error(Errc::io, file.string() + ": " + error.message());
  stamp.path = std::filesystem::weakly_canonical(file);  // of a file's many names
  return cache.get(stamp.path.string(), {stamp},
                   [&] { return std::make_shared<const Workload>(read_workload(file.string())); });
}

std::filesystem::path Workload::path(const std::string& path) {
  const auto bundled = [](const char* folder, const char* file) {
    return data_dir() / "workloads" / folder / file;
  };
  if (path == "bundled") return bundled("tpch", "tpch.park");
  if (path == "bundled-memory") return bundled("memory", "bundled-memory.park");
  if (path == "synthetic-memory") return bundled("memory", "synthetic-memory.park");
  return path;
}

}  // namespace park::dag_scheduling
