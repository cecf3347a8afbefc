// The binary form of workloads: bytes written by hand, read and written again, and wrong files.
#include "park/envs/dag_scheduling/workload_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/envs/dag_scheduling/workload/raw_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace workload_file_test {

using dag_scheduling::Workload;

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Workload parse(const std::string& text) {
  return dag_scheduling::parse_workload(std::as_bytes(std::span(text)), "f");
}

std::string parse_error(const std::string& text) {
  return error_of([&] { (void)parse(text); });
}

RawFile valid() {
  RawFile file;
  RawFile::Stage stage;
  stage.cells = {{0, 1, {900}, {}}, {2, 1, {100, 128}, {}}};
  RawFile::Stage child = stage;
  child.parents = {0};
  file.jobs = {{"a", {stage, child}}, {"b", {stage}}};
  return file;
}

template <class Change>
std::string error_after(Change&& change) {
  RawFile file = valid();
  change(file);
  return parse_error(file.bytes());
}

TEST(WorkloadFile, IsWhatTheDocumentSays) {
  RawFile raw;
  raw.name = "sample";
  raw.provenance = "made up";
  const dag_scheduling::Inflation inflation = dag_scheduling::Inflation::fitted();
  raw.inflation = 1;
  raw.coefficients = {inflation.fitted_to};
  for (const auto& law : inflation.growth) {
    raw.coefficients.push_back(law.slope);
    raw.coefficients.push_back(law.power);
  }
  for (const dag_scheduling::JobProfile& job : sample_jobs()) {
    RawFile::Job& to = raw.jobs.emplace_back(RawFile::Job{job.name, {}});
    for (const dag_scheduling::StageProfile& stage : job.stages) {
      RawFile::Stage& copy = to.stages.emplace_back();
      copy.tasks = static_cast<std::uint32_t>(stage.tasks);
      copy.cpus = stage.cpus;
      copy.memory = stage.memory;
      copy.run_s = stage.run_s;
      copy.cpu_s = stage.cpu_s;
      copy.parents = stage.parents;
      for (const auto& cell : stage.cells) {
        copy.cells.push_back(
            {static_cast<std::uint8_t>(cell.wave), cell.executors, cell.durations_ms, {}});
      }
    }
  }
  const Workload workload = sample_workload();
  EXPECT_EQ(text_of(dag_scheduling::workload_bytes(workload)), raw.bytes());
  for (std::size_t j = 0; j < raw.jobs.size(); ++j) {
    EXPECT_EQ(text_of(dag_scheduling::job_bytes(workload, j)), RawFile::block(raw.jobs[j]));
  }
}

TEST(WorkloadFile, RoundTrips) {
  for (const dag_scheduling::Inflation& inflation :
       {dag_scheduling::Inflation{}, dag_scheduling::Inflation::fitted()}) {
    const Workload workload = sample_workload(inflation);
    const std::vector<std::byte> bytes = dag_scheduling::workload_bytes(workload);
    const Workload again = dag_scheduling::parse_workload(bytes, "f");
    EXPECT_EQ(again.name(), workload.name());
    EXPECT_EQ(again.provenance(), workload.provenance());
    EXPECT_EQ(again.inflation(), workload.inflation());
    for (std::size_t j = 0; j < workload.jobs().size(); ++j) {
      EXPECT_EQ(dag_scheduling::job_profile(again, again.jobs()[j]),
                dag_scheduling::job_profile(workload, workload.jobs()[j]));
      EXPECT_EQ(again.stages(again.jobs()[j])[0].mean_duration_s,
                workload.stages(workload.jobs()[j])[0].mean_duration_s);
    }
    EXPECT_EQ(dag_scheduling::workload_bytes(again), bytes);
  }
}

