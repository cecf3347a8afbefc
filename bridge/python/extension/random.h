#pragma once

#include <pybind11/pybind11.h>

namespace park::python {

/// _core.Rng: park::Rng, which gives the same bits here as in C++.
void bind_random(pybind11::module_&);

}  // namespace park::python
