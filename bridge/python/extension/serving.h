#pragma once

#include <pybind11/pybind11.h>

namespace park::python {

/// _core.Server: environments or policies, of Park or of Python, for other processes.
void bind_serving(pybind11::module_&);

}  // namespace park::python
