#include "park/judge/runners.h"

#include "park/command/asset.h"

PARK_ASSET(park::judge, runner_py, PARK_FILE("park/judge/runner.py"))
PARK_ASSET(park::judge, runner_prelude, PARK_FILE("park/judge/runner_prelude.inc"))
