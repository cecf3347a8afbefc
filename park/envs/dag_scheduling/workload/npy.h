#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "park/envs/dag_scheduling/workload/pickle.h"

namespace park::dag_scheduling::workload {

/// The bytes of a file of at most 4 MiB. Throws Error{io} or, when it is larger, Error{bad_file}.
[[nodiscard]] std::string read_small_file(const std::string& path);

/// A square matrix of NumPy's format: little-endian float64, row by row.
struct NpyMatrix {
  std::size_t size = 0;
  std::vector<double> values;
  [[nodiscard]] double at(std::size_t row, std::size_t column) const {
    return values[row * size + column];
  }
};
/// Throws Error{bad_file} with one line for anything else.
[[nodiscard]] NpyMatrix parse_npy_matrix(std::span<const std::byte> bytes,
                                         const std::string& source);

/// One pickled object in an array of no dimensions.
struct NpyObject {
  Pickle pickle;
  PickleValue value;
};
/// Throws Error{bad_file} with one line for anything else.
[[nodiscard]] NpyObject parse_npy_object(std::span<const std::byte> bytes,
                                         const std::string& source);

}  // namespace park::dag_scheduling::workload
