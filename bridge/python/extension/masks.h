#pragma once

#include <pybind11/numpy.h>

#include <cstdint>
#include <vector>

#include "park/core/action_space.h"

namespace park::python {

/// The allowed values of the discrete heads, as one line of 0 and 1 per row. The line has all
/// values from the lowest, for each number of each head, in order. A head that depends on an
/// earlier one has 1 where some allowed choice of that one leaves the value open.
class Masks {
 public:
  explicit Masks(const Spec&);
  /// int8 [rows, size].
  [[nodiscard]] pybind11::array_t<std::int8_t> of(const Batch& observation) const;

 private:
  struct Head {
    std::size_t head = 0, values = 0, numbers = 1;
    std::int64_t low = 0;
    std::int32_t given = -1;  // the earlier head
    Field<std::int32_t> given_value;
  };
  void write(const Head&, ConstRow observation, Row scratch, std::int8_t* to) const;

  ActionSpace space_;
  Batch action_;  // its record
  std::vector<Head> heads_;
  std::size_t size_ = 0;
  bool open_ = true;  // every value of every head is allowed in every row
};

}  // namespace park::python
