#include "agents/net/mlp.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>

namespace park::agents {

Mlp::Mlp(const MlpOptions& o, Rng rng) {
  parameters_.style = o.style;
  for (std::size_t k = 1; k < o.widths.size(); ++k) {
    const bool last = k + 1 == o.widths.size();
    const std::string number = std::to_string(k);
    parameters_.tensors.push_back(weight("w" + number, o.widths[k - 1], o.widths[k],
                                         last ? o.last_scale : 1, rng.split("w" + number)));
    if (!last || o.last_bias)
      parameters_.tensors.push_back(register_parameter("b" + number, at::zeros({o.widths[k]})));
  }
}

at::Tensor Mlp::weight(const std::string& name, std::int64_t in, std::int64_t out, double scale,
                       Rng rng) {
  at::Tensor w = at::empty({in, out});
  float* at = w.data_ptr<float>();
  const double deviation = scale / std::sqrt(static_cast<double>(in));
  for (std::int64_t i = 0; i < in * out; ++i) at[i] = static_cast<float>(deviation * rng.normal());
  return register_parameter(name, w);
}

at::Tensor Mlp::forward(const at::Tensor& x) const {
  return perceptron(x.to(parameters_.tensors[0].device()), parameters_);
}

}  // namespace park::agents
