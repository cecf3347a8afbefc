#include "cli/judge/adapters.h"

#include "park/command/asset.h"

PARK_ASSET(park::cli::task_text, openevolve, PARK_FILE("cli/judge/tasks/openevolve.py"))
PARK_ASSET(park::cli::task_text, skydiscover, PARK_FILE("cli/judge/tasks/skydiscover.py"))
PARK_ASSET(park::cli::task_text, skydiscover_sh, PARK_FILE("cli/judge/tasks/skydiscover.sh"))
PARK_ASSET(park::cli::task_text, shinka, PARK_FILE("cli/judge/tasks/shinka.py"))
PARK_ASSET(park::cli::task_text, gepa, PARK_FILE("cli/judge/tasks/gepa.py"))
PARK_ASSET(park::cli::task_text, harbor_sh, PARK_FILE("cli/judge/tasks/harbor.sh"))
PARK_ASSET(park::cli::task_text, harbor_toml, PARK_FILE("cli/judge/tasks/harbor.toml"))
PARK_ASSET(park::cli::task_text, dockerfile, PARK_FILE("cli/judge/tasks/Dockerfile"))
