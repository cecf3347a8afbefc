#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload_builder.h"

namespace park::test {

/// The text of the park::Error that a call throws, or "no error".
template <class Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

inline std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_text(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// A folder that goes away with the object.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& name)
      : path_(std::filesystem::temp_directory_path() /
              ("park-" + name + "-" + std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    std::filesystem::create_directories(path_);
  }
  ~ScratchFolder() { std::filesystem::remove_all(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

inline std::string gzip(const std::string& text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()) + 32, '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(packed.size() - state.avail_out);
  deflateEnd(&state);
  return packed;
}

/// Two jobs with every kind of content: a diamond, and a single stage.
inline std::vector<dag_scheduling::JobProfile> sample_jobs() {
  using dag_scheduling::Wave;
  dag_scheduling::StageProfile scan;
  scan.tasks = 3;
  scan.run_s = 1.5;
  scan.cpu_s = 1.25;
  scan.cells = {
      {Wave::fresh, 1, {900}}, {Wave::rest, 1, {100, 127, 128}}, {Wave::rest, 2, {16384}}};
  dag_scheduling::StageProfile join = scan;
  join.parents = {0};
  join.cpus = 2;
  join.memory = 0.25F;
  dag_scheduling::StageProfile last = scan;
  last.parents = {1, 2};
  last.cells = {{Wave::first, 65535, {1, 4294967295U}}};
  dag_scheduling::StageProfile only;
  only.tasks = 1;
  only.cells = {{Wave::first, 4, {50}}};
  return {{"1g:1", {scan, join, join, last}}, {"1g:2", {only}}};
}

inline dag_scheduling::Workload sample_workload(
    const dag_scheduling::Inflation& inflation = dag_scheduling::Inflation::fitted()) {
  dag_scheduling::WorkloadBuilder builder("sample", "made up", inflation);
  for (const dag_scheduling::JobProfile& job : sample_jobs()) builder.add_job(job);
  return builder.build();
}

}  // namespace park::test
