#pragma once

#include <pybind11/pybind11.h>

namespace park::python {

/// The commands of docs/conformance.md: _core.decode, rollout and scenario.
void bind_conformance(pybind11::module_&);

}  // namespace park::python
