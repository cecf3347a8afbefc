#include "park/envs/dag_scheduling/workload/spark_report.h"

#include <algorithm>

namespace park::dag_scheduling::workload {
namespace {

void count_in(std::vector<SparkCount>& counts, const std::string& what, const std::string& why,
              const std::string& example, std::uint64_t count) {
  if (count == 0) return;
  auto at = std::ranges::find_if(
      counts, [&](const SparkCount& one) { return one.what == what && one.why == why; });
  if (at == counts.end()) at = counts.insert(at, {what, why, 0, {}});
  at->count += count;
  if (at->examples.size() < SparkCount::kExamples &&
      std::ranges::find(at->examples, example) == at->examples.end()) {
    at->examples.push_back(example);
  }
}

}  // namespace

void SparkImportReport::drop(const std::string& what, const std::string& why,
                             const std::string& example, std::uint64_t count) {
  count_in(dropped, what, why, example, count);
}

void SparkImportReport::remark(const std::string& what, const std::string& why,
                               const std::string& example, std::uint64_t count) {
  count_in(remarks, what, why, example, count);
}

}  // namespace park::dag_scheduling::workload
