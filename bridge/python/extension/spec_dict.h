#pragma once

#include <pybind11/pybind11.h>

#include "park/core/space.h"

namespace park::python {

/// A spec as dicts and lists, with the names of its C++ fields; park_sdk.Spec is made of it.
[[nodiscard]] pybind11::dict to_dict(const Spec&);
/// Throws Error{invalid_space} with a line for each contradiction, and KeyError.
[[nodiscard]] Spec spec_of(const pybind11::dict&);

}  // namespace park::python
