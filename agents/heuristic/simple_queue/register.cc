#include "agents/heuristic/simple_queue/register.h"

#include "agents/heuristic/simple_queue/admit_all.h"
#include "agents/heuristic/simple_queue/optimal_admission.h"
#include "agents/heuristic/simple_queue/reward_threshold.h"
#include "agents/heuristic/simple_queue/trunk_reservation.h"

namespace park::heuristics {
namespace {

template <class P>
void add(Registry& r) {
  r.add_policy(P::info(), [](const Spec& spec) { return std::make_unique<P>(spec); });
}

}  // namespace

void register_simple_queue(Registry& r) {
  add<AdmitAll>(r);
  add<OptimalAdmission>(r);
  r.add_policy<RewardThreshold>();
  r.add_policy<TrunkReservation>();
}

}  // namespace park::heuristics
