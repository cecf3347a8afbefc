// What the plug-in offers. Its name, version and licence stand in CMakeLists.txt.
#include <park/plugin/cpp.h>

#include "policies.h"
#include "single_server.h"

PARK_PLUGIN(project::newenv::SingleServer, project::newenv::FirstCome, project::newenv::Shortest);
