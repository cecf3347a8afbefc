#include "park/search/lookahead.h"

namespace park::cli::search {

/// Called for Session::registry.
void register_folder(Registry& registry) { park::search::register_policies(registry); }

}  // namespace park::cli::search
