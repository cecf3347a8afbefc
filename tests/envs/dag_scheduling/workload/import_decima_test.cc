// The importer of Decima's profiles on small files that are written here, byte by byte.
#include "park/envs/dag_scheduling/workload/import_decima.h"

#include <gtest/gtest.h>

#include <map>

#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/npy_text.h"
#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/kit/reference_data.h"

namespace park::test {
namespace import_decima_test {

using dag_scheduling::Wave;
using dag_scheduling::Workload;
using Cells = std::vector<dag_scheduling::StageProfile::Cell>;

const std::string kProfiles = test::reference_data("decima-tpch");

/// A folder with one job 2g:1 of two stages, 0 -> 1.
class SmallSet {
 public:
  explicit SmallSet(const std::string& name) : folder_(name) {
    std::filesystem::create_directories(folder_.file("2g"));
    write_text(file("adj_mat_1.npy"), npy_matrix(2, {0, 1, 0, 0}));
    stages = {{0,
               {{"first_wave", {{5, {30, 10, 20, 10}}, {2, {7, 8}}}},
                {"rest_wave", {{5, {4, 5, 6}}, {2, {}}}},
                {"fresh_durations", {{5, {10, 99, 20}}, {2, {8, 7}}}}}},
              {1,
               {{"first_wave", {{2, {50}}, {5, {70}}}},
                {"rest_wave", {{2, {}}, {5, {}}}},
                {"fresh_durations", {{2, {}}, {5, {70}}}}}}};
  }
  [[nodiscard]] std::string file(const std::string& name) const {
    return folder_.file("2g/" + name);
  }
  Workload import() {
    write_text(file("task_duration_1.npy"), npy_object(pickle_of(stages)));
    report = {};
    return dag_scheduling::workload::import_decima(folder_.file(""), {}, report);
  }
  std::string error() {
    return error_of([&] { (void)import(); });
  }

  DecimaStages stages;
  dag_scheduling::workload::DecimaImportReport report;

 private:
  ScratchFolder folder_;
};

TEST(ImportDecima, PreparesAsTheOriginalDoes) {
  SmallSet set("decima");
  const Workload workload = set.import();
  ASSERT_EQ(workload.jobs().size(), 1U);
  const dag_scheduling::JobProfile job = dag_scheduling::job_profile(workload, workload.jobs()[0]);
  EXPECT_EQ(job.name, "2g:1");
  ASSERT_EQ(job.stages.size(), 2U);
  // 4 + 3 at the level that stands first in the file, 5, not at the lowest.
  EXPECT_EQ(job.stages[0].tasks, 7);
  // Level 5: one 10 and the 20 are fresh. Level 2: both are, and there is no lower level.
  EXPECT_EQ(job.stages[0].cells, (Cells{{Wave::fresh, 2, {8, 7}},
                                        {Wave::fresh, 5, {10, 99, 20}},
                                        {Wave::first, 5, {30, 10}},
                                        {Wave::rest, 5, {4, 5, 6}}}));
  EXPECT_EQ(job.stages[1].tasks, 1);
  EXPECT_EQ(job.stages[1].parents, std::vector<std::uint16_t>{0});
  // Level 5 would be empty: it gets level 2's.
  EXPECT_EQ(job.stages[1].cells,
            (Cells{{Wave::fresh, 5, {70}}, {Wave::first, 2, {50}}, {Wave::first, 5, {50}}}));
  EXPECT_DOUBLE_EQ(workload.stages(workload.jobs()[0])[1].mean_duration_s, 170 / 3.0 / 1e3);
  EXPECT_EQ(set.report.raw_samples, 4U + 2 + 3 + 3 + 2 + 3);
  EXPECT_EQ(set.report.removed_samples, 2U + 2 + 1);
  EXPECT_EQ(set.report.filled_samples, 1U);
}

TEST(ImportDecima, ErrorsNameTheFile) {
  SmallSet set("decima-bad");
  const std::string path = set.file("task_duration_1.npy");
  const DecimaStages good = set.stages;
  const auto error = [&](auto change) {
    set.stages = good;
    change(set.stages);
    return set.error();
  };
  EXPECT_EQ(error([](DecimaStages& s) { s.pop_back(); }),
            path + ": not as many stages as the matrix has");
  EXPECT_EQ(error([](DecimaStages& s) { s[1].first = 0; }), path + ": a stage occurs twice");
  EXPECT_EQ(error([](DecimaStages& s) { s[1].first = 2; }),
            path + ": a stage is no number below the count of stages");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second[0].first = "zeroth_wave"; }),
            path + ": waves must be first_wave, rest_wave and fresh_durations, each once");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second.pop_back(); }),
            path + ": the three waves of a stage must have the same numbers of executors");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second[1].second.pop_back(); }),
            path + ": the three waves of a stage must have the same numbers of executors");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second[1].second[1].first = 5; }),
            path + ": a number of executors occurs twice");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second[1].second[1].first = 70000; }),
            path + ": a number of executors must be 1 to 65535");
  EXPECT_EQ(error([](DecimaStages& s) { s[0].second[1].second[0].second[0] = -3; }),
            path + ": a duration must be a whole number of ms, at least 1");
  EXPECT_EQ(error([](DecimaStages& s) {
              for (auto& [name, levels] : s[1].second) levels[0].second.clear();
            }),
            path + ": a stage has no tasks");
  set.stages = good;
  write_text(set.file("adj_mat_1.npy"), npy_matrix(2, {0, 1, 1, 0}));
  EXPECT_EQ(set.error(), "job 2g:1: its stages form a cycle");
  write_text(set.file("adj_mat_1.npy"), npy_matrix(2, {0, 0.5, 0, 0}));
  EXPECT_EQ(set.error(), set.file("adj_mat_1.npy") + ": its values must be 0 or 1");
  std::filesystem::remove(set.file("adj_mat_1.npy"));
  EXPECT_EQ(set.error(), set.file("adj_mat_1.npy") + ": No such file or directory");
}

