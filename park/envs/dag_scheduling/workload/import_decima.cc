// Makes a workload of the profiles published with Decima's simulator. For each query a matrix gives
// the graph and a pickle the durations, by wave and number of executors. A job is read, its first
// waves are cleaned of fresh durations, empty waves are filled, and it goes to the builder; jobs
// come in the order of the numbers in their names. `park workload import` calls it.
#include "park/envs/dag_scheduling/workload/import_decima.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/npy.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::dag_scheduling::workload {
namespace {

using dag_scheduling::JobProfile;
using dag_scheduling::StageProfile;
using dag_scheduling::Wave;
using SampleList = std::vector<std::uint32_t>;
using Levels = std::map<std::uint16_t, SampleList>;

[[noreturn]] void fail_import(const std::string& source, const std::string& what) {
  throw Error(Errc::bad_file, source + ": " + what);
}

/// One stage as published.
struct RawStage {
  Levels first, rest, fresh;
  std::uint16_t first_level = 0;  ///< the one that stands first in the file's first_wave
};

/// What one job may hold: a list that is named many times claims more than its file's size.
constexpr std::size_t kMaxSamples = Pickle::kMaxBytes;

class DurationReader {
 public:
  DurationReader(const NpyObject& object, const std::string& source)
      : pickle_(object.pickle), root_(object.value), source_(source) {}

  /// All stages of a job; the keys must be 0 .. stages - 1.
  std::vector<RawStage> run(std::size_t stages) {
    const auto entries = items(root_, PickleKind::dict, "a dict of stages");
    if (entries.size() != 2 * stages) fail_import(source_, "not as many stages as the matrix has");
    std::vector<std::optional<RawStage>> found(stages);
    for (std::size_t i = 0; i < entries.size(); i += 2) {
      const PickleValue& key = entries[i];
      const bool known = key.kind == PickleKind::integer && key.number >= 0 &&
                         key.number < static_cast<std::int64_t>(stages);
      if (!known) fail_import(source_, "a stage is no number below the count of stages");
      auto& slot = found[static_cast<std::size_t>(key.number)];
      if (slot) fail_import(source_, "a stage occurs twice");
      slot = stage(entries[i + 1]);
    }
    std::vector<RawStage> all;
    all.reserve(stages);
    for (auto& slot : found) all.push_back(std::move(*slot));
    return all;
  }

 private:
  std::span<const PickleValue> items(const PickleValue& value, PickleKind kind,
                                     const char* what) const {
    if (value.kind != kind) fail_import(source_, std::string("expected ") + what);
    return pickle_.items(value);
  }

  RawStage stage(const PickleValue& value) {
    RawStage raw;
    const auto entries = items(value, PickleKind::dict, "a dict of waves");
    for (std::size_t i = 0; i < entries.size(); i += 2) {
      const bool named = entries[i].kind == PickleKind::text;
      const std::string_view name = named ? pickle_.text(entries[i]) : std::string_view();
      Levels* target = name == "first_wave"        ? &raw.first
                       : name == "rest_wave"       ? &raw.rest
                       : name == "fresh_durations" ? &raw.fresh
                                                   : nullptr;
      if (target == nullptr || !target->empty()) {
        fail_import(source_, "waves must be first_wave, rest_wave and fresh_durations, each once");
      }
      const std::uint16_t level = levels(entries[i + 1], *target);
      if (target == &raw.first) raw.first_level = level;
    }
    const auto same_levels = [](const Levels& a, const Levels& b) {
      return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                        [](const auto& x, const auto& y) { return x.first == y.first; });
    };
    if (raw.first.empty() || !same_levels(raw.first, raw.rest) ||
        !same_levels(raw.first, raw.fresh)) {
      fail_import(source_, "the three waves of a stage must have the same numbers of executors");
    }
    return raw;
  }

  /// Fills `into`; returns the level that stands first.
  std::uint16_t levels(const PickleValue& value, Levels& into) {
    std::uint16_t first = 0;
    const auto entries = items(value, PickleKind::dict, "a dict of numbers of executors");
    for (std::size_t i = 0; i < entries.size(); i += 2) {
      const PickleValue& key = entries[i];
      if (key.kind != PickleKind::integer || key.number < 1 || key.number > 65535) {
        fail_import(source_, "a number of executors must be 1 to 65535");
      }
      const auto level = static_cast<std::uint16_t>(key.number);
      const auto [at, added] = into.try_emplace(level);
      if (!added) fail_import(source_, "a number of executors occurs twice");
      at->second = samples(entries[i + 1]);
      if (i == 0) first = level;
    }
    return first;
  }

  SampleList samples(const PickleValue& value) {
    SampleList all;
    const auto list = items(value, PickleKind::list, "a list of durations");
    if (list.size() > kMaxSamples - taken_) fail_import(source_, "more than 4194304 durations");
    taken_ += list.size();
    for (const PickleValue& one : list) {
      if (one.kind != PickleKind::integer || one.number < 1 ||
          one.number > std::numeric_limits<std::uint32_t>::max()) {
        fail_import(source_, "a duration must be a whole number of ms, at least 1");
      }
      all.push_back(static_cast<std::uint32_t>(one.number));
    }
    return all;
  }

  const Pickle& pickle_;
  const PickleValue& root_;
  const std::string& source_;
  std::size_t taken_ = 0;
};

std::uint64_t count(const Levels& levels) {
  std::uint64_t sum = 0;
  for (const auto& [level, samples] : levels) sum += samples.size();
  return sum;
}

