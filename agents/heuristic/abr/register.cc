#include "agents/heuristic/abr/register.h"

#include "agents/heuristic/abr/bola.h"
#include "agents/heuristic/abr/buffer_based.h"
#include "agents/heuristic/abr/festive.h"
#include "agents/heuristic/abr/mpc.h"
#include "agents/heuristic/abr/offline_optimum.h"
#include "agents/heuristic/abr/rate_based.h"

namespace park::heuristics {

void register_abr(Registry& r) {
  r.add_policy<BufferBased>();
  r.add_policy<RateBased>();
  r.add_policy<Bola>();
  r.add_policy<Festive>();
  r.add_policy<Mpc>();
  r.add_policy<RobustMpc>();
  r.add_policy<OfflineOptimum>();
}

}  // namespace park::heuristics
