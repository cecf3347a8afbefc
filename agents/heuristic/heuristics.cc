#include "agents/heuristic/heuristics.h"

#include "agents/heuristic/abr/register.h"
#include "agents/heuristic/dag_scheduling/register.h"
#include "agents/heuristic/load_balance/register.h"
#include "agents/heuristic/simple_queue/register.h"

namespace park::heuristics {

void register_all(Registry& r) {
  r.add_policy({.name = "random",
                .summary = "uniform over the legal actions",
                .reference = "the baseline that any policy should beat",
                .environments = {}},
               [](const Spec& spec) { return std::make_unique<RandomPolicy>(spec); });
  register_abr(r);
  register_dag_scheduling(r);
  register_load_balance(r);
  register_simple_queue(r);
}

}  // namespace park::heuristics
