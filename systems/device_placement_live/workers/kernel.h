#pragma once

#include <array>
#include <cstddef>

namespace park::device_placement_live {

/// What an operation of kind compute makes: a matrix of this many rows and columns.
inline constexpr std::size_t kSide = 96;
using Tensor = std::array<float, kSide * kSide>;

/// Multiplies the sum of the inputs by a matrix that follows from the number of the operation, and
/// squashes it, so many times. One thread. The same inputs give the same bits.
void run_kernels(int operation, int times, Tensor& tensor);

}  // namespace park::device_placement_live
