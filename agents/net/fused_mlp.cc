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

// Sixteen lanes at a time, at any address.
using Lanes [[gnu::vector_size(64), gnu::aligned(4), gnu::may_alias]] = float;
constexpr std::int64_t kLanes = 16;

PARK_INLINE Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }
PARK_INLINE const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }

/// A layer: y [n, out] = x [n, in] * w [in, out] + b [out], through the rectifier or not. Every sum
/// goes over the inputs in their order, so that a row does not depend on the rows beside it.
struct Layer {
  const float *w, *b;  ///< b may be null
  std::int64_t in, out;
  bool rectify;
};

/// kRows rows, columns from .. from + kWidth * kLanes: sums stay in registers.
template <int kRows, int kWidth>
PARK_INLINE void block(const Layer& l, const float* __restrict x, std::int64_t from,
                       float* __restrict y) {
  Lanes sums[kRows][kWidth];
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kWidth; ++c)
      sums[r][c] = l.b == nullptr ? Lanes{} : lanes(l.b + from + c * kLanes);
  for (std::int64_t i = 0; i < l.in; ++i)
    for (int c = 0; c < kWidth; ++c) {
      const Lanes w = lanes(l.w + i * l.out + from + c * kLanes);
      for (int r = 0; r < kRows; ++r) sums[r][c] += x[r * l.in + i] * w;
    }
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kWidth; ++c) {
      const Lanes v = sums[r][c];
      lanes(y + r * l.out + from + c * kLanes) = !l.rectify ? v : v > 0 ? v : kSlope * v;
    }
}

template <int kRows>
PARK_INLINE void some_rows(const Layer& l, const float* __restrict x, float* __restrict y) {
  std::int64_t from = 0;
  for (; from + 2 * kLanes <= l.out; from += 2 * kLanes) block<kRows, 2>(l, x, from, y);
  for (; from + kLanes <= l.out; from += kLanes) block<kRows, 1>(l, x, from, y);
  for (int r = 0; r < kRows; ++r)
    for (std::int64_t o = from; o < l.out; ++o) {
      float sum = l.b == nullptr ? 0 : l.b[o];
      for (std::int64_t i = 0; i < l.in; ++i) sum += x[r * l.in + i] * l.w[i * l.out + o];
      y[r * l.out + o] = !l.rectify || sum > 0 ? sum : kSlope * sum;
    }
}

PARK_KERNEL void layer(const Layer& l, std::int64_t n, const float* __restrict x,
                       float* __restrict y) {
  std::int64_t r = 0;
  for (; r + 8 <= n; r += 8) some_rows<8>(l, x + r * l.in, y + r * l.out);
  for (; r + 2 <= n; r += 2) some_rows<2>(l, x + r * l.in, y + r * l.out);
  for (; r < n; ++r) some_rows<1>(l, x + r * l.in, y + r * l.out);
}

/// Layers with one output, the usual last one: a product of lanes and a sum over them.
PARK_KERNEL void single_output(const Layer& l, std::int64_t n, const float* __restrict x,
                               float* __restrict y) {
  for (std::int64_t r = 0; r < n; ++r, x += l.in) {
    Lanes sums{};
    std::int64_t i = 0;
    for (; i + kLanes <= l.in; i += kLanes) sums += lanes(x + i) * lanes(l.w + i);
    float sum = l.b[0];
    for (; i < l.in; ++i) sum += x[i] * l.w[i];
    for (std::int64_t half = kLanes / 2; half > 0; half /= 2)
      for (std::int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    y[r] = sum + sums[0];
  }
}

/// gw [in, out] and gb [out] get x [n, in]^T * g [n, out] and the sum of g on top.
PARK_KERNEL void add_gradients(std::int64_t n, std::int64_t in, std::int64_t out,
                               const float* __restrict x, const float* __restrict g,
                               float* __restrict gw, float* __restrict gb) {
  constexpr int kRows = 8;
  for (std::int64_t r = 0; r < n; r += kRows) {
    const auto rows = static_cast<int>(std::min<std::int64_t>(kRows, n - r));
    std::int64_t o = 0;
    for (; o + kLanes <= out; o += kLanes) {
      Lanes d[kRows] = {};
      float z[kRows] = {};  // rows that are not there add nothing
      for (int k = 0; k < rows; ++k) d[k] = lanes(g + (r + k) * out + o);
      for (int k = 0; k < kRows; ++k) lanes(gb + o) += d[k];
      for (std::int64_t i = 0; i < in; ++i) {
        for (int k = 0; k < rows; ++k) z[k] = x[(r + k) * in + i];
        Lanes even = z[0] * d[0] + z[2] * d[2], odd = z[1] * d[1] + z[3] * d[3];
        even += z[4] * d[4] + z[6] * d[6];
        odd += z[5] * d[5] + z[7] * d[7];
        lanes(gw + i * out + o) += even + odd;
      }
    }
    for (; o < out; ++o)
      for (int k = 0; k < rows; ++k) {
        gb[o] += g[(r + k) * out + o];
        for (std::int64_t i = 0; i < in; ++i)
          gw[i * out + o] += x[(r + k) * in + i] * g[(r + k) * out + o];
      }
  }
}

void through_rectifier(const float* activation, std::int64_t n, float* gradient) {
  for (std::int64_t i = 0; i < n; ++i)
    gradient[i] = activation[i] <= 0 ? gradient[i] * kSlope : gradient[i];
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
  constexpr std::int64_t kAtOnce = 64;  // their activations stay in the first cache
  const Layer first{w.w1, w.b1, s.in, s.h1, true}, second{w.w2, w.b2, s.h1, s.h2, true},
      last{w.w3, w.b3, s.h2, s.out, false};
  for (std::int64_t r = 0; r < s.n; r += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, s.n - r);
    layer(first, n, x + r * s.in, a1 + r * s.h1);
    layer(second, n, a1 + r * s.h1, a2 + r * s.h2);
    (s.out == 1 ? single_output : layer)(last, n, a2 + r * s.h2, y + r * s.out);
  }
}

