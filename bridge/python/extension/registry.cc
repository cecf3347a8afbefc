#include "extension/registry.h"

#include <atomic>
#include <memory>

#include "bridge/client/remotes.h"
#include "park/envs/envs.h"
#include "park/trees/tree_policy.h"
#include "systems/systems.h"

namespace park::python {
namespace {

std::atomic<const Registry*>& present() {
  static std::atomic<const Registry*> all = [] {
    auto* r = new Registry;  // lives as long as the process: threads may use it at its end
    envs::register_all(*r);
    bridge::register_all(*r);
    systems::register_all(*r);
    trees::register_policies(*r);
    return r;
  }();
  return all;
}

}  // namespace

const Registry& registry() { return *present().load(); }

void extend_registry(const std::function<void(Registry&)>& add) {
  auto more = std::make_unique<Registry>(registry());
  add(*more);
  present().store(more.release());
}

}  // namespace park::python
