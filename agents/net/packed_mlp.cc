// Perceptrons by hand, for few rows and small layers. Parameters are copied into padded rows of
// whole vectors; forward goes tile by tile through all layers, so that activations stay in the
// first cache. Backward computes a tile again before it goes back through it. Kernels exist once
// per set of vector instructions, and no result depends on the rows beside it. Perceptrons and
// graph layers call it.
#include "agents/net/packed_mlp.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace park::agents {
namespace {

// One version of each kernel for every set of vector instructions, chosen when the program starts.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define PARK_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PARK_KERNEL
#endif
// Into each of these versions.
#define PARK_INLINE [[gnu::always_inline]] inline

constexpr std::int64_t kLanes = 16;
/// Sixteen numbers anywhere in memory.
typedef float Lanes __attribute__((vector_size(64), aligned(4), may_alias));

PARK_INLINE const Lanes& lanes(const float* at) { return *reinterpret_cast<const Lanes*>(at); }
PARK_INLINE Lanes& lanes(float* at) { return *reinterpret_cast<Lanes*>(at); }

std::int64_t whole(std::int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

/// What a kernel works on: rows of x, `stride` apart, times weights [in, width] plus a bias.
struct Product {
  const float *x, *weights, *bias;
  std::int64_t stride, in, width;
};

/// Columns from .. from + kLanes * kVectors of y [kRows, width]; the sums stay in registers.
template <int kRows, int kVectors>
PARK_INLINE void block(const Product& p, std::int64_t row, std::int64_t from, float* y) {
  Lanes sum[kRows][kVectors];
  const float* x = p.x + row * p.stride;
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v) sum[r][v] = lanes(p.bias + from + v * kLanes);
  for (std::int64_t i = 0; i < p.in; ++i)
    for (int v = 0; v < kVectors; ++v) {
      const Lanes w = lanes(p.weights + i * p.width + from + v * kLanes);
      for (int r = 0; r < kRows; ++r) sum[r][v] += x[r * p.stride + i] * w;
    }
  for (int r = 0; r < kRows; ++r)
    for (int v = 0; v < kVectors; ++v)
      lanes(y + (row + r) * p.width + from + v * kLanes) = sum[r][v];
}

template <int kRows, int kVectors>
PARK_INLINE void blocks(const Product& p, std::int64_t rows, std::int64_t from, float* y) {
  std::int64_t r = 0;
  for (; r + kRows <= rows; r += kRows) block<kRows, kVectors>(p, r, from, y);
  for (; r < rows; ++r) block<1, kVectors>(p, r, from, y);
}

PARK_KERNEL void product(const Product& p, std::int64_t rows, float* y) {
  std::int64_t from = 0;
  for (; from + 2 * kLanes <= p.width; from += 2 * kLanes) blocks<8, 2>(p, rows, from, y);
  for (; from < p.width; from += kLanes) blocks<8, 1>(p, rows, from, y);
}

PARK_KERNEL void rectify(std::int64_t n, float slope, float* y) {
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const Lanes v = lanes(y + i);
    lanes(y + i) = v > 0 ? v : slope * v;
  }
}

PARK_KERNEL void rectify_back(std::int64_t n, float slope, const float* y, float* gradient) {
  for (std::int64_t i = 0; i < n; i += kLanes) {
    const Lanes g = lanes(gradient + i);
    lanes(gradient + i) = lanes(y + i) > 0 ? g : slope * g;
  }
}

/// weights [in, width] += x^T g, bias [width] += sum of the rows of g; up to kTile rows.
PARK_KERNEL void outer(const float* x, std::int64_t stride, std::int64_t in, const float* g,
                       std::int64_t width, std::int64_t rows, float* weights, float* bias) {
  constexpr int kRows = 8;
  for (std::int64_t o = 0; o < width; o += kLanes) {
    Lanes d[kRows] = {};
    float z[kRows] = {};  // rows that are not there add nothing
    for (int r = 0; r < rows; ++r) d[r] = lanes(g + r * width + o);
    for (int r = 0; r < kRows; ++r) lanes(bias + o) += d[r];
    for (std::int64_t i = 0; i < in; ++i) {
      for (int r = 0; r < rows; ++r) z[r] = x[r * stride + i];
      Lanes even = z[0] * d[0] + z[2] * d[2], odd = z[1] * d[1] + z[3] * d[3];
      even += z[4] * d[4] + z[6] * d[6];
      odd += z[5] * d[5] + z[7] * d[7];
      lanes(weights + i * width + o) += even + odd;
    }
  }
}

/// to += from
void add(std::int64_t n, const float* from, float* to) {
  for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
}

std::vector<float> zeros(std::int64_t n) { return std::vector<float>(static_cast<std::size_t>(n)); }

}  // namespace

