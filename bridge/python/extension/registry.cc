#include "extension/registry.h"

#include <atomic>
#include <map>
#include <memory>
#include <utility>

#include "bridge/client/remotes.h"
#include "park/envs/envs.h"
#include "park/search/lookahead.h"
#include "park/trees/tree_policy.h"
#include "systems/systems.h"

namespace park::python {
namespace {

using Additions = std::map<std::string, std::function<void(Registry&)>>;

// All of these live as long as the process: threads may use them at its end.
const Registry& without_search() {
  static const Registry* const all = [] {
    auto* r = new Registry;
    envs::register_all(*r);
    bridge::register_all(*r);
    systems::register_all(*r);
    trees::register_policies(*r);
    return r;
  }();
  return *all;
}

// lookahead finds its base in the registry that it was added to, so that every one adds its own.
const Registry& own() {
  static const Registry* const all = [] {
    auto* r = new Registry(without_search());
    search::register_policies(*r);
    return r;
  }();
  return *all;
}

Additions& additions() {
  static auto* const all = new Additions;
  return *all;
}

std::atomic<const Registry*>& present() {
  static std::atomic<const Registry*> all = &own();
  return all;
}

}  // namespace

const Registry& registry() { return *present().load(); }

void extend_registry(const std::string& key, std::function<void(Registry&)> add) {
  auto more = std::make_unique<Registry>(without_search());
  search::register_policies(*more);
  for (const auto& [known, addition] : additions())
    if (known != key) addition(*more);
  add(*more);
  additions()[key] = std::move(add);
  present().store(more.release());
}

bool is_extended() { return !additions().empty(); }

}  // namespace park::python
