#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace park::agents {

/// Rows are filled up to a multiple of so many numbers for vectors of every width.
constexpr std::int64_t kKernelLanes = 16;
/// y = x weights + bias, one row after the other, with x [rows, in], weights [in, width], bias
/// [width]. `x` has `stride` numbers from one row to the next. `width` is a multiple of
/// kKernelLanes.
struct Product {
  const float *x, *weights, *bias;
  std::int64_t stride, in, width;
};
/// y [rows, width]. An element is bias + x_0 w_0 + x_1 w_1 + ..., added in this order. Where the
/// processor multiplies and adds in one instruction, its bits do not depend on the vector's width.
void product(const Product&, std::int64_t rows, float* y);

/// Inputs x [rows, in], with `stride` numbers from one row to the next, and gradients g [rows, width].
struct OuterProduct {
  const float* x;
  std::int64_t stride, in;
  const float* g;
  std::int64_t width, rows;
};
/// weights [in, width] += x^T g, bias [width] += sum of the rows of g, row after row.
void add_outer_product(const OuterProduct&, float* weights, float* bias);

/// y = y where it is positive, else slope * y. `n` is a multiple of kKernelLanes, as below.
void rectify(std::int64_t n, float slope, float* y);
/// The gradient through that: of what came out, y, and its gradient.
void rectify_back(std::int64_t n, float slope, const float* y, float* gradient);

/// The sets of vector instructions that this processor has and the kernels are compiled for, the
/// best one first: avx512, avx2, sse4, neon or scalar.
[[nodiscard]] std::vector<std::string> instruction_sets();
/// The one in use; the best one at first.
[[nodiscard]] std::string instruction_set();
/// Uses another one from now on, in all threads. Throws Error{invalid_config} naming those that
/// there are.
void use_instruction_set(const std::string& name);
/// Uses what the variable PARK_INSTRUCTION_SET names, if it is set. Throws likewise.
void use_wanted_instruction_set();

}  // namespace park::agents
