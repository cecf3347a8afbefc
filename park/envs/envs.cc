#include "park/envs/envs.h"

#include "park/envs/abr/abr.h"
#include "park/envs/dag_scheduling/dag_scheduling.h"
#include "park/envs/load_balance/load_balance.h"
#include "park/envs/simple_queue/simple_queue.h"

namespace park::envs {

void register_all(Registry& r) {
  r.add_env<Abr>();
  r.add_env<DagScheduling>();
  r.add_env<LoadBalance>();
  r.add_env<SimpleQueue>();
}

}  // namespace park::envs
