// The files of an event log: one, rolled, compacted, with gaps, and names that tell nothing.
#include "park/envs/dag_scheduling/workload/spark_files.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"
#include "tests/kit/packing.h"

namespace park::dag_scheduling::workload {
namespace spark_files_test {

using test::SyntheticLog;

/// A folder as Spark names it, with files of the given names and texts.
class RolledFolder {
 public:
  using Files = std::vector<std::pair<std::string, std::string>>;
  RolledFolder(const std::string& name, const Files& files) : scratch_("rolled-" + name) {
    std::filesystem::create_directories(path());
    test::write_text(path() + "/appstatus_app-1.inprogress", "");
    for (const auto& [file, text] : files) test::write_text(path() + "/" + file, text);
  }
  [[nodiscard]] std::string path() const { return scratch_.file("eventlog_v2_app-1"); }

 private:
  test::ScratchFolder scratch_;
};

std::vector<std::string> names_of(const SparkLogInput& log) {
  std::vector<std::string> names;
  for (const SparkLogFile& file : log.files)
    names.push_back(std::filesystem::path(file.name).filename().string());
  return names;
}

TEST(SparkFiles, OrdersPartsByTheirNumbers) {
  const RolledFolder folder("order", {{"events_10_app-1.zstd", "x"},
                                      {"events_9_app-1", "xx"},
                                      {"events_8_app-1.lz4", "xxx"},
                                      {"events_7_app-1.compact.inprogress", ""},
                                      {"notes.txt", ""}});
  const SparkLogInput log = spark_log_at(folder.path());
  EXPECT_EQ(names_of(log), (std::vector<std::string>{"events_8_app-1.lz4", "events_9_app-1",
                                                     "events_10_app-1.zstd"}));
  EXPECT_EQ(log.bytes, 6U);
  EXPECT_EQ(log.application, "app-1");
  EXPECT_TRUE(log.headless);
  EXPECT_EQ(log.notes, std::vector<std::string>{
                           "parts 1 to 7 are missing at its beginning: what began there is left "
                           "out"});
}

TEST(SparkFiles, BeginsAtTheLastCompactedPart) {
  const RolledFolder folder("compact", {{"events_1_app-1.zstd.compact", ""},
                                        {"events_2_app-1.zstd", ""},
                                        {"events_3_app-1.zstd", ""},
                                        {"events_3_app-1.zstd.compact", ""},
                                        {"events_4_app-1.zstd", ""}});
  const SparkLogInput log = spark_log_at(folder.path());
  EXPECT_EQ(names_of(log),
            (std::vector<std::string>{"events_3_app-1.zstd.compact", "events_4_app-1.zstd"}));
  EXPECT_FALSE(log.headless);
  EXPECT_EQ(log.notes,
            std::vector<std::string>{"Spark compacted its parts up to 3: most jobs that were over "
                                     "by then are not in it"});
}

TEST(SparkFiles, TellsOfGaps) {
  const RolledFolder folder("gap", {{"events_1_app-1", ""}, {"events_4_app-1", ""}});
  const SparkLogInput log = spark_log_at(folder.path());
  EXPECT_FALSE(log.files[0].after_gap);
  EXPECT_TRUE(log.files[1].after_gap);
  EXPECT_EQ(log.notes, std::vector<std::string>{
                           "parts 2 to 3 are missing: what ran at that time is left out"});
}

TEST(SparkFiles, RefusesWhatIsNoLog) {
  const auto error = [](const std::string& path) {
    return test::error_of([&] { (void)spark_log_at(path); });
  };
  const RolledFolder empty("empty", {});
  EXPECT_EQ(error(empty.path()),
            empty.path() +
                ": a folder without files named events_N_...; give a log's file, or the "
                "folder of a rolled log");
  const RolledFolder twice("twice", {{"events_1_app-1", ""}, {"events_1_app-1.zstd", ""}});
  EXPECT_EQ(error(twice.path()),
            twice.path() + ": part 1 is there twice: events_1_app-1 and events_1_app-1.zstd");
  EXPECT_EQ(error(empty.path() + "/none"), empty.path() + "/none: it cannot be opened");
}

TEST(SparkFiles, APartAloneIsHeadless) {
  const RolledFolder folder("alone", {{"events_2_app-1", ""}});
  const SparkLogInput log = spark_log_at(folder.path() + "/events_2_app-1");
  EXPECT_TRUE(log.headless);
  EXPECT_EQ(log.application, "app-1");
  EXPECT_EQ(log.notes, std::vector<std::string>{
                           "it is part 2 of a rolled log: what began before it is left out"});
}

/// Three jobs: one in the first part, one over the edge to the second, one in the third; as Spark
/// does, each part begins with its version.
struct ThreeParts {
  std::vector<std::string> texts;

