#include "agents/heuristic/load_balance/register.h"

#include "agents/heuristic/load_balance/least_work.h"
#include "agents/heuristic/load_balance/power_of_d.h"
#include "agents/heuristic/load_balance/round_robin.h"
#include "agents/heuristic/load_balance/shortest_expected_delay.h"
#include "agents/heuristic/load_balance/shortest_queue.h"
#include "agents/heuristic/load_balance/size_interval.h"

namespace park::heuristics {
namespace {

template <class P>
void add(Registry& r) {
  r.add_policy(P::info(), [](const Spec& spec) { return std::make_unique<P>(spec); });
}

}  // namespace

void register_load_balance(Registry& r) {
  add<RoundRobin>(r);
  add<ShortestQueue>(r);
  add<LeastWork>(r);
  add<ShortestExpectedDelay>(r);
  r.add_policy<PowerOfD>();
  r.add_policy<SizeInterval>();
}

}  // namespace park::heuristics
