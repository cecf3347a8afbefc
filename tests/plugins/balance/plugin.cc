// An environment of this tree, moved out: this source instead of its register.cc.
#include "park/envs/load_balance/load_balance.h"
#include "park/envs/load_balance/policies.h"
#include "park/plugin/cpp.h"

using namespace park::load_balance;

PARK_PLUGIN(LoadBalance, RoundRobin, ShortestQueue, LeastWork, ShortestExpectedDelay, PowerOfD,
            SizeInterval);
