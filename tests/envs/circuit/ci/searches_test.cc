// Searches with 5 000 simulations of one specification, against figures of an independent program:
// the published design 2.00, random 1.88 and 1.89, CMA-ES 2.66 (two seeds each). And what many
// evaluations cost: memory of the simulator process, and the same bytes whatever came before.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "park/core/rng.h"
#include "park/envs/circuit/netlist.h"
#include "park/envs/circuit/spice_process.h"
#include "park/envs/circuit/topology.h"
#include "tests/kit/estimates.h"

namespace park::test {
namespace circuit_searches_test {

using circuit::Failure;
using circuit::SpiceProcess;
using circuit::SpiceReply;
using circuit::Topology;

double best_of(const std::string& policy, int simulations, const std::string& more = "") {
  const std::string env =
      "circuit(action=absolute,specification=published,conditions=nominal,"
      "start=centre,stop=false,simulations=" +
      std::to_string(simulations) + more + ")";
  return play_episodes(env, policy, 1, [](const Decisions&, const Batch&) {}).at("score").at(0);
}

TEST(Searches, MeetTheSpecificationWithinAFewHundredSimulations) {
  EXPECT_GT(best_of("cma_es", 200), 0) << "no design meets the specification";
}

TEST(SearchesLong, ReachThePublishedFigures) {
  constexpr int kBudget = 5000;
  EXPECT_NEAR(best_of("human", kBudget), 2, 0.001);
  EXPECT_NEAR(best_of("random", kBudget), 1.9, 0.15);
  EXPECT_GE(best_of("cma_es", kBudget), 2.6);
  EXPECT_GE(best_of("differential_evolution", kBudget), 2.4);
}

/// Resident memory of a process, in MB.
double resident_mb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (status >> word)
    if (word == "VmRSS:") {
      double kb = 0;
      status >> kb;
      return kb / 1024;
    }
  return -1;
}

/// Requests of random designs.
class Designs {
 public:
  explicit Designs(const Topology& t) : topology_(t), writer_(t) {}
  const std::string& request(std::uint64_t k) {
    Rng draw = Rng(4).split(k);
    circuit::Positions at{};
    for (double& p : at) p = draw.uniform();
    EXPECT_TRUE(writer_.write(topology_.sizes(at), {}, request_));
    return request_;
  }

 private:
  const Topology& topology_;
  circuit::NetlistWriter writer_;
  std::string request_{};
};

TEST(EvaluationsLong, LoseLittleMemory) {
  Designs designs(circuit::transimpedance());
  SpiceProcess process;
  SpiceReply reply;
  for (std::uint64_t k = 0; k < 200; ++k)
    process.run(designs.request(k), std::chrono::seconds(60), reply);
  const pid_t pid = process.pid();
  const double before = resident_mb(pid);
  for (std::uint64_t k = 0; k < 20'000; ++k) {
    process.run(designs.request(k), std::chrono::seconds(60), reply);
    ASSERT_EQ(reply.failure, Failure::none) << k << ": " << reply.text;
  }
  ASSERT_EQ(process.pid(), pid);
  ASSERT_GT(before, 0);
  std::printf("memory: %.1f MB, %.1f MB after 20 000 evaluations\n", before, resident_mb(pid));
  EXPECT_LT(resident_mb(pid) - before, 40);
}

TEST(Evaluations, AreTheSameBytesInAnyOrder) {
  Designs designs(circuit::transimpedance());
  SpiceProcess one, other;
  SpiceReply reply;
  std::vector<std::vector<double>> expected;
  constexpr std::uint64_t kDesigns = 20;
  for (std::uint64_t k = 0; k < kDesigns; ++k) {
    one.run(designs.request(k), std::chrono::seconds(60), reply);
    expected.push_back(reply.values);
  }
  for (std::uint64_t k = kDesigns; k-- > 0;) {
    other.run(designs.request(k), std::chrono::seconds(60), reply);
    EXPECT_EQ(reply.values, expected[k]) << k;
  }
}

}  // namespace circuit_searches_test
}  // namespace park::test