/// first minus fresh, as multisets, in the order of first.
SampleList without(const SampleList& first, const SampleList& fresh) {
  std::unordered_map<std::uint32_t, std::size_t> left;
  for (const std::uint32_t sample : fresh) ++left[sample];
  SampleList kept;
  for (const std::uint32_t sample : first) {
    const auto at = left.find(sample);
    if (at != left.end() && at->second > 0) {
      --at->second;
    } else {
      kept.push_back(sample);
    }
  }
  return kept;
}

void clean(RawStage& stage, const std::string& source, DecimaImportReport& report) {
  std::size_t filled = 0;
  const SampleList* lower = nullptr;
  for (auto& [level, samples] : stage.first) {
    const std::size_t before = samples.size();
    samples = without(samples, stage.fresh.at(level));
    report.removed_samples += before - samples.size();
    if (samples.empty() && lower != nullptr) {
      if (lower->size() > kMaxSamples - filled) fail_import(source, "too many empty first waves");
      samples = *lower;
      filled += samples.size();
    }
    lower = &samples;
  }
  report.filled_samples += filled;
}

StageProfile profile(RawStage& raw, const std::string& source, DecimaImportReport& report) {
  report.raw_samples += count(raw.first) + count(raw.rest) + count(raw.fresh);
  StageProfile stage;
  stage.tasks = static_cast<std::int32_t>(raw.first.at(raw.first_level).size() +
                                          raw.rest.at(raw.first_level).size());
  if (stage.tasks == 0) fail_import(source, "a stage has no tasks");
  clean(raw, source, report);
  for (const auto& [wave, levels] :
       {std::pair(Wave::fresh, &raw.fresh), std::pair(Wave::first, &raw.first),
        std::pair(Wave::rest, &raw.rest)}) {
    for (auto& [level, samples] : *levels) {
      if (!samples.empty()) stage.cells.push_back({wave, level, std::move(samples)});
    }
  }
  return stage;
}

JobProfile import_job(const std::filesystem::path& folder, const std::string& query,
                      DecimaImportReport& report) {
  DecimaJobInput input;
  input.name = folder.filename().string() + ":" + query;
  input.matrix_source = (folder / ("adj_mat_" + query + ".npy")).string();
  input.durations_source = (folder / ("task_duration_" + query + ".npy")).string();
  const std::string matrix = read_small_file(input.matrix_source);
  const std::string durations = read_small_file(input.durations_source);
  input.matrix = std::as_bytes(std::span(matrix));
  input.durations = std::as_bytes(std::span(durations));
  return import_decima_job(input, report);
}

/// The number that a text begins with.
std::uint64_t leading_number(std::string_view text) {
  std::uint64_t value = std::numeric_limits<std::uint64_t>::max();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The queries of a size's folder.
std::vector<std::string> queries(const std::filesystem::path& folder) {
  constexpr std::string_view kPrefix = "task_duration_", kSuffix = ".npy";
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    name.erase(name.size() - kSuffix.size());
    found.push_back(name.substr(kPrefix.size()));
  }
  return found;
}

struct Source {
  std::filesystem::path folder;
  std::string query;
};

/// All jobs below a folder, by the numbers in their names.
std::vector<Source> sources(const std::string& folder) {
  std::vector<Source> all;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (!entry.is_directory()) continue;
      for (std::string& query : queries(entry.path())) {
        all.push_back({entry.path(), std::move(query)});
      }
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw Error(Errc::io, folder + ": " + error.code().message());
  }
  const auto key = [](const Source& source) {
    const std::string size = source.folder.filename().string();
    return std::tuple(leading_number(size), size, leading_number(source.query), source.query);
  };
  std::sort(all.begin(), all.end(),
            [&](const Source& a, const Source& b) { return key(a) < key(b); });
  if (all.empty()) fail_import(folder, "no file SIZE/task_duration_QUERY.npy in it");
  return all;
}

}  // namespace

dag_scheduling::JobProfile import_decima_job(const DecimaJobInput& input,
                                             DecimaImportReport& report) {
  const NpyMatrix matrix = parse_npy_matrix(input.matrix, input.matrix_source);
  const NpyObject object = parse_npy_object(input.durations, input.durations_source);
  std::vector<RawStage> raw = DurationReader(object, input.durations_source).run(matrix.size);
  JobProfile job{input.name, {}};
  for (std::size_t s = 0; s < raw.size(); ++s) {
    job.stages.push_back(profile(raw[s], input.durations_source, report));
    for (std::size_t parent = 0; parent < matrix.size; ++parent) {
      const double edge = matrix.at(parent, s);
      if (edge != 0 && edge != 1) fail_import(input.matrix_source, "its values must be 0 or 1");
      if (edge == 1) job.stages[s].parents.push_back(static_cast<std::uint16_t>(parent));
    }
  }
  return job;
}

dag_scheduling::Workload import_decima(const std::string& folder,
                                       const dag_scheduling::Inflation& inflation,
                                       DecimaImportReport& report) {
  dag_scheduling::WorkloadBuilder builder(
      "decima-tpch",
      "Decima's TPC-H profiles as published with its simulator (npy), measured by its authors on a "
      "Spark cluster; first waves cleaned and filled as its loader does.",
      inflation);
  for (const Source& source : sources(folder)) {
    builder.add_job(import_job(source.folder, source.query, report));
  }
  dag_scheduling::Workload workload = builder.build();
  report.jobs = workload.jobs().size();
  report.stages = workload.stage_count();
  return workload;
}

}  // namespace park::dag_scheduling::workload
