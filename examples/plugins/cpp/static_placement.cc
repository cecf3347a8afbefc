// The tasks of static_placement.h as a plug-in, to be judged (docs/judge.md): an environment, the human
// baseline, and the exact search that is its bound.
#include "static_placement.h"

#include "park/plugin/cpp.h"

PARK_PLUGIN(static_placement::StaticPlacement, static_placement::Planned<false>,
            static_placement::Planned<true>);
