#include "agents/net/mlp.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace park::agents {

Mlp::Mlp(const MlpSizes& s, Rng rng) {
  parameters_.w1 = weight("w1", s.in, s.hidden1, 1, rng.split("w1"));
  parameters_.b1 = register_parameter("b1", at::zeros({s.hidden1}));
  parameters_.w2 = weight("w2", s.hidden1, s.hidden2, 1, rng.split("w2"));
  parameters_.b2 = register_parameter("b2", at::zeros({s.hidden2}));
  parameters_.w3 = weight("w3", s.hidden2, s.out, 0.1, rng.split("w3"));
  parameters_.b3 = register_parameter("b3", at::zeros({s.out}));
}

at::Tensor Mlp::weight(const char* name, std::int64_t in, std::int64_t out, double scale, Rng rng) {
  at::Tensor w = at::empty({in, out});
  float* at = w.data_ptr<float>();
  const double deviation = scale / std::sqrt(static_cast<double>(in));
  for (std::int64_t i = 0; i < in * out; ++i) at[i] = static_cast<float>(deviation * rng.normal());
  return register_parameter(name, w);
}

}  // namespace park::agents
