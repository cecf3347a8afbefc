#include "agents/net/fused_mlp.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <vector>

namespace park::agents {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr float kSlope = 0.1f;
constexpr std::int64_t kWidest = 256;  // of a layer

// One version of each kernel for every set of vector instructions, chosen when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PARK_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PARK_KERNEL
#endif
// Into each of these versions.
#define PARK_INLINE [[gnu::always_inline]] inline

/// Sizes and memory of one call: x [n, in], activations a1 [n, h1], a2 [n, h2].
struct Shape {
  std::int64_t n, in, h1, h2, out;
};
struct Weights {
  const float *w1, *b1, *w2, *b2, *w3, *b3;
};
struct Gradients {
  float *w1, *b1, *w2, *b2, *w3, *b3;
};

/// y [out] = b + x [in] * w [in, out].
template <std::int64_t kOut>
PARK_INLINE void layer_of(const float* __restrict x, const float* __restrict w,
                          const float* __restrict b, std::int64_t in, std::int64_t out,
                          float* __restrict y) {
  const std::int64_t n = kOut > 0 ? kOut : out;  // known widths stay in registers
  for (std::int64_t o = 0; o < n; ++o) y[o] = b[o];
  for (std::int64_t i = 0; i < in; ++i) {
    const float v = x[i];
    for (std::int64_t o = 0; o < n; ++o) y[o] += v * w[i * n + o];
  }
}

PARK_KERNEL void layer(const float* __restrict x, const float* __restrict w,
                       const float* __restrict b, std::int64_t in, std::int64_t out, bool rectify,
                       float* __restrict y) {
  float sums[kWidest];
  if (out == 32)
    layer_of<32>(x, w, b, in, out, sums);
  else if (out == 16)
    layer_of<16>(x, w, b, in, out, sums);
  else if (out == 64)
    layer_of<64>(x, w, b, in, out, sums);
  else
    layer_of<0>(x, w, b, in, out, sums);
  for (std::int64_t o = 0; o < out; ++o)
    y[o] = !rectify || sums[o] > 0 ? sums[o] : kSlope * sums[o];
}

/// From the gradient g [out] of a layer's sums: those of its weights and bias, added up, and of its
/// input dx [in], where it is wanted.
template <std::int64_t kOut>
PARK_INLINE void backward_of(const float* __restrict x, const float* __restrict w,
                             const float* __restrict g, std::int64_t in, std::int64_t out,
                             float* __restrict gw, float* __restrict gb, float* __restrict dx) {
  const std::int64_t n = kOut > 0 ? kOut : out;
  for (std::int64_t o = 0; o < n; ++o) gb[o] += g[o];
  for (std::int64_t i = 0; i < in; ++i) {
    const float v = x[i];
    for (std::int64_t o = 0; o < n; ++o) gw[i * n + o] += v * g[o];
  }
  if (dx == nullptr) return;
  for (std::int64_t i = 0; i < in; ++i) {
    float lanes[8] = {};  // an order of summation that vectors can keep
    std::int64_t o = 0;
    for (; o + 8 <= n; o += 8)
      for (std::int64_t k = 0; k < 8; ++k) lanes[k] += w[i * n + o + k] * g[o + k];
    float sum = 0;
    for (; o < n; ++o) sum += w[i * n + o] * g[o];
    for (const float lane : lanes) sum += lane;
    dx[i] = sum;
  }
}

PARK_KERNEL void layer_backward(const float* __restrict x, const float* __restrict w,
                                const float* __restrict g, std::int64_t in, std::int64_t out,
                                float* __restrict gw, float* __restrict gb, float* __restrict dx) {
  if (out == 32)
    backward_of<32>(x, w, g, in, out, gw, gb, dx);
  else if (out == 16)
    backward_of<16>(x, w, g, in, out, gw, gb, dx);
  else if (out == 64)
    backward_of<64>(x, w, g, in, out, gw, gb, dx);
  else
    backward_of<0>(x, w, g, in, out, gw, gb, dx);
}

void through_rectifier(const float* activation, std::int64_t n, float* gradient) {
  for (std::int64_t i = 0; i < n; ++i)
    if (activation[i] <= 0) gradient[i] *= kSlope;
}

Weights weights(const variable_list& p) {
  return {p[0].data_ptr<float>(), p[1].data_ptr<float>(), p[2].data_ptr<float>(),
          p[3].data_ptr<float>(), p[4].data_ptr<float>(), p[5].data_ptr<float>()};
}

Shape shape_of(const at::Tensor& x, const variable_list& p) {
  return {x.size(0), x.size(1), p[0].size(1), p[2].size(1), p[4].size(1)};
}

void forward_rows(const Shape& s, const Weights& w, const float* x, float* a1, float* a2,
                  float* y) {
  for (std::int64_t r = 0; r < s.n; ++r) {
    layer(x + r * s.in, w.w1, w.b1, s.in, s.h1, true, a1 + r * s.h1);
    layer(a1 + r * s.h1, w.w2, w.b2, s.h1, s.h2, true, a2 + r * s.h2);
    layer(a2 + r * s.h2, w.w3, w.b3, s.h2, s.out, false, y + r * s.out);
  }
}

/// Rows whose gradient is zero cost nothing: decisions without a choice have such.
void backward_rows(const Shape& s, const Weights& w, const float* x, const float* a1,
                   const float* a2, const float* gy, const Gradients& g, float* dx) {
  std::vector<float> d1(static_cast<std::size_t>(s.h1)), d2(static_cast<std::size_t>(s.h2));
  for (std::int64_t r = 0; r < s.n; ++r) {
    const float* gr = gy + r * s.out;
    if (std::all_of(gr, gr + s.out, [](float v) { return v == 0; })) continue;
    layer_backward(a2 + r * s.h2, w.w3, gr, s.h2, s.out, g.w3, g.b3, d2.data());
    through_rectifier(a2 + r * s.h2, s.h2, d2.data());
    layer_backward(a1 + r * s.h1, w.w2, d2.data(), s.h1, s.h2, g.w2, g.b2, d1.data());
    through_rectifier(a1 + r * s.h1, s.h1, d1.data());
    layer_backward(x + r * s.in, w.w1, d1.data(), s.in, s.h1, g.w1, g.b1,
                   dx == nullptr ? nullptr : dx + r * s.in);
  }
}

struct FusedMlp : torch::autograd::Function<FusedMlp> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& w1,
                            const at::Tensor& b1, const at::Tensor& w2, const at::Tensor& b2,
                            const at::Tensor& w3, const at::Tensor& b3) {
    const variable_list p = {w1, b1, w2, b2, w3, b3};
    const at::Tensor x = input.contiguous();
    const Shape s = shape_of(x, p);
    TORCH_CHECK(std::max({s.h1, s.h2, s.out}) <= kWidest, "layers have at most ", kWidest,
                " units");
    const at::Tensor a1 = at::empty({s.n, s.h1}, x.options());
    const at::Tensor a2 = at::empty({s.n, s.h2}, x.options());
    at::Tensor y = at::empty({s.n, s.out}, x.options());
    forward_rows(s, weights(p), x.data_ptr<float>(), a1.data_ptr<float>(), a2.data_ptr<float>(),
                 y.data_ptr<float>());
    context->save_for_backward({x, a1, a2, w1, b1, w2, b2, w3, b3});
    context->saved_data["input"] = input.requires_grad();
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor& x = saved[0];
    const variable_list p(saved.begin() + 3, saved.end());
    variable_list g;
    for (const at::Tensor& t : p) g.push_back(at::zeros_like(t));
    const at::Tensor dx = context->saved_data["input"].toBool() ? at::zeros_like(x) : at::Tensor();
    const at::Tensor gy = gradients[0].contiguous();
    const Gradients into{g[0].data_ptr<float>(), g[1].data_ptr<float>(), g[2].data_ptr<float>(),
                         g[3].data_ptr<float>(), g[4].data_ptr<float>(), g[5].data_ptr<float>()};
    backward_rows(shape_of(x, p), weights(p), x.data_ptr<float>(), saved[1].data_ptr<float>(),
                  saved[2].data_ptr<float>(), gy.data_ptr<float>(), into,
                  dx.defined() ? dx.data_ptr<float>() : nullptr);
    return {dx, g[0], g[1], g[2], g[3], g[4], g[5]};
  }
};

}  // namespace

at::Tensor fused_mlp(const at::Tensor& x, const MlpParameters& p) {
  return FusedMlp::apply(x, p.w1, p.b1, p.w2, p.b2, p.w3, p.b3);
}

}  // namespace park::agents