/// Weights [in, out] as [out, in].
std::vector<float> transposed(const float* w, std::int64_t in, std::int64_t out) {
  std::vector<float> t(static_cast<std::size_t>(in * out));
  for (std::int64_t i = 0; i < in; ++i)
    for (std::int64_t o = 0; o < out; ++o) t[static_cast<std::size_t>(o * in + i)] = w[i * out + o];
  return t;
}

/// Some rows side by side, and the gradients of their layers' sums.
struct Rows {
  explicit Rows(const Shape& s)
      : x(of(s.in)), a1(of(s.h1)), a2(of(s.h2)), g3(of(s.out)), g2(of(s.h2)), g1(of(s.h1)) {}
  static constexpr std::int64_t kMost = 64;
  static std::vector<float> of(std::int64_t width) {
    return std::vector<float>(static_cast<std::size_t>(kMost * width));
  }
  void take(const Shape& s, std::int64_t row, const float* px, const float* p1, const float* p2,
            const float* gy) {
    std::copy_n(px + row * s.in, s.in, x.data() + n * s.in);
    std::copy_n(p1 + row * s.h1, s.h1, a1.data() + n * s.h1);
    std::copy_n(p2 + row * s.h2, s.h2, a2.data() + n * s.h2);
    std::copy_n(gy + row * s.out, s.out, g3.data() + n * s.out);
    number[n++] = row;
  }
  std::int64_t n = 0, number[kMost] = {};
  std::vector<float> x, a1, a2, g3, g2, g1;
};

/// The weights as gradients go back through them.
struct Back {
  Back(const Shape& s, const Weights& w)
      : t1(transposed(w.w1, s.in, s.h1)),
        t2(transposed(w.w2, s.h1, s.h2)),
        t3(transposed(w.w3, s.h2, s.out)) {}
  std::vector<float> t1, t2, t3;
};

void backward_some(const Shape& s, const Back& back, Rows& rows, const Gradients& g, float* dx) {
  add_gradients(rows.n, s.h2, s.out, rows.a2.data(), rows.g3.data(), g.w3, g.b3);
  layer({back.t3.data(), nullptr, s.out, s.h2, false}, rows.n, rows.g3.data(), rows.g2.data());
  through_rectifier(rows.a2.data(), rows.n * s.h2, rows.g2.data());
  add_gradients(rows.n, s.h1, s.h2, rows.a1.data(), rows.g2.data(), g.w2, g.b2);
  layer({back.t2.data(), nullptr, s.h2, s.h1, false}, rows.n, rows.g2.data(), rows.g1.data());
  through_rectifier(rows.a1.data(), rows.n * s.h1, rows.g1.data());
  add_gradients(rows.n, s.in, s.h1, rows.x.data(), rows.g1.data(), g.w1, g.b1);
  for (std::int64_t k = 0; dx != nullptr && k < rows.n; ++k)
    layer({back.t1.data(), nullptr, s.h1, s.in, false}, 1, rows.g1.data() + k * s.h1,
          dx + rows.number[k] * s.in);
  rows.n = 0;
}

/// Rows whose gradient is zero cost nothing: decisions without a choice have such.
void backward_rows(const Shape& s, const Weights& w, const float* x, const float* a1,
                   const float* a2, const float* gy, const Gradients& g, float* dx) {
  const Back back(s, w);
  Rows rows(s);
  for (std::int64_t r = 0; r < s.n; ++r) {
    const float* gr = gy + r * s.out;
    if (std::all_of(gr, gr + s.out, [](float v) { return v == 0; })) continue;
    rows.take(s, r, x, a1, a2, gy);
    if (rows.n == Rows::kMost) backward_some(s, back, rows, g, dx);
  }
  backward_some(s, back, rows, g, dx);
}

struct FusedMlp : torch::autograd::Function<FusedMlp> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& input, const at::Tensor& w1,
                            const at::Tensor& b1, const at::Tensor& w2, const at::Tensor& b2,
                            const at::Tensor& w3, const at::Tensor& b3) {
    const variable_list p = {w1, b1, w2, b2, w3, b3};
    const at::Tensor x = input.contiguous();
    const Shape s = shape_of(x, p);
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
