#include "tests/conformance/fixtures.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"

namespace park::test {
namespace {

namespace fs = std::filesystem;

/// A folder of this process, which goes with it.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("park_conformance_" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

constexpr int kJobs = 9;

envs::StageProfile stage(Rng rng, std::size_t index) {
  envs::StageProfile s;
  s.tasks = static_cast<std::int32_t>(1 + rng.below(6));
  s.cpus = index % 3 == 1 ? 1.0f : 0.5f;
  s.memory = index % 4 == 2 ? 0.75f : 0.25f;
  for (std::uint16_t p = 0; p < index; ++p)  // chains, forks and joins
    if (rng.below(3) == 0 || p + 1u == index / 2) s.parents.push_back(p);
  for (const envs::Wave wave : {envs::Wave::fresh, envs::Wave::first, envs::Wave::rest})
    for (const std::uint16_t executors : std::initializer_list<std::uint16_t>{1, 3, 6}) {
      if (wave == envs::Wave::first && index % 5 == 3) continue;  // not every wave was measured
      envs::StageProfile::Cell cell{wave, executors, {}};
      for (std::uint64_t n = 1 + rng.below(4); n-- > 0;)
        cell.durations_ms.push_back(static_cast<std::uint32_t>(200 + rng.below(4000)));
      s.cells.push_back(std::move(cell));
    }
  return s;
}

std::string write_small_workload(const Folder& folder) {
  envs::WorkloadBuilder builder("small", "made by the conformance tests");
  for (int j = 0; j < kJobs; ++j) {
    Rng rng = Rng(77).split(static_cast<std::uint64_t>(j));
    envs::JobProfile job;
    job.name = "job" + std::to_string(j);
    const std::size_t stages = 1 + rng.below(7);
    for (std::size_t i = 0; i < stages; ++i) job.stages.push_back(stage(rng.split(i), i));
    builder.add_job(job);
  }
  std::string path = folder.file("small.park");
  envs::write_workload(builder.build(), path);
  return path;
}

std::string write_arrivals(const Folder& folder) {
  std::string path = folder.file("arrivals.csv");
  std::ofstream out(path);
  out << "time_s,job\n";
  for (int k = 0; k < 12; ++k) out << 3 * (k / 3) << ".5,job" << k * 5 % kJobs << '\n';
  return path;
}

void replace(std::string& text, std::string_view from, const std::string& to) {
  for (std::size_t at; (at = text.find(from)) != std::string::npos;)
    text.replace(at, from.size(), to);
}

}  // namespace

std::string with_fixtures(std::string text) {
  static const Folder folder;
  static const std::string workload = write_small_workload(folder);
  static const std::string arrivals = write_arrivals(folder);
  replace(text, "@workload@", workload);
  replace(text, "@arrivals@", arrivals);
  return text;
}

}  // namespace park::test