  ThreeParts() {
    SyntheticLog log;
    log.executor("x").executor("y");
    auto cut = [&, done = std::size_t{0}]() mutable {
      texts.push_back((done == 0 ? ""
                                 : R"({"Event":"SparkListenerLogStart","Spark Version":"4"})"
                                   "\n") +
                      log.text().substr(done));
      done = log.text().size();
    };
    log.job(0, "", {{0, 3, 2, {}}}).tasks(0, 2, "x", 100, 10).job_end(0);
    log.sql_start(1, 1).sql_job(1, 1, {{1, 4, 1, {}}}).tasks(1, 1, "x", 200, 10).job_end(1);
    cut();
    log.sql_job(2, 1, {{2, 4, 1, {}}, {3, 5, 1, {2}}}).tasks(3, 1, "x", 300, 10).job_end(2);
    log.sql_end(1);
    cut();
    log.job(3, "", {{4, 6, 1, {}}}).tasks(4, 1, "y", 400, 10).job_end(3);
    cut();
  }
};

dag_scheduling::Workload import_folder(const RolledFolder& folder, SparkImportReport& report) {
  return import_spark(std::vector<std::string>{folder.path()}, {}, report);
}

TEST(SparkFiles, ARolledLogIsOneLog) {
  const ThreeParts parts;
  const RolledFolder folder("whole", {{"events_1_app-1.zstd", test::zstd(parts.texts[0])},
                                      {"events_2_app-1", parts.texts[1]},
                                      {"events_3_app-1.lz4", test::lz4_blocks(parts.texts[2])}});
  SparkImportReport report;
  const std::vector<std::byte> bytes =
      dag_scheduling::workload_bytes(import_folder(folder, report));
  EXPECT_EQ(report.jobs, 3U);
  EXPECT_TRUE(report.notes.empty() && report.dropped.empty());
  const std::string whole = parts.texts[0] + parts.texts[1] + parts.texts[2];
  dag_scheduling::Workload plain = test::import_texts({whole});
  // Of the two versions that the synthetic parts tell, the log's last one counts.
  EXPECT_EQ(bytes, dag_scheduling::workload_bytes(plain));
}

TEST(SparkFiles, WithoutItsBeginningOnlyWholeJobsAreTaken) {
  const ThreeParts parts;
  const RolledFolder folder(
      "headless", {{"events_2_app-1", parts.texts[1]}, {"events_3_app-1", parts.texts[2]}});
  SparkImportReport report;
  const dag_scheduling::Workload workload = import_folder(folder, report);
  ASSERT_EQ(workload.jobs().size(), 1U);
  EXPECT_EQ(workload.jobs()[0].name, "app-1/job:3") << "the application's id by the file's name";
  ASSERT_EQ(report.dropped.size(), 2U);
  EXPECT_EQ(report.dropped[1].why, "its beginning is not in the log");
}

TEST(SparkFiles, AGapLosesWhatRan) {
  const ThreeParts parts;
  const RolledFolder folder(
      "lost", {{"events_1_app-1", parts.texts[0]}, {"events_3_app-1", parts.texts[2]}});
  SparkImportReport report;
  const dag_scheduling::Workload workload = import_folder(folder, report);
  EXPECT_EQ(workload.jobs().size(), 2U);
  ASSERT_EQ(report.dropped.size(), 1U);
  EXPECT_EQ(report.dropped[0].why, "it ran where a part of the log is missing");
}

TEST(SparkFiles, APartInTheMiddleThatBreaksOffIsAGap) {
  const ThreeParts parts;
  std::string first = test::zstd(parts.texts[0]);
  first.resize(first.size() - 6);
  const RolledFolder folder("broken", {{"events_1_app-1.zstd", first},
                                       {"events_2_app-1", parts.texts[1]},
                                       {"events_3_app-1", parts.texts[2].substr(0, 500)}});
  SparkImportReport report;
  SparkImportOptions options;
  EXPECT_NE(test::error_of([&] {
              (void)import_folder(folder, report);
            }).find("no finished job that is not excluded"),
            std::string::npos);
  EXPECT_EQ(std::ranges::count_if(report.notes,
                                  [](const std::string& note) {
                                    return note.find("the log breaks off in line") !=
                                           std::string::npos;
                                  }),
            2);
}

}  // namespace spark_files_test
}  // namespace park::dag_scheduling::workload
