// model=allreduce with a table of speeds in place of goodput, and with jobs that are cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "park/envs/dl_cluster/goodput.h"
#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/scratch_folder.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace ring_table_test {

/// Speeds at one server, for one to four workers.
constexpr const char* kRing =
    "type,even,1,0,1,0,100,0.5\ntype,flat,1,0,1,0,100,0.5\n"
    "speed,even,1,1,10\nspeed,even,1,2,20\nspeed,even,1,3,30\nspeed,even,1,4,40\n"
    "speed,flat,1,1,5\nspeed,flat,1,2,6\nspeed,flat,1,3,6\nspeed,flat,1,4,0\n";

class RingTable : public ::testing::Test, protected ClusterPlayer {
 protected:
  RingTable() : table_(kRing) {}
  [[nodiscard]] std::string env(int gpus, const std::string& more = "") const {
    return "dl_cluster(model=allreduce,table=\"" + table_.path() +
           "\",nodes=1,ladder=all,jobs=12,span_s=7200,node_gpus=" + std::to_string(gpus) + more +
           ")";
  }
  TemporaryFile table_;
};

TEST_F(RingTable, TypesHaveTheSpeedsOfTheTableOverAndOver) {
  dl_cluster::DlClusterConfig c;
  c.model = "allreduce";
  c.table = table_.path();
  c.nodes = 1;
  c.node_gpus = 3;
  c.ladder = "all";
  const dl_cluster::GoodputTable table(c);
  for (std::size_t type = 0; type < dl_cluster::kTrainingTypes.size(); ++type)
    for (const std::size_t stage : {0u, 15u})
      for (const bool across : {false, true}) {
        EXPECT_NEAR(table.at(type, stage, 0, across), 1, 1e-9);
        EXPECT_NEAR(table.at(type, stage, 2, across), type % 2 == 0 ? 3 : 1.2, 1e-9);
      }
}

TEST_F(RingTable, ASpeedOfNothingIsRefused) {
  EXPECT_EQ(error_of([&] { (void)spec(env(4)); }),
            "table: in '" + table_.path() +
                "' the speed of 'flat' with 1 server and 4 workers is not above 0; set max_gpus "
                "lower");
  EXPECT_EQ(error_of([&] { (void)spec(env(3, ",power=0.5")); }),
            "power is for table = psworker alone");
}

TEST_F(RingTable, JobsAreCut) {
  float most = 0;
  (void)play(env(2, ",most_work_s=900,change_s=0"), "equal_share", 2,
             [&](ConstRow row, const Spec&) {
               for (const float w : row[row.batch().field<float>("job.remaining_work")])
                 most = std::max(most, w);
             });
  EXPECT_EQ(most, 900);
}

}  // namespace ring_table_test
}  // namespace park::test
