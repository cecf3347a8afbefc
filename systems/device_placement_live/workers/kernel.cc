#include "systems/device_placement_live/workers/kernel.h"

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/from_blob.h>

#include <cstdint>

namespace park::device_placement_live {

void run_kernels(int operation, int times, Tensor& tensor) {
  at::set_num_threads(1);
  constexpr auto kLength = static_cast<std::int64_t>(kSide);
  at::Tensor x = at::from_blob(tensor.data(), {kLength, kLength}).clone();
  const at::Tensor weights = at::arange(kLength * kLength)
                                 .mul(operation + 7)
                                 .remainder(97)
                                 .to(at::kFloat)
                                 .div(97.0)
                                 .sub(0.5)
                                 .reshape({kLength, kLength});
  for (int k = 0; k < times; ++k) x = x.matmul(weights).tanh();
  at::from_blob(tensor.data(), {kLength, kLength}).copy_(x);
}

}  // namespace park::device_placement_live
