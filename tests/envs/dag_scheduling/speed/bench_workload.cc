// Reading job workloads and event logs.

#include <benchmark/benchmark.h>

#include "park/core/rng.h"
#include "park/envs/dag_scheduling/workload/import_spark.h"
#include "park/envs/dag_scheduling/workload_builder.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/synthetic_log.h"

namespace park {
namespace {

/// As many jobs, stages and samples as Decima's TPC-H profiles have.
dag_scheduling::Workload large_workload() {
  dag_scheduling::WorkloadBuilder builder("large", "made up");
  Rng rng(1);
  for (int j = 0; j < 154; ++j) {
    dag_scheduling::JobProfile job{std::to_string(j), std::vector<dag_scheduling::StageProfile>(9)};
    for (dag_scheduling::StageProfile& stage : job.stages) {
      stage.tasks = 126;
      for (const dag_scheduling::Wave wave :
           {dag_scheduling::Wave::fresh, dag_scheduling::Wave::first, dag_scheduling::Wave::rest}) {
        for (const int executors : {2, 5, 10, 20, 40, 50, 60, 80, 100}) {
          dag_scheduling::StageProfile::Cell& cell = stage.cells.emplace_back();
          cell.wave = wave;
          cell.executors = static_cast<std::uint16_t>(executors);
          for (int i = 0; i < 44; ++i) {
            cell.durations_ms.push_back(1 + static_cast<std::uint32_t>(rng.exponential(1000)));
          }
        }
      }
    }
    builder.add_job(job);
  }
  return builder.build();
}

void parse_workload(benchmark::State& state) {
  const std::vector<std::byte> bytes = dag_scheduling::workload_bytes(large_workload());
  std::size_t memory = 0;
  for (auto _ : state) memory = dag_scheduling::parse_workload(bytes, "bench").memory_bytes();
  state.counters["file_bytes"] = static_cast<double>(bytes.size());
  state.counters["memory_bytes"] = static_cast<double>(memory);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
}
BENCHMARK(parse_workload)->Unit(benchmark::kMillisecond);

void import_spark_log(benchmark::State& state) {
  test::SyntheticLog log;
  log.executor("x");
  for (int j = 0; j < 20; ++j) {
    log.named_job(j, std::to_string(j), "1", {{j, j, 500, {}}});
    log.tasks(j, 500, "x", j * 10'000, 10).job_end(j);
  }
  // The input is made once: copies of the text would take a third of the time.
  dag_scheduling::workload::SparkLogInput input{
      .name = "a",
      .files = {{.name = "a", .open = [&log] { return files::memory_source(log.text()); }}}};
  dag_scheduling::workload::SparkImportReport report;
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        dag_scheduling::workload::import_spark(std::span(&input, 1), {}, report).sample_count());
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(log.text().size()));
}
BENCHMARK(import_spark_log)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace park
