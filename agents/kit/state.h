#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace park::agents {

/// Tensors with names, in a fixed order. They share memory with their owner, so that copying into
/// them restores it.
using State = std::vector<std::pair<std::string, at::Tensor>>;

}  // namespace park::agents
