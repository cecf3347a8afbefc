#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <cstddef>

#include "agents/kit/state.h"

namespace park::agents {

/// Writes the values of one into the other. REQUIRES the same tensors in the same order.
inline void copy(const State& from, const State& to) {
  const at::NoGradGuard off;
  for (std::size_t i = 0; i < from.size(); ++i) at::Tensor(to[i].second).copy_(from[i].second);
}

}  // namespace park::agents
