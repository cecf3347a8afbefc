#include "park/trees/tree_policy.h"

namespace park::cli::trees {

/// Called for Session::registry.
void register_folder(Registry& registry) { park::trees::register_policies(registry); }

}  // namespace park::cli::trees
