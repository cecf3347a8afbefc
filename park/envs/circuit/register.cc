#include "park/core/registry.h"
#include "park/envs/circuit/circuit.h"
#include "park/envs/circuit/optimisers.h"
#include "park/envs/circuit/policies.h"

namespace park::circuit {

/// Called by envs::register_all, which is made of the folders that have this file.
void register_env(Registry& r) {
  r.add_env<Circuit>();
  r.add_policy<Human>();
  r.add_policy<Coordinate>();
  r.add_policy<Search<CmaEs>>();
  r.add_policy<Search<DifferentialEvolution>>();
}

}  // namespace park::circuit
