#pragma once

#include <pybind11/pybind11.h>

#include <string>

#include "bridge/codec/failure.h"

namespace park::python {

/// As in the schema: noSession.
[[nodiscard]] std::string name_of(bridge::Code);

/// The contents of the second frame of a message from a server, as docs/conformance.md lists it;
/// None if that page demands a rejection.
[[nodiscard]] pybind11::object decode(const pybind11::bytes& frame);

}  // namespace park::python
