#include "agents/net/mlp.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <cmath>
#include <string>

namespace park::agents {

at::Tensor normal_weight(std::int64_t in, std::int64_t out, double deviation, Rng rng) {
  at::Tensor w = at::empty({in, out});
  float* at = w.data_ptr<float>();
  for (std::int64_t i = 0; i < in * out; ++i) at[i] = static_cast<float>(deviation * rng.normal());
  return w;
}

Mlp::Mlp(const MlpOptions& o, Rng rng) {
  parameters_.style = o.style;
  for (std::size_t k = 1; k < o.widths.size(); ++k) {
    const bool last = k + 1 == o.widths.size();
    const std::string number = std::to_string(k);
    const std::int64_t inputs = o.widths[k - 1] + (k == 1 ? o.other_inputs : 0);
    // The variances are 1 / inputs and 2 / (inputs + outputs).
    const double spread =
        o.glorot ? static_cast<double>(inputs + o.widths[k]) / 2 : static_cast<double>(inputs);
    const double deviation = (last ? o.last_scale : 1) / std::sqrt(spread);
    parameters_.tensors.push_back(register_parameter(
        "w" + number,
        normal_weight(o.widths[k - 1], o.widths[k], deviation, rng.split("w" + number))));
    if (!last || o.last_bias)
      parameters_.tensors.push_back(register_parameter("b" + number, at::zeros({o.widths[k]})));
  }
  if (o.categories == 0) return;
  const double deviation = 1 / std::sqrt(static_cast<double>(o.widths[0] + o.other_inputs));
  categories_ = register_parameter(
      "categories", normal_weight(o.categories, o.widths[1], deviation, rng.split("categories")));
}

at::Tensor Mlp::forward(const at::Tensor& x) const {
  return perceptron(x.to(parameters_.tensors[0].device()), parameters_);
}

at::Tensor Mlp::forward(const at::Tensor& x, const CategoryLists& lists) const {
  return categories_.defined() ? forward(x, category_sums(categories_, lists)) : forward(x);
}

at::Tensor Mlp::forward(const at::Tensor& x, const CategorySums& sums) const {
  if (!sums.rows.defined()) return forward(x);
  return perceptron(x.to(parameters_.tensors[0].device()), parameters_, sums.rows, sums.of);
}

at::Tensor Mlp::products(const at::Tensor& x, Inputs some) const {
  const at::Tensor& w = parameters_.tensors[0];
  return perceptron(x.to(w.device()),
                    {.tensors = {w.narrow(0, some.first, some.count)},
                     .style = {.slope = parameters_.style.slope, .rectify_last = false}});
}

at::Tensor Mlp::forward_without(Inputs some, const at::Tensor& x, const CategorySums& sums) const {
  const at::Tensor& w = parameters_.tensors[0];
  const std::int64_t behind = some.first + some.count;
  PerceptronParameters others = parameters_;
  others.tensors[0] =
      at::cat({w.narrow(0, 0, some.first), w.narrow(0, behind, w.size(0) - behind)});
  return perceptron(x.to(w.device()), others, sums.rows, sums.of);
}

}  // namespace park::agents
