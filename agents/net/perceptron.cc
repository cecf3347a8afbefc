#include "agents/net/perceptron.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/mm.h>
#include <torch/csrc/autograd/custom_function.h>

namespace park::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct FusedPerceptron : torch::autograd::Function<FusedPerceptron> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, double slope,
                            bool rectify_last, at::TensorList parameters) {
    const at::Tensor x = input.contiguous();
    PackedMlp mlp(parameters, {static_cast<float>(slope), rectify_last}, false);
    at::Tensor y = at::empty({x.size(0), mlp.out()}, x.options());
    mlp.forward(x.data_ptr<float>(), x.size(0), y.data_ptr<float>());
    variable_list saved{x};
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(std::move(saved));
    context->saved_data["slope"] = slope;
    context->saved_data["rectify_last"] = rectify_last;
    context->saved_data["input"] = input.requires_grad();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const auto slope = static_cast<float>(context->saved_data["slope"].toDouble());
    PackedMlp mlp(at::TensorList(saved).slice(1),
                  {slope, context->saved_data["rectify_last"].toBool()}, true);
    const at::Tensor dx =
        context->saved_data["input"].toBool() ? at::empty(x.sizes(), x.options()) : at::Tensor();
    const at::Tensor gy = gradients[0].contiguous();
    mlp.backward(x.data_ptr<float>(), x.size(0), gy.data_ptr<float>(),
                 dx.defined() ? dx.data_ptr<float>() : nullptr);
    variable_list all{dx, at::Tensor(), at::Tensor()};
    for (at::Tensor& g : mlp.gradients()) all.push_back(std::move(g));
    return all;
  }
};

}  // namespace

at::Tensor perceptron(const at::Tensor& x, const PerceptronParameters& p) {
  if (!x.is_cpu()) return plain_perceptron(x, p);
  return FusedPerceptron::apply(x, static_cast<double>(p.style.slope), p.style.rectify_last,
                                at::TensorList(p.tensors));
}

at::Tensor plain_perceptron(const at::Tensor& x, const PerceptronParameters& p) {
  at::Tensor y = x;
  for (std::size_t k = 0; k < p.tensors.size(); k += 2) {
    y = k + 1 < p.tensors.size() ? at::addmm(p.tensors[k + 1], y, p.tensors[k])
                                 : at::mm(y, p.tensors[k]);
    if (k + 2 < p.tensors.size() || p.style.rectify_last) y = at::leaky_relu(y, p.style.slope);
  }
  return y;
}

}  // namespace park::agents
