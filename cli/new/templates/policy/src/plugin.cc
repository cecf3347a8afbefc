// What the plug-in offers. Its name, version and licence stand in CMakeLists.txt.
#include <park/plugin/cpp.h>

#include "policy.h"

PARK_PLUGIN(project::newpolicy::WeightedDelay);
