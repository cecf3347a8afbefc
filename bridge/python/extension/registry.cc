#include "extension/registry.h"

#include "bridge/client/remotes.h"
#include "park/envs/envs.h"
#include "park/trees/tree_policy.h"
#include "systems/systems.h"

namespace park::python {

const Registry& registry() {
  static const Registry* const all = [] {
    auto* r = new Registry;  // lives as long as the process: threads may use it at its end
    envs::register_all(*r);
    bridge::register_all(*r);
    systems::register_all(*r);
    trees::register_policies(*r);
    return r;
  }();
  return *all;
}

}  // namespace park::python
