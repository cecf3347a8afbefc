#pragma once

#include <pybind11/pybind11.h>

namespace park::python {

/// _core.end_with, wait_for_end and leave: for a process that serves the one that has started it,
/// and ends with that one, even while Python is busy.
void bind_parent(pybind11::module_&);

}  // namespace park::python
