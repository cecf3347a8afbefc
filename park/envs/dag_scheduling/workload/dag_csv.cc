// Reads job graphs from CSV, a line per stage or per cell of one. The header gives the order of the
// columns; lines of one job follow each other and grow a JobDraft, which goes to the collector when
// the next job begins. Violations carry the number of the line. import_dag calls read_dag_csv per
// file.
#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/dag_scheduling/workload/dag_collector.h"
#include "park/files/csv.h"
#include "park/files/lines.h"

namespace park::dag_scheduling::workload {
namespace {

constexpr std::array<std::string_view, 12> kColumns = {
    "job",    "stage", "parents",   "tasks",       "cpus", "memory",
    "mean_s", "sd_s",  "executors", "durations_s", "wave", "arrival_s"};

/// A decimal number that is the whole text.
std::optional<double> number_of(std::string_view text) {
  double v = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), v);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return v;
}

/// The parts between semicolons; none of an empty text.
std::vector<std::string> cell_parts(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

class CsvReader {
 public:
  CsvReader(const std::string& file, DagCollector& into) : into_(into), bad_(file) {}

  void read(files::ByteSource& source) {
    files::LineReader lines(source, bad_.file());
    std::string_view line;
    while (lines.next(line)) {
      ++into_.report().lines;
      number_ = lines.number();
      if (!split(line)) continue;
      if (columns_.empty()) {
        read_header();
      } else if (fields_.size() != columns_.size()) {
        wrong("there are " + std::to_string(fields_.size()) + " fields, the first line names " +
              std::to_string(columns_.size()));
      } else {
        read_row();
      }
    }
    if (columns_.empty()) throw Error(Errc::bad_file, bad_.file() + ": it is empty");
    bad_.throw_if_any();
    for (const JobDraft& job : jobs_) into_.add(job, bad_);
    bad_.throw_if_any();
    if (jobs_.empty() && !skipped_) throw Error(Errc::bad_file, bad_.file() + ": it has no jobs");
  }

 private:
  void wrong(const std::string& what) { bad_.add(number_, where_ + what); }

  /// False where there is nothing to read in this line.
  bool split(std::string_view line) {
    where_.clear();
    if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.empty()) return false;
    const std::string what = files::split_csv(line, fields_);
    if (!what.empty()) wrong(what);
    return what.empty();
  }

  void read_header() {
    for (const std::string& name : fields_) {
      if (std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end()) {
        wrong("unknown column " + shown(name) + suggestion(name));
      } else if (std::count(fields_.begin(), fields_.end(), name) > 1) {
        wrong("the column " + name + " is given twice");
      }
    }
    columns_ = fields_;
    for (const char* needed : {"job", "tasks"}) {
      if (column(needed) == fields_.size()) {
        wrong(std::string("the column ") + needed + " is missing");
      }
    }
    bad_.throw_if_any();
  }

  static std::string suggestion(const std::string& name) {
    const std::vector<std::string> all(kColumns.begin(), kColumns.end());
    const std::string near = nearest(name, all);
    if (!near.empty()) return "; did you mean " + near + "?";
    std::string text = "; they are ";
    for (const std::string& one : all) text += (&one == &all[0] ? "" : ", ") + one;
    return text;
  }

  [[nodiscard]] std::size_t column(std::string_view name) const {
    return static_cast<std::size_t>(std::find(columns_.begin(), columns_.end(), name) -
                                    columns_.begin());
  }
  /// The field of this line; empty where there is no such column.
  [[nodiscard]] const std::string& field(std::string_view name) const {
    static const std::string none;
    const std::size_t at = column(name);
    return at == columns_.size() ? none : fields_[at];
  }
  [[nodiscard]] std::optional<double> number(const NumberField& wanted) {
    const std::string& text = field(wanted.name);
    if (text.empty()) return std::nullopt;
    const auto n = number_of(text);
    if (n && wanted.allows(*n)) return n;
    wrong(std::string(wanted.name) + " = " + shown(text) + " must be " + wanted.allowed());
    return std::nullopt;
  }

  void read_row() {
    const std::string& name = field("job");
    if (name.empty()) return wrong("job is empty");
    const auto known = index_.find(name);
    if (known == index_.end()) {
      skipped_ = !into_.wants(name);
      if (skipped_) return;
      index_.emplace(name, jobs_.size());
      jobs_.emplace_back();
      jobs_.back().line = number_;
      jobs_.back().name = name;
    }
    JobDraft& job = known == index_.end() ? jobs_.back() : jobs_[known->second];
    where_ = "job " + shown(name) + ": ";
    read_arrival(job);
    read_stage(job);
  }

  void read_arrival(JobDraft& job) {
    const auto arrival_s = number(kArrivalField);
    if (!arrival_s) return;
    if (job.arrival_s && job.arrival_s != arrival_s) {
      wrong("arrival_s = " + number_text(*arrival_s) + ", but " + number_text(*job.arrival_s) +
            " in a line above");
    }
    job.arrival_s = arrival_s;
  }

  void read_stage(JobDraft& job) {
    const std::string& given = field("stage");
    const std::string id = given.empty() ? std::to_string(job.stages.size()) : given;
    where_ = stage_text(job.name, id) + ": ";
    const std::size_t before = bad_.size();
    StageDraft row;
    row.line = number_;
    row.id = id;
    row.parents = cell_parts(field("parents"));
    row.profile.tasks = static_cast<std::int32_t>(number(kTasksField).value_or(0));
    row.profile.cpus = static_cast<float>(number(kCpusField).value_or(1));
    row.profile.memory = static_cast<float>(number(kMemoryField).value_or(0));
    if (row.profile.tasks == 0 && bad_.size() == before) wrong("tasks is missing");
    // Most often it is the stage of the line above that has one more cell.
    const auto same = [&](const StageDraft& s) { return s.id == id; };
    const auto known = std::find_if(job.stages.rbegin(), job.stages.rend(), same);
    if (known == job.stages.rend()) {
      if (job.stages.size() == dag_scheduling::WorkloadLimits::kStagesPerJob) {
        return wrong("a job may have at most 10000 stages");
      }
      job.stages.push_back(std::move(row));
      read_cell(job.stages.back());
    } else if (check_same(*known, row)) {
      read_cell(*known);
    }
  }

  /// Another line of a stage adds durations and says the same otherwise.
  bool check_same(const StageDraft& known, const StageDraft& row) {
    const auto& a = known.profile;
    const auto& b = row.profile;
    if (known.parents == row.parents && a.tasks == b.tasks && a.cpus == b.cpus &&
        a.memory == b.memory) {
      return true;
    }
    wrong("parents, tasks, cpus and memory must be as in line " + std::to_string(known.line) +
          ", where the stage is for the first time");
    return false;
  }

  void read_cell(StageDraft& stage) {
    const std::size_t before = bad_.size();
    dag_scheduling::StageProfile::Cell cell;
    cell.executors = static_cast<std::uint16_t>(number(kExecutorsField).value_or(1));
    const std::string& wave = field("wave");
    const auto known = wave.empty() ? dag_scheduling::Wave::rest : wave_of(wave);
    if (!known) return wrong(wrong_wave(wave));
    cell.wave = *known;
    DurationFields durations;
    durations.mean_s = number(kMeanField);
    durations.sd_s = number(kDeviationField);
    for (const std::string& part : cell_parts(field("durations_s"))) {
      const auto n = number_of(part);
      if (!n) {
        return wrong("durations_s holds " + shown(part) + ", each must be " +
                     kDurationField.allowed());
      }
      durations.listed = true;
      durations.durations_s.push_back(*n);
    }
    if (bad_.size() != before) return;
    const std::string what = add_cell(std::move(cell), durations, stage.profile);
    if (!what.empty()) wrong(what);
  }

  DagCollector& into_;
  FileViolations bad_;
  std::uint64_t number_ = 0;
  std::string where_;  ///< begins messages
  std::vector<std::string> columns_, fields_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<JobDraft> jobs_;
  bool skipped_ = false;  ///< a job that is not wanted
};

}  // namespace

void read_dag_csv(files::ByteSource& source, const std::string& file, DagCollector& into) {
  CsvReader(file, into).read(source);
}

}  // namespace park::dag_scheduling::workload
