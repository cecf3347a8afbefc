#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "park/envs/dag_scheduling/workload.h"
#include "park/envs/dag_scheduling/workload_file.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::test {
namespace workload_open_test {

using dag_scheduling::Workload;
using dag_scheduling::write_workload;

TEST(WorkloadOpen, IsSafeFromManyThreads) {
  const ScratchFolder folder("threads");
  const std::string path = folder.file("a.park");
  write_workload(sample_workload(), path);
  std::vector<std::shared_ptr<const Workload>> opened(8);
  {
    std::vector<std::jthread> threads;
    for (auto& mine : opened) {
      threads.emplace_back([&] { mine = Workload::open(path); });
    }
  }
  for (const auto& one : opened) {
    ASSERT_NE(one, nullptr);
    EXPECT_EQ(one->jobs().size(), 2U);
  }
}

}  // namespace workload_open_test
}  // namespace park::test
