// Forward and backward of a perceptron over many rows, eight at a time. Weights lie in rows of
// whole vectors of 16 numbers, filled up with zeros; backward also has them transposed. For each
// tile of rows forward goes through all layers before the next tile begins, and backward repeats
// it, so that activations stay in the first cache. The inner loops are mlp_kernels.cc. perceptron.cc
// and graph_layer.cc call it.
#include "agents/net/packed_mlp.h"

#include <ATen/ops/empty.h>

#include <algorithm>

namespace park::agents {
namespace {

std::int64_t whole(std::int64_t n) { return (n + kKernelLanes - 1) / kKernelLanes * kKernelLanes; }

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
    add_outer_product({.x = x,
                       .stride = k > 0 ? layers_[k - 1].out_whole : l.in,
                       .in = l.in,
                       .g = l.d_y.data(),
                       .width = l.out_whole,
                       .rows = rows},
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
