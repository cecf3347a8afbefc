// The image of a row: what is patched after a move is what a new image would have.
#include "park/envs/dl_cluster/observation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "park/core/config.h"
#include "park/core/rng.h"
#include "park/core/text.h"
#include "park/envs/dl_cluster/allreduce_cluster.h"
#include "park/envs/dl_cluster/ps_cluster.h"

namespace park::test {
namespace cluster_observation_test {

using dl_cluster::AllReduceCluster;
using dl_cluster::ClusterLayout;
using dl_cluster::DlClusterConfig;
using dl_cluster::Move;
using dl_cluster::MoveKind;
using dl_cluster::Observation;
using dl_cluster::PsCluster;
using dl_cluster::SpeedTable;
using dl_cluster::TrainingCluster;

std::unique_ptr<TrainingCluster> cluster_of(const DlClusterConfig& c) {
  if (c.is_ps()) return std::make_unique<PsCluster>(c, SpeedTable::open(c.table));
  return std::make_unique<AllReduceCluster>(c);
}

/// The leaf that differs, or "".
std::string difference(ConstRow a, ConstRow b) {
  for (std::size_t c = 0; c < a.batch().columns(); ++c)
    if (!std::ranges::equal(a.batch().bytes(c, 0, 1), b.batch().bytes(c, 0, 1)))
      return a.batch().record().leaves[c].name;
  return "";
}

/// Applies every move that chance takes, and lets time pass at each end; returns the moves.
std::size_t compare(const std::string& text) {
  const auto config = parse_config<DlClusterConfig>(parse_text(text));
  const auto cluster = cluster_of(config);
  const ClusterLayout layout(cluster->sizes());
  Observation patched(layout, config, *cluster);
  cluster->begin({.inputs = 3, .dynamics = 4});
  std::vector<Move> moves;
  cluster->list(moves);
  patched.write(*cluster, moves);
  std::size_t applied = 0;
  Rng rng(5);
  for (int i = 0; i < 600 && !cluster->done(); ++i) {
    const Move move = moves[rng.below(moves.size())];
    if (move.kind == MoveKind::end) {
      cluster->pass(kInf);
      cluster->list(moves);
      patched.write(*cluster, moves);
    } else {
      cluster->apply(move);
      cluster->list(moves);
      patched.write_after(move, *cluster, moves);
      ++applied;
    }
    Observation anew(layout, config, *cluster);
    anew.write(*cluster, moves);
    EXPECT_EQ(difference(patched.row(), anew.row()), "") << text << ", step " << i;
    if (::testing::Test::HasFailure()) break;
  }
  return applied;
}

TEST(ClusterObservation, APatchedRowIsARowWrittenAnew) {
  for (const char* text :
       {"dl_cluster(nodes=4,jobs=12,max_epochs=2000)",
        "dl_cluster(semantics=compat,nodes=4,jobs=12,max_epochs=2000,window=5)",
        "dl_cluster(model=allreduce,nodes=3,jobs=12,span_s=3600,round_s=600,speeds=none)"})
    EXPECT_GT(compare(text), 100U) << text;
}

}  // namespace cluster_observation_test
}  // namespace park::test
