// The environment of ../../speed.h as a plug-in: the class as it is, and one line. CMake names it
// (park_add_plugin); docs/plugins.md has the commands.
#include "../../speed.h"

#include "park/plugin/cpp.h"

PARK_PLUGIN(Speed);
