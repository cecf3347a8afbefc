#include "agents/net/shared_mlp.h"

#include <ATen/ops/mm.h>

#include <cmath>

namespace park::agents {
namespace {

MlpOptions own_options(const SharedMlpOptions& o) {
  MlpOptions own{.widths = {o.own}};
  own.widths.insert(own.widths.end(), o.widths.begin(), o.widths.end());
  own.other_inputs = o.shared;
  own.last_scale = o.last_scale;
  return own;
}

}  // namespace

SharedMlp::SharedMlp(const SharedMlpOptions& o, const Rng& rng)
    : weight_(register_parameter("shared",
                                 normal_weight(o.shared, o.widths.front(),
                                               1 / std::sqrt(static_cast<double>(o.shared + o.own)),
                                               rng.split("shared")))),
      own_(register_module("own", std::make_shared<Mlp>(own_options(o), rng.split("own")))) {}

at::Tensor SharedMlp::forward(const at::Tensor& shared, const at::Tensor& own,
                              const at::Tensor& group) const {
  const at::Device device = weight_.device();
  return perceptron(own.to(device), own_->tensors(), at::mm(shared.to(device), weight_),
                    group.to(device));
}

}  // namespace park::agents
