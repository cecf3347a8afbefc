// The figures of rivals on Inception-v3, trained on two devices with a slow link: list schedulers that
// ignore contention lose to one device, a search wins.
#include <gtest/gtest.h>

#include <string>

#include "park/core/registry.h"
#include "park/envs/device_placement/graph_file.h"
#include "park/envs/device_placement/plans.h"

namespace park::test {
namespace placement_rivals_test {

using namespace device_placement;

class InceptionTraining : public ::testing::Test {
 protected:
  InceptionTraining() {
    graph_ = *open_graph(std::string(PARK_SOURCE_DIR) + "/data/graphs/inception_v3.json");
    add_training(graph_);
    cluster_.resize(2);
    cluster_.bytes_per_s.assign(4, 7.6e9);
    cluster_.latency_s.assign(4, 25e-6);
    simulator_.load(graph_, cluster_, Order::rank);
  }
  double ratio(const Placement& p) { return placed_s(simulator_, memory_, p) / total_s(graph_); }

  Graph graph_;
  Cluster cluster_;
  Simulator simulator_;
  MemoryUse memory_;
  Placement placement_;
};

TEST_F(InceptionTraining, ListSchedulingLosesToOneDevice) {
  place_heft(simulator_, placement_);
  EXPECT_NEAR(ratio(placement_), 1.8, 0.15);
}

TEST_F(InceptionTraining, PartitioningGainsNothing) {
  place_metis(simulator_, placement_);
  EXPECT_NEAR(ratio(placement_), 1.03, 0.03);
}

TEST_F(InceptionTraining, SearchWins) {
  place_annealed(simulator_, memory_, {.simulations = 6000}, Rng(1), placement_);
  EXPECT_LE(ratio(placement_), 0.87);
}

}  // namespace placement_rivals_test
}  // namespace park::test