TEST(WorkloadFile, WritesAndReadsFiles) {
  const ScratchFolder folder("file");
  const std::string path = folder.file("w.park");
  dag_scheduling::write_workload(sample_workload(), path);
  EXPECT_EQ(read_text(path),
            text_of(dag_scheduling::workload_bytes(dag_scheduling::read_workload(path))));
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  EXPECT_EQ(
      error_of([&] { (void)dag_scheduling::read_workload(folder.file("")); }).find("no error"),
      std::string::npos)
      << "a folder";
  const std::string nowhere = folder.file("none/w.park");
  EXPECT_EQ(error_of([&] { dag_scheduling::write_workload(sample_workload(), nowhere); }),
            nowhere + ": it cannot be written");
}

TEST(WorkloadFile, RefusesEveryPrefix) {
  const std::string file = valid().bytes();
  (void)parse(file);
  for (std::size_t size = 0; size < file.size(); ++size) {
    std::string cut = file.substr(0, size);
    EXPECT_NE(parse_error(cut), "no error") << size;
    RawFile::seal(cut);
    EXPECT_NE(parse_error(cut), "no error") << size;
  }
  EXPECT_EQ(parse_error(file.substr(0, 100)), "f: truncated (byte 48)");
  EXPECT_EQ(parse_error(file + "x"), "f: bytes after the end (byte 48)");
}

TEST(WorkloadFile, RefusesWhatIsNoWorkload) {
  EXPECT_EQ(parse_error(""), "f: not a workload file (byte 0)");
  EXPECT_EQ(parse_error("{\"Event\":\"x\"}"), "f: not a workload file (byte 0)");
  EXPECT_EQ(parse_error("PARKWORK"), "f: truncated (byte 8)");
}

TEST(WorkloadFile, RefusesOtherVersions) {
  EXPECT_EQ(error_after([](RawFile& f) { f.version = 2; }),
            "f: workload file version 2 is newer than this program reads (1)");
  EXPECT_EQ(error_after([](RawFile& f) { f.version = 0; }),
            "f: workload file version 0 does not exist (byte 12)");
}

TEST(WorkloadFile, NoticesEveryChangedByte) {
  const std::string file = valid().bytes();
  for (std::size_t i = 0; i < file.size(); ++i) {
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_NE(parse_error(changed), "no error") << i;
  }
  std::string changed = file;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  EXPECT_EQ(parse_error(changed), "f: damaged: its checksum is wrong (byte 48)");
}

TEST(WorkloadFile, RefusesCountsThatDoNotFit) {
  for (std::uint32_t& count : RawFile{}.count_errors) (void)count;
  const char* const mismatch = "the counts do not match the jobs";
  for (int i = 1; i < 5; ++i) {
    for (const std::uint32_t error : {1U, 0xffffffffU}) {
      const std::string text = error_after([&](RawFile& f) { f.count_errors[i] = error; });
      EXPECT_NE(text.find(mismatch), std::string::npos) << i << " " << text;
    }
    EXPECT_EQ(error_after([&](RawFile& f) { f.count_errors[i] = 0x7fffffff; }),
              "f: the counts are too large for its size (byte 48)");
  }
  EXPECT_NE(error_after([](RawFile& f) { f.count_errors[0] = 1; }).find("truncated"),
            std::string::npos);
  EXPECT_NE(error_after([](RawFile& f) {
              f.count_errors[0] = 0xffffffff;
            }).find("bytes after the last job"),
            std::string::npos);
  EXPECT_NE(
      error_after([](RawFile& f) { f.jobs[0].size_error = 1; }).find("the size of a job is wrong"),
      std::string::npos);
  EXPECT_NE(error_after([](RawFile& f) { f.jobs[1].size_error = 1; }).find("truncated"),
            std::string::npos);
  EXPECT_NE(error_after([](RawFile& f) { f.jobs[1].stages[0].cells[1].count = 3; }).find(mismatch),
            std::string::npos);
}

TEST(WorkloadFile, RefusesOtherFormsOfNumbers) {
  const auto encoded = [](const std::string& bytes) {
    return error_after([&](RawFile& f) { f.jobs[0].stages[0].cells[0].encoded = bytes; });
  };
  const std::string no_form = "a duration is not a 32-bit number in its shortest form";
  EXPECT_NE(encoded(std::string("\x84\x00", 2)).find(no_form), std::string::npos);
  EXPECT_NE(encoded("\xff\xff\xff\xff\x1f").find(no_form), std::string::npos);
  EXPECT_NE(encoded("\xff\xff\xff\xff\xff\x01").find(no_form), std::string::npos);
  EXPECT_EQ(encoded("\xff\xff\xff\xff\x0f"), "no error");
}

