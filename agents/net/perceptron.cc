#include "agents/net/perceptron.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

namespace park::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// The inputs of the fused operator: x, then the shared rows and whose they are, if there are any,
/// then the parameters.
struct Inputs {
  explicit Inputs(const std::vector<at::Tensor>& list, bool with_shared)
      : x(list[0]),
        rows(with_shared ? list[1] : at::Tensor()),
        of(with_shared ? list[2] : at::Tensor()),
        parameters(list.begin() + (with_shared ? 3 : 1), list.end()) {}

  [[nodiscard]] SharedRows shared(float* gradient = nullptr) const {
    if (!rows.defined()) return {};
    return {rows.data_ptr<float>(), of.data_ptr<std::int64_t>(), gradient};
  }

  at::Tensor x, rows, of;
  std::vector<at::Tensor> parameters;
};

struct FusedPerceptron : torch::autograd::Function<FusedPerceptron> {
  static at::Tensor forward(AutogradContext* context, at::TensorList list, bool with_shared,
                            double slope, bool rectify_last) {
    variable_list all(list.begin(), list.end());
    all[0] = all[0].contiguous();
    if (with_shared) all[1] = all[1].contiguous();
    const Inputs in(all, with_shared);
    PackedMlp mlp(in.parameters, {static_cast<float>(slope), rectify_last}, false);
    at::Tensor y = at::empty({in.x.size(0), mlp.out()}, in.x.options());
    mlp.forward(in.x.data_ptr<float>(), in.x.size(0), y.data_ptr<float>(), in.shared());
    context->saved_data["shared"] = with_shared;
    context->saved_data["slope"] = slope;
    context->saved_data["rectify_last"] = rectify_last;
    context->saved_data["input"] = list[0].requires_grad();
    context->save_for_backward(std::move(all));
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const bool with_shared = context->saved_data["shared"].toBool();
    const Inputs in(context->get_saved_variables(), with_shared);
    const auto slope = static_cast<float>(context->saved_data["slope"].toDouble());
    PackedMlp mlp(in.parameters, {slope, context->saved_data["rectify_last"].toBool()}, true);
    const at::Tensor gy = gradients[0].contiguous();
    at::Tensor dx, d_rows;
    if (context->saved_data["input"].toBool()) dx = at::empty(in.x.sizes(), in.x.options());
    if (with_shared) d_rows = at::zeros_like(in.rows);
    mlp.backward(in.x.data_ptr<float>(), in.x.size(0), gy.data_ptr<float>(),
                 dx.defined() ? dx.data_ptr<float>() : nullptr,
                 in.shared(with_shared ? d_rows.data_ptr<float>() : nullptr));
    variable_list all{dx};
    if (with_shared) all.insert(all.end(), {d_rows, at::Tensor()});
    for (at::Tensor& g : mlp.gradients()) all.push_back(std::move(g));
    all.insert(all.end(), 3, at::Tensor());
    return all;
  }
};

}  // namespace

at::Tensor perceptron(const at::Tensor& x, const PerceptronParameters& p, const at::Tensor& shared,
                      const at::Tensor& of) {
  if (!x.is_cpu()) return plain_perceptron(x, p, shared, of);
  std::vector<at::Tensor> all = {x};
  if (shared.defined()) all.insert(all.end(), {shared, of});
  all.insert(all.end(), p.tensors.begin(), p.tensors.end());
  return FusedPerceptron::apply(at::TensorList(all), shared.defined(),
                                static_cast<double>(p.style.slope), p.style.rectify_last);
}

at::Tensor plain_perceptron(const at::Tensor& x, const PerceptronParameters& p,
                            const at::Tensor& shared, const at::Tensor& of) {
  at::Tensor y = x;
  for (std::size_t k = 0; k < p.tensors.size(); k += 2) {
    y = k + 1 < p.tensors.size() ? at::addmm(p.tensors[k + 1], y, p.tensors[k])
                                 : at::mm(y, p.tensors[k]);
    if (k == 0 && shared.defined()) y = y + shared.index_select(0, of);
    if (k + 2 < p.tensors.size() || p.style.rectify_last) y = at::leaky_relu(y, p.style.slope);
  }
  return y;
}

}  // namespace park::agents
