// Readers of workloads on bytes that a fuzzer makes: they accept or throw Error, and what they
// accept is written and read again to the same bytes.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>

#include "park/core/error.h"
#include "park/envs/dag_scheduling/workload/describe.h"
#include "park/envs/dag_scheduling/workload/import_decima.h"
#include "park/envs/dag_scheduling/workload/npy.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/npy_text.h"
#include "tests/envs/dag_scheduling/workload/raw_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/tally.h"
#include "tests/kit/packing.h"

namespace park::test {
namespace workload_fuzz_test {

std::string sample_file() {
  const std::vector<std::byte> bytes = dag_scheduling::workload_bytes(sample_workload());
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(Fuzz, WorkloadFiles) {
  const std::string file = sample_file();
  Mutator mutate(1);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    std::string damaged = mutate(file, file);
    // Most files get a right checksum again, or nothing behind it would ever be reached.
    if (i % 8 != 0) RawFile::seal(damaged);
    tally.run(i, [&] {
      const dag_scheduling::Workload workload =
          dag_scheduling::parse_workload(std::as_bytes(std::span(damaged)), "fuzz");
      // What is accepted is what its bytes say, and is fit for use.
      const std::vector<std::byte> bytes = dag_scheduling::workload_bytes(workload);
      EXPECT_TRUE(std::ranges::equal(bytes, std::as_bytes(std::span(damaged)))) << i;
      (void)dag_scheduling::workload::summarize(workload);
    });
  }
  tally.expect_both(24);
}

std::string sample_log() {
  SyntheticLog log;
  log.executor("1").executor("2", 2);
  log.job(0, R"("spark.sql.execution.root.id":"6",)", {{0, 3, 2, {}}, {1, 5, 1, {0}}});
  log.tasks(0, 2, "1", 100, 50).tasks(1, 1, "2", 200, 10).job_end(0);
  log.named_job(1, "q", "1", {{2, 13, 2, {}}, {3, 15, 2, {2}}});
  log.tasks(2, 2, "1", 300, 50).task({3, 0, "2", 400, 420, "ExceptionFailure"});
  log.tasks(3, 2, "2", 420, 10).job_end(1);
  log.executor_removed("2", 500);
  log.named_job(2, "q", "2", {{4, 13, 2, {}}, {5, 23, 2, {}}, {6, 25, 2, {5, 4}}});
  log.tasks(5, 2, "1", 600, 50).tasks(6, 2, "1", 700, 10).job_end(2);
  log.named_job(3, "q", "3", {{7, 13, 2, {}}, {8, 15, 2, {7}}});
  log.tasks(7, 2, "1", 800, 50).tasks(8, 2, "1", 900, 10).job_end(3);
  return log.text();
}

void import_log(const std::string& text) {
  const dag_scheduling::Workload workload = import_texts({text});
  EXPECT_EQ(dag_scheduling::workload_bytes(import_texts({text})),
            dag_scheduling::workload_bytes(workload));
  (void)dag_scheduling::workload::summarize(workload);
}

TEST(Fuzz, EventLogs) {
  // Two runs of q agree; the second has another graph and is not in what is damaged.
  std::string log = sample_log();
  const std::size_t other = log.find(R"({"Event":"SparkListenerJobStart","Job ID":2)");
  const std::size_t again = log.find(R"({"Event":"SparkListenerJobStart","Job ID":3)");
  const std::string donor = log;
  log.erase(other, again - other);
  import_log(log);
  Mutator mutate(2);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged = i % 4 == 0 ? shuffle_lines(log, mutate.rng()) : mutate(log, donor);
    tally.run(i, [&] { import_log(damaged); });
  }
  tally.expect_both(24);
}

TEST(Fuzz, PackedEventLogs) {
  const std::string log = sample_log();
  for (const std::string& packed : {gzip(log), zstd(log), lz4_frame(log), lz4_blocks(log),
                                    lz4_blocks(log.substr(0, 2000)) + zstd(log)}) {
    Mutator mutate(3);
    Tally tally;
    for (int i = 0; i < kMutations; ++i) {
      // Every fourth is whole as far as it goes.
      const std::string damaged =
          i % 4 == 0 ? packed.substr(0, mutate.rng().below(packed.size())) : mutate(packed, packed);
      tally.run(i, [&] { (void)import_texts({damaged}); });
    }
    EXPECT_GE(tally.refused, 500);
  }
}

/// A rolled log of damaged parts, some lost, some packed.
void import_rolled(const std::vector<std::string>& parts, Mutator& mutate, int number) {
  dag_scheduling::workload::SparkLogInput log{.name = "fuzz", .files = {}};
  log.headless = number % 5 == 0;
  for (std::string part : parts) {
    const std::uint64_t what = mutate.rng().below(8);
    const bool lost = what == 0;
    if (what == 1) part.resize(mutate.rng().below(part.size() + 1));
    if (what == 2) part = mutate(part, parts[0]);
    if (what == 3) part = zstd(part).substr(0, 1 + mutate.rng().below(part.size()));
    if (what == 4) part = shuffle_lines(part, mutate.rng());
    if (lost) continue;
    dag_scheduling::workload::SparkLogInput one = log_of("part", part);
    one.files[0].after_gap = mutate.rng().below(4) == 0;
    log.files.push_back(std::move(one.files[0]));
  }
  dag_scheduling::workload::SparkImportReport report;
  (void)dag_scheduling::workload::import_spark(std::span(&log, 1), {}, report);
}

TEST(Fuzz, RolledEventLogs) {
  const std::string log = sample_log();
  std::vector<std::string> parts;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end =
        std::min(log.find('\n', std::min(at + 3000, log.size() - 1)), log.size() - 1);
    parts.push_back(log.substr(at, end + 1 - at));
    at = end + 1;
  }
  Mutator mutate(5);
  Tally tally;
  for (int i = 0; i < kMutations; ++i) {
    tally.run(i, [&] { import_rolled(parts, mutate, i); });
  }
  tally.expect_both(24);
}

TEST(Fuzz, ProfilesOfDecima) {
  const DecimaWaves waves = {{"first_wave", {{5, {30, 10, 700}}, {2, {7, 8}}}},
                             {"rest_wave", {{5, {4, 50000, 6}}, {2, {}}}},
                             {"fresh_durations", {{5, {10, 99999, 20}}, {2, {8}}}}};
  const std::string durations = npy_object(pickle_of({{0, waves}, {1, waves}}));
  const std::string matrix = npy_matrix(2, {0, 1, 0, 0});
  Mutator mutate(4);
  Tally tally;
  const auto bytes = [](const std::string& text) { return std::as_bytes(std::span(text)); };
  for (int i = 0; i < kMutations; ++i) {
    const std::string damaged = mutate(i % 8 == 0 ? matrix : durations, durations);
    tally.run(i, [&] {
      if (i % 8 == 0) {
        (void)dag_scheduling::workload::parse_npy_matrix(bytes(damaged), "fuzz");
      } else {
        dag_scheduling::workload::DecimaImportReport report;
        (void)dag_scheduling::workload::import_decima_job(
            {"j", bytes(matrix), bytes(damaged), "m", "d"}, report);
      }
    });
  }
  tally.expect_both(24);
}

}  // namespace workload_fuzz_test
}  // namespace park::test
