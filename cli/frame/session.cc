#include "cli/frame/session.h"

#include "park/core/registry.h"
#include "park/envs/envs.h"
#include "park/runs/checkpoint.h"
#ifdef PARK_WITH_BRIDGE
#include "bridge/client/remotes.h"
#include "bridge/transport/zmq_channel.h"
#include "cli/frame/interrupt.h"
#include "systems/systems.h"
#endif

namespace park::cli {

Session::Session(Console& console, std::size_t width) : console_(&console), width_(width) {}
Session::~Session() = default;

const Registry& Session::registry() {
  if (!registry_) {
    registry_ = std::make_unique<Registry>();
    envs::register_all(*registry_);
    runs::add_checkpoint_policies(*registry_);
#ifdef PARK_WITH_BRIDGE
    bridge::end_waits_when([]() noexcept { return interrupted() != 0; });
    bridge::register_all(*registry_);
    systems::register_all(*registry_);
#endif
  }
  return *registry_;
}

}  // namespace park::cli
