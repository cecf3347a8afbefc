#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include "park/core/batch.h"

namespace park::python {

namespace py = pybind11;

/// A copy of each leaf: name -> [rows, shape]. A leaf of a group has the elements of all rows one
/// after the other, [sum of counts, shape].
[[nodiscard]] py::dict columns(const Batch&);
/// Elements of each row: group -> int64 [rows].
[[nodiscard]] py::dict counts(const Batch&);
/// The same for programs that need one size: name -> [rows, numbers of the leaf]. Groups are padded
/// with zeros to their capacity; valid.GROUP -> uint8 [rows, capacity] is 1 for each element.
[[nodiscard]] py::dict padded(const Batch&);

/// Replaces the rows by those of arrays, one for each leaf: [rows], or [rows, numbers of the leaf].
/// Throws Error{invalid_space} in one line that names the leaf. REQUIRES no groups.
void read_columns(const py::sequence& arrays, std::size_t rows, Batch& into);

}  // namespace park::python
