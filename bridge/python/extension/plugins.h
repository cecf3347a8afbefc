#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "bridge/server/server.h"

namespace park::python {

/// _core.add_environment and add_policy: classes of Python in the registry of this process. Each
/// takes a dict (park_sdk.plugins) and an object. The object of an environment has spec(values) ->
/// dict and make(values) -> (dict of the spec, environment). The object of a policy has
/// make(values, spec) -> policy. `values` are the fields that differ from their defaults.
/// _core.load_plugin: those of a library.
void bind_plugins(pybind11::module_&);

/// Services for the process that has started this one: it may give any text.
[[nodiscard]] bridge::Server::MakeService plugin_service(const std::string& kind,
                                                         const std::string& name);

}  // namespace park::python