PackedMlp::PackedMlp(at::TensorList parameters, MlpStyle style, bool with_backward)
    : style_(style) {
  for (std::size_t k = 0; k < parameters.size(); k += 2) {
    const at::Tensor w = parameters[k].contiguous();
    Layer l;
    l.in = w.size(0);
    l.out = w.size(1);
    l.in_whole = whole(l.in);
    l.out_whole = whole(l.out);
    l.rectified = k + 2 < parameters.size() || style.rectify_last;
    l.biased = k + 1 < parameters.size();
    l.weights = zeros(l.in * l.out_whole);
    l.bias = zeros(l.out_whole);
    l.y = zeros(kTile * l.out_whole);
    const float* from = w.data_ptr<float>();
    for (std::int64_t i = 0; i < l.in; ++i)
      std::copy_n(from + i * l.out, l.out, l.weights.data() + i * l.out_whole);
    if (l.biased) std::copy_n(parameters[k + 1].data_ptr<float>(), l.out, l.bias.data());
    if (with_backward) {
      l.transposed = zeros(l.out * l.in_whole);
      for (std::int64_t i = 0; i < l.in; ++i)
        for (std::int64_t o = 0; o < l.out; ++o)
          l.transposed[static_cast<std::size_t>(o * l.in_whole + i)] = from[i * l.out + o];
      l.nothing = zeros(l.in_whole);
      l.d_weights = zeros(l.in * l.out_whole);
      l.d_bias = zeros(l.out_whole);
      l.d_y = zeros(kTile * l.out_whole);
    }
    layers_.push_back(std::move(l));
  }
  x_ = zeros(kTile * in());
  if (with_backward) d_x_ = zeros(kTile * layers_.front().in_whole);
}

void PackedMlp::run(const float* x, std::int64_t rows) {
  std::int64_t stride = in();
  for (Layer& l : layers_) {
    product({x, l.weights.data(), l.bias.data(), stride, l.in, l.out_whole}, rows, l.y.data());
    if (&l == layers_.data() && shared_.rows != nullptr)
      for (std::int64_t r = 0; r < rows; ++r)
        add(l.out, shared_.rows + group_[r] * l.out, l.y.data() + r * l.out_whole);
    if (l.rectified) rectify(rows * l.out_whole, style_.slope, l.y.data());
    x = l.y.data();
    stride = l.out_whole;
  }
}

void PackedMlp::forward(const float* x, std::int64_t rows, float* y, const SharedRows& shared) {
  const Layer& last = layers_.back();
  shared_ = shared;
  for (std::int64_t r = 0; r < rows; r += kTile) {
    const std::int64_t n = std::min(kTile, rows - r);
    if (shared.rows != nullptr) std::copy_n(shared.of + r, n, group_);
    run(x + r * in(), n);
    for (std::int64_t i = 0; i < n; ++i)
      std::copy_n(last.y.data() + i * last.out_whole, last.out, y + (r + i) * last.out);
  }
}

void PackedMlp::run_back(std::int64_t rows, bool with_input) {
  for (std::size_t k = layers_.size(); k-- > 0;) {
    Layer& l = layers_[k];
    if (l.rectified) rectify_back(rows * l.out_whole, style_.slope, l.y.data(), l.d_y.data());
    const float* x = k > 0 ? layers_[k - 1].y.data() : x_.data();
    if (k == 0 && shared_.rows != nullptr) add_shared_gradient(rows);
    outer(x, k > 0 ? layers_[k - 1].out_whole : l.in, l.in, l.d_y.data(), l.out_whole, rows,
          l.d_weights.data(), l.d_bias.data());
    if (k == 0 && !with_input) return;
    product({l.d_y.data(), l.transposed.data(), l.nothing.data(), l.out_whole, l.out, l.in_whole},
            rows, k > 0 ? layers_[k - 1].d_y.data() : d_x_.data());
  }
}

void PackedMlp::add_shared_gradient(std::int64_t rows) {
  const Layer& l = layers_.front();
  for (std::int64_t r = 0; r < rows; ++r)
    add(l.out, l.d_y.data() + r * l.out_whole, shared_.gradient + group_[r] * l.out);
}

void PackedMlp::backward_tile(const float* x, const std::int64_t* rows, std::int64_t n,
                              const float* gy, float* dx) {
  Layer& last = layers_.back();
  for (std::int64_t i = 0; i < n; ++i) {
    std::copy_n(x + rows[i] * in(), in(), x_.data() + i * in());
    std::copy_n(gy + rows[i] * out(), out(), last.d_y.data() + i * last.out_whole);
    if (shared_.rows != nullptr) group_[i] = shared_.of[rows[i]];
  }
  run(x_.data(), n);
  run_back(n, dx != nullptr);
  for (std::int64_t i = 0; i < n && dx != nullptr; ++i)
    std::copy_n(d_x_.data() + i * layers_.front().in_whole, in(), dx + rows[i] * in());
}

void PackedMlp::backward(const float* x, std::int64_t rows, const float* gy, float* dx,
                         const SharedRows& shared) {
  shared_ = shared;
  std::int64_t tile[kTile];
  std::int64_t n = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* g = gy + r * out();
    if (std::all_of(g, g + out(), [](float v) { return v == 0; })) {
      if (dx != nullptr) std::fill_n(dx + r * in(), in(), 0.0f);
      continue;
    }
    tile[n++] = r;
    if (n < kTile) continue;
    backward_tile(x, tile, n, gy, dx);
    n = 0;
  }
  if (n > 0) backward_tile(x, tile, n, gy, dx);
}

std::vector<at::Tensor> PackedMlp::gradients() const {
  std::vector<at::Tensor> all;
  for (const Layer& l : layers_) {
    at::Tensor w = at::empty({l.in, l.out});
    for (std::int64_t i = 0; i < l.in; ++i)
      std::copy_n(l.d_weights.data() + i * l.out_whole, l.out, w.data_ptr<float>() + i * l.out);
    all.push_back(w);
    if (!l.biased) continue;
    at::Tensor b = at::empty({l.out});
    std::copy_n(l.d_bias.data(), l.out, b.data_ptr<float>());
    all.push_back(b);
  }
  return all;
}

}  // namespace park::agents