TEST(WorkloadFile, RefusesBadContent) {
  const auto stage = [](auto change) {
    return error_after([&](RawFile& f) { change(f.jobs[0].stages[1]); });
  };
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.tasks = 0; }),
            "f: job a stage 1: tasks must be 1 to 10000000");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.tasks = 0xffffffff; }),
            "f: job a stage 1: tasks must be 1 to 10000000");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cpus = std::nanf(""); }),
            "f: job a stage 1: cpus and memory must be finite and at least 0");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.memory = -1; }),
            "f: job a stage 1: cpus and memory must be finite and at least 0");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cpu_s = std::numeric_limits<double>::infinity(); }),
            "f: job a stage 1: run and CPU time must be finite and at least 0");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.parents = {1}; }), "f: job a: its stages form a cycle");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.parents = {2}; }),
            "f: job a stage 1: a parent is no stage of the job");
  EXPECT_EQ(stage([](RawFile::Stage& s) {
              s.parents = {0, 0};
            }),
            "f: job a stage 1: parents must be ascending and different");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cells.clear(); }),
            "f: job a stage 1: it has no measured durations");
  EXPECT_EQ(stage([](RawFile::Stage& s) { std::swap(s.cells[0], s.cells[1]); }),
            "f: job a stage 1: cells must be sorted by wave and executors, no two alike");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cells[0].samples.clear(); }),
            "f: job a stage 1: a cell is empty");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cells[0].samples[0] = 0; }),
            "f: job a stage 1: durations must be at least 1 ms");
  EXPECT_EQ(stage([](RawFile::Stage& s) { s.cells[0].executors = 0; }),
            "f: job a stage 1: a cell's executors must be at least 1");
  EXPECT_NE(stage([](RawFile::Stage& s) { s.cells[1].wave = 3; }).find("f: unknown wave"),
            std::string::npos);
}

TEST(WorkloadFile, RefusesBadHeads) {
  EXPECT_EQ(error_after([](RawFile& f) { f.jobs[1].name = "a"; }),
            "f: job a: the name occurs more than once");
  EXPECT_EQ(error_after([](RawFile& f) { f.jobs[1].name = "a\tb"; }),
            "f: job number 1: its name must be 1 to 256 bytes without control characters");
  EXPECT_EQ(error_after([](RawFile& f) { f.jobs[1].stages.clear(); }),
            "f: job b: it has no stages");
  EXPECT_EQ(error_after([](RawFile& f) { f.jobs.clear(); }), "f: jobs: there must be at least one");
  EXPECT_EQ(error_after([](RawFile& f) { f.name = ""; }),
            "f: name: must be 1 to 256 bytes without control characters");
  EXPECT_EQ(error_after([](RawFile& f) { f.provenance = std::string(70000, 'x'); }),
            "f: provenance: must be at most 65536 bytes");
  EXPECT_NE(error_after([](RawFile& f) { f.inflation = 2; }).find("unknown form of inflation"),
            std::string::npos);
  EXPECT_EQ(error_after([](RawFile& f) {
              f.inflation = 1;
              f.coefficients = {100, 1, 1, 1, std::nan(""), 1, 1};
            }),
            "f: inflation: coefficients must be finite, slopes at least 0, powers above 0");
}

TEST(WorkloadFile, SeveralLinesAllNameTheFile) {
  EXPECT_EQ(error_after([](RawFile& f) {
              f.jobs[0].stages[0].tasks = 0;
              f.jobs[1].stages[0].tasks = 0;
            }),
            "f: job a stage 0: tasks must be 1 to 10000000\n"
            "f: job b stage 0: tasks must be 1 to 10000000");
}

}  // namespace workload_file_test
}  // namespace park::test
