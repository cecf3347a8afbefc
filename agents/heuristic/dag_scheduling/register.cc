#include "agents/heuristic/dag_scheduling/register.h"

#include <memory>

#include "agents/heuristic/dag_scheduling/critical_path.h"
#include "agents/heuristic/dag_scheduling/fair.h"
#include "agents/heuristic/dag_scheduling/fifo.h"
#include "agents/heuristic/dag_scheduling/graphene_star.h"
#include "agents/heuristic/dag_scheduling/naive_weighted_fair.h"
#include "agents/heuristic/dag_scheduling/sjf_cp.h"
#include "agents/heuristic/dag_scheduling/srpt_capped.h"
#include "agents/heuristic/dag_scheduling/tetris.h"
#include "agents/heuristic/dag_scheduling/weighted_fair.h"

namespace park::heuristics {
namespace {

template <class P>
void add_without_fields(Registry& registry) {
  registry.add_policy(
      P::info(), [](const Spec& s) -> std::unique_ptr<Policy> { return std::make_unique<P>(s); });
}

}  // namespace

void register_dag_scheduling(Registry& registry) {
  registry.add_policy<Fifo>();
  add_without_fields<SjfCp>(registry);
  add_without_fields<Fair>(registry);
  add_without_fields<NaiveWeightedFair>(registry);
  registry.add_policy<WeightedFair>();
  add_without_fields<CriticalPath>(registry);
  add_without_fields<Tetris>(registry);
  registry.add_policy<GrapheneStar>();
  registry.add_policy<SrptCapped>();
}

}  // namespace park::heuristics