TEST(ImportDecima, AFolderWithoutProfilesIsAnError) {
  const ScratchFolder folder("decima-empty");
  dag_scheduling::workload::DecimaImportReport report;
  const auto error = [&](const std::string& path) {
    return error_of([&] { (void)dag_scheduling::workload::import_decima(path, {}, report); });
  };
  EXPECT_EQ(error(folder.file("")),
            folder.file("") + ": no file SIZE/task_duration_QUERY.npy in it");
  EXPECT_EQ(error(folder.file("none")), folder.file("none") + ": No such file or directory");
}

/// The published set, imported once.
class PublishedProfiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kProfiles))
      GTEST_SKIP() << "no published profiles in " << kProfiles;
  }
  static const Workload& workload() {
    static const Workload imported =
        dag_scheduling::workload::import_decima(kProfiles, {}, report());
    return imported;
  }
  static dag_scheduling::workload::DecimaImportReport& report() {
    static dag_scheduling::workload::DecimaImportReport counts;
    return counts;
  }
};

TEST_F(PublishedProfiles, HaveTheKnownSize) {
  EXPECT_EQ(workload().jobs().size(), 154U);
  EXPECT_EQ(workload().stage_count(), 1414U);
  EXPECT_EQ(report().raw_samples, 1'656'575U);
  EXPECT_EQ(workload().sample_count(),
            report().raw_samples - report().removed_samples + report().filled_samples);
  EXPECT_FALSE(workload().inflation().present);
}

TEST_F(PublishedProfiles, HaveTheKnownGraphs) {
  const std::vector<std::size_t> stages = {4, 18, 6, 6, 14, 2, 13, 18, 14, 9,  11,
                                           6, 7,  4, 7, 9,  6, 8,  4,  12, 16, 8};
  const dag_scheduling::workload::WorkloadSummary summary =
      dag_scheduling::workload::summarize(workload());
  std::size_t levels = 0, fewest_levels = 100, most_edges = 0, fewest_edges = 100;
  for (std::size_t j = 0; j < 154; ++j) {
    const dag_scheduling::workload::JobSummary& job = summary.per_job[j];
    EXPECT_EQ(job.stages, stages[j % 22]) << job.name;
    levels += job.levels;
    fewest_levels = std::min(fewest_levels, job.levels);
    most_edges = std::max(most_edges, job.edges);
    fewest_edges = std::min(fewest_edges, job.edges);
  }
  EXPECT_EQ(summary.total.levels, 9U);
  EXPECT_EQ(fewest_levels, 2U);
  EXPECT_NEAR(static_cast<double>(levels) / 154, 5.9, 0.05);
  EXPECT_EQ(most_edges, 19U);
  EXPECT_EQ(fewest_edges, 1U);
  EXPECT_EQ(summary.per_job[0].name, "2g:1");
  EXPECT_EQ(summary.per_job[153].name, "100g:22");
  EXPECT_TRUE(workload().find("20g:3").has_value());
}

