#include "agents/net/mlp.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>

#include "agents/net/fused_mlp.h"

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
  const auto& t = parameters_.tensors;
  const at::Tensor here = x.to(t[0].device());
  // The usual perceptron of a score has kernels of its own.
  if (here.is_cpu() && t.size() == 6 && parameters_.style == MlpStyle{})
    return fused_mlp(here, {t[0], t[1], t[2], t[3], t[4], t[5]});
  return perceptron(here, parameters_);
}

}  // namespace park::agents
