#include "bridge/client/remotes.h"
#include "bridge/transport/zmq_channel.h"
#include "cli/frame/interrupt.h"
#include "systems/systems.h"

namespace park::cli::serve {

/// Called for Session::registry. What is elsewhere, and running systems.
void register_folder(Registry& registry) {
  bridge::end_waits_when([]() noexcept { return interrupted() != 0; });
  bridge::register_all(registry);
  systems::register_all(registry);
}

}  // namespace park::cli::serve
