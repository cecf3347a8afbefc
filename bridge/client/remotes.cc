#include "bridge/client/remotes.h"

#include "bridge/client/remote_policy.h"
#include "bridge/client/remote_stream.h"

namespace park::bridge {

void register_all(Registry& registry) {
  registry.add_stream<RemoteEnv>();
  registry.add_policy<RemotePolicy>();
}

}  // namespace park::bridge