TEST_F(PublishedProfiles, HaveTheKnownWork) {
  const std::map<std::string, double> mean_work = {{"2g", 173},   {"5g", 240},   {"10g", 349},
                                                   {"20g", 545},  {"50g", 1095}, {"80g", 1680},
                                                   {"100g", 2141}};
  const dag_scheduling::workload::WorkloadSummary summary =
      dag_scheduling::workload::summarize(workload());
  std::map<std::string, double> work;
  double shortest = 1e9, least = 1e9, most = 0;
  std::int64_t fewest_tasks = 1'000'000, most_tasks = 0;
  for (const dag_scheduling::workload::JobSummary& job : summary.per_job) {
    work[job.name.substr(0, job.name.find(':'))] += job.work_s / 22;
    shortest = std::min(shortest, job.critical_path_s);
    least = std::min(least, job.work_s);
    most = std::max(most, job.work_s);
    fewest_tasks = std::min(fewest_tasks, job.tasks);
    most_tasks = std::max(most_tasks, job.tasks);
  }
  for (const auto& [size, mean] : mean_work) EXPECT_NEAR(work[size], mean, 0.5) << size;
  EXPECT_NEAR(summary.total.work_s / 154, 889, 0.5);
  EXPECT_NEAR(least, 36, 0.5);
  EXPECT_NEAR(most, 7560, 5);
  EXPECT_NEAR(shortest, 2.7, 0.05);
  EXPECT_NEAR(summary.total.critical_path_s, 9.7, 0.05);
  EXPECT_EQ(fewest_tasks, 13);
  EXPECT_EQ(most_tasks, 3717);
}

TEST_F(PublishedProfiles, HaveTheKnownDurations) {
  // Q3 at 20 GB, the stage of 200 tasks: its published first waves, 421, 487, 599, 852 ms at 5, 20,
  // 50, 100 executors, without the fresh durations.
  const Workload::Job& job = workload().jobs()[*workload().find("20g:3")];
  bool found = false;
  for (const Workload::Stage& stage : workload().stages(job)) {
    std::map<std::pair<Wave, int>, double> mean;
    for (const dag_scheduling::WorkloadCell& cell : workload().cells(stage)) {
      double sum = 0;
      for (const std::uint32_t sample : workload().durations_ms(cell)) sum += sample;
      mean[{cell.wave, cell.executors}] = sum / cell.count;
    }
    const auto is = [&](Wave wave, int executors, double ms) {
      return std::abs(mean[{wave, executors}] - ms) < 0.6;
    };
    found =
        found || (stage.tasks == 200 && is(Wave::first, 5, 421) && is(Wave::first, 20, 487) &&
                  is(Wave::first, 50, 589) && is(Wave::first, 100, 878) && is(Wave::rest, 5, 80) &&
                  is(Wave::rest, 20, 95) && is(Wave::rest, 50, 128) && is(Wave::rest, 100, 165));
  }
  EXPECT_TRUE(found);
}

TEST_F(PublishedProfiles, AreSmallAsAWorkload) {
  const std::vector<std::byte> bytes = dag_scheduling::workload_bytes(workload());
  EXPECT_LT(bytes.size(), 15'000'000U);
  const Workload again = dag_scheduling::parse_workload(bytes, "f");
  EXPECT_LT(again.memory_bytes() + bytes.size(), 15'000'000U) << "also while it is read";
  EXPECT_EQ(dag_scheduling::workload_bytes(again), bytes);
}

}  // namespace import_decima_test
}  // namespace park::test
