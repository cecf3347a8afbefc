#pragma once

#include <ATen/core/Tensor.h>

#include "agents/net/cluster/graph_levels.h"
#include "agents/net/perceptron.h"

namespace park::agents {

/// Decima's graph layer (Mao et al., SIGCOMM 2019, equation 1): e_v = x_v + g(sum over the children
/// u of f([features_u, e_u])). One pass goes from the nodes without children, whose e_v is x_v, to
/// those without parents.
struct GraphLayer {
  PerceptronParameters message;  ///< f
  PerceptronParameters update;   ///< g; without tensors: the identity
};

/// x [N, E] and features [N, F] f32, where F + E is the width that f takes and F may be 0; [N, E].
/// Gradients flow to x and the parameters, not to the features. On the CPU it is one node of the
/// graph: forward and backward of all levels in plain C++. They keep only e and the sums of
/// messages. Equal to the plain operators but for rounding.
[[nodiscard]] at::Tensor graph_layer(const at::Tensor& x, const at::Tensor& features,
                                     const GraphLevelsPtr&, const GraphLayer&);
/// The same by plain operators, level by level, on any device.
[[nodiscard]] at::Tensor plain_graph_layer(const at::Tensor& x, const at::Tensor& features,
                                           const GraphLevelsPtr&, const GraphLayer&);

}  // namespace park::agents
