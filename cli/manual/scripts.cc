#include "cli/manual/scripts.h"

#include "park/command/asset.h"

PARK_ASSET(park::cli::scripts, bash, PARK_FILE("cli/manual/park.bash"))
PARK_ASSET(park::cli::scripts, zsh, PARK_FILE("cli/manual/park.zsh"))
PARK_ASSET(park::cli::scripts, fish, PARK_FILE("cli/manual/park.fish"))
