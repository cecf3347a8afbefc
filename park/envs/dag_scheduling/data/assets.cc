#include "park/envs/dag_scheduling/data/assets.h"

#include "park/command/asset.h"

PARK_ASSET(park::dag_scheduling::workload, workload_html,
           PARK_FILE("park/envs/dag_scheduling/data/workload.html"))
PARK_ASSET(park::dag_scheduling::workload, workload_js,
           PARK_FILE("park/envs/dag_scheduling/data/workload.js"))
