// Decisions of the heuristics on toy cases, written down from their definitions.
#include <gtest/gtest.h>

#include <string>

#include "tests/envs/dl_cluster/fixture.h"
#include "tests/kit/temporary_file.h"

namespace park::test {
namespace dl_policies_test {

class DlPolicies : public ::testing::Test, protected ClusterPlayer {
 protected:
  DlPolicies() : table_(kToyTable) {}
  /// The first moves of an episode of two equal jobs on two nodes.
  [[nodiscard]] std::string moves(const std::string& policy, std::size_t count,
                                  const std::string& more = ",semantics=compat") {
    return joined(play(toy_env(table_.path(), more), policy)[0].moves, count);
  }

  TemporaryFile table_;
};

/// Shares stay equal: the jobs take turns, and four bundles fill the two nodes.
TEST_F(DlPolicies, DrfGivesBundlesInTurn) {
  EXPECT_EQ(moves("drf", 4), "0b 1b 0b 1b");
  EXPECT_EQ(moves("drf", 4, ""), "0b 1b 0b 1b");
}

/// A bundle of two servers and one worker is finished before the other job's begins.
TEST_F(DlPolicies, DrfFinishesABundle) { EXPECT_EQ(moves("drf(servers=2)", 4), "0b 0s 1b 1s"); }

/// No job is without a worker or a server first. Then with R samples left: a server saves R/10 -
/// R/14, a worker R/10 - R/12; after the server a worker saves R/14 - R/19.
TEST_F(DlPolicies, OptimusTakesTheLargestGainOfRemainingTime) {
  EXPECT_EQ(moves("optimus", 8), "0w 0s 1w 1s 0s 1s 0w 1w");
}

/// The frontier is 1+1 (cost 4, speed 10), one worker with two servers (6, 14), 2+2 (8, 19). Steps
/// from nothing gain 2.5, 2.33 and 2.375 per cost; from 1+1 to 2+2 it is 9/4 = 2.25.
TEST_F(DlPolicies, HullGreedyTakesTheSteepestStep) {
  EXPECT_EQ(moves("hull_greedy", 8), "0s 0s 1s 1s 0w 0w 1w 1w");
  // First fit packs better with workers first.
  EXPECT_EQ(moves("hull_greedy", 8, ""), "0w 0w 1w 1w 0s 0s 1s 1s");
  // At 0.7 of the best speed, 13.3, one worker with two servers is the cheapest; then both grow.
  EXPECT_EQ(moves("right_sized_srtf(theta=0.7)", 8), "0s 0s 1s 1s 0w 0w 1w 1w");
}

/// With cluster.compat the head gets all that a job may have.
TEST_F(DlPolicies, FcfsServesTheHeadFirst) {
  EXPECT_EQ(moves("fcfs", 4), "0b 0b 1b 1b");
  EXPECT_EQ(moves("srtf", 4), "0b 0b 1b 1b");
  EXPECT_EQ(moves("tiresias(workers=1,servers=1)", 3), "0b 1b e");
  EXPECT_EQ(moves("equal_share", 4), "0b 1b 0b 1b");
}

/// Four equal jobs on 144 GPUs: shares 1, 3, 5 and 7 of 16 by rank.
TEST_F(DlPolicies, HesrptGivesSharesByRank) {
  const std::string env =
      "dl_cluster(model=allreduce,power=0.5,ladder=all,change_s=0,nodes=1,node_gpus=144,"
      "max_gpus=144,jobs=4,span_s=0,round_s=1e6,max_slots=1000)";
  auto played = play(env, "hesrpt(p=0.5)")[0].moves;
  ASSERT_GE(played.size(), 5U);
  std::string gpus;
  for (std::size_t i = 0; i < 4; ++i) gpus += played[i].substr(1) + ' ';
  EXPECT_EQ(gpus, "g63 g45 g27 g9 ");
  // One has completed: of three, the shares are 1, 3 and 5 of 9.
  EXPECT_EQ(played[4].substr(1), "g80");
}

/// The weights of marginal_goodput are a special case. ln(1 + stay) is the bonus.
TEST_F(DlPolicies, LearnedGoodputCanBeMarginalGoodput) {
  const std::string env = "dl_cluster(model=allreduce,jobs=20)";
  const auto learned = play(env, "learned_goodput(remaining=0.5,stay=0.4054651081)")[0];
  const auto marginal = play(env, "marginal_goodput(exponent=0.5,stay=0.5)")[0];
  EXPECT_EQ(learned.moves, marginal.moves);
  EXPECT_EQ(learned.metrics, marginal.metrics);
}

/// Four equal jobs on 144 GPUs with S(k) = k^0.5. Weights are i^0.5, i = 1 for the last one, so that
/// shares go with i: 14.4, 28.8, 43.2 and 57.6.
TEST_F(DlPolicies, LearnedGoodputWeighsByThoseThatAreLonger) {
  const std::string env =
      "dl_cluster(model=allreduce,power=0.5,ladder=all,change_s=0,nodes=1,node_gpus=144,"
      "max_gpus=144,jobs=4,span_s=0,round_s=1e6,max_slots=1000)";
  const auto played = play(env, "learned_goodput(remaining=0,stay=0,longer=0.5)")[0].moves;
  ASSERT_GE(played.size(), 4U);
  std::string gpus;
  for (std::size_t i = 0; i < 4; ++i) gpus += played[i].substr(1) + ' ';
  EXPECT_EQ(gpus, "g58 g43 g29 g14 ");
}

/// A job gets no more from `enough` of its best speed on.
TEST_F(DlPolicies, LearnedGoodputStopsAtEnough) {
  const std::string env =
      "dl_cluster(model=allreduce,power=0.5,ladder=all,change_s=0,nodes=1,node_gpus=64,"
      "max_gpus=64,jobs=1,span_s=0,round_s=1e6,max_slots=1000)";
  EXPECT_EQ(play(env, "learned_goodput(enough=0.5)")[0].moves[0], "0g16");
  EXPECT_EQ(play(env, "learned_goodput")[0].moves[0], "0g64");
}

/// Two jobs on eight GPUs get four each, and then the one that is left gets all.
TEST_F(DlPolicies, EqualShareDividesTheGpus) {
  const std::string env =
      "dl_cluster(model=allreduce,nodes=2,jobs=2,span_s=0,round_s=600,max_slots=400)";
  const auto equal = play(env, "equal_share")[0].moves;
  ASSERT_GE(equal.size(), 3U);
  EXPECT_EQ(joined(equal, 3), "0g4 1g4 0g8");
  EXPECT_EQ(joined(play(env, "drf")[0].moves, 3), "0g4 1g4 0g8");
}

}  // namespace dl_policies_test
}  // namespace park::test
