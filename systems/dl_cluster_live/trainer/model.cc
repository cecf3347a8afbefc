#include "systems/dl_cluster_live/trainer/model.h"

#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/grad_mode.h>

#include <cmath>
#include <utility>

namespace park::dl_cluster_live {
namespace {

/// Layers of neurons with rectifiers. Its computing is in proportion to its parameters and to the
/// samples: a small batch exchanges much, a large one little.
class Perceptron final : public Model {
 public:
  Perceptron(std::uint64_t seed, std::int32_t batch, const std::vector<std::int64_t>& sizes)
      : Model(seed, batch, {sizes.front()}), layers_(sizes.size()) {
    for (std::size_t i = 0; i < layers_; ++i) {
      const std::int64_t out = i + 1 < layers_ ? sizes[i + 1] : kClasses;
      add({out, sizes[i]}, static_cast<double>(sizes[i]));
      add({out}, 0);
    }
    pack();
  }

 private:
  [[nodiscard]] at::Tensor logits(const at::Tensor& samples) const override {
    at::Tensor x = samples;
    for (std::size_t i = 0; i < layers_; ++i) {
      x = at::linear(x, parameter(2 * i), parameter(2 * i + 1));
      if (i + 1 < layers_) x = at::relu(x);
    }
    return x;
  }

  std::size_t layers_;
};

/// Two convolutions over pictures of 16 by 16: few parameters, whose computing is in small pieces.
class Convolution final : public Model {
 public:
  Convolution(std::uint64_t seed, std::int32_t batch) : Model(seed, batch, {3, kSide, kSide}) {
    add({16, 3, 3, 3}, 27);
    add({16}, 0);
    add({32, 16, 3, 3}, 144);
    add({32}, 0);
    add({kClasses, 32 * kSide * kSide / 4}, 32.0 * kSide * kSide / 4);
    add({kClasses}, 0);
    pack();
  }

 private:
  static constexpr std::int64_t kSide = 16;

  [[nodiscard]] at::Tensor logits(const at::Tensor& samples) const override {
    at::Tensor x = at::relu(at::conv2d(samples, parameter(0), parameter(1), 1, 1));
    x = at::relu(at::conv2d(x, parameter(2), parameter(3), 2, 1));
    return at::linear(x.flatten(1), parameter(4), parameter(5));
  }
};

}  // namespace

Model::Model(std::uint64_t seed, std::int32_t batch, std::vector<std::int64_t> sample_shape)
    : batch_(batch) {
  at::manual_seed(seed);
  sample_shape.insert(sample_shape.begin(), kBatches * batch);
  samples_ = at::randn(sample_shape);
  labels_ = at::randint(kClasses, {kBatches * batch}, at::kLong);
}

void Model::add(const std::vector<std::int64_t>& shape, double fan_in) {
  drawn_.push_back(fan_in > 0 ? at::randn(shape) * std::sqrt(2 / fan_in) : at::zeros(shape));
}

void Model::pack() {
  std::vector<at::Tensor> rows;
  for (const at::Tensor& one : drawn_) rows.push_back(one.flatten());
  flat_ = at::cat(rows);
  std::int64_t at = 0;
  for (const at::Tensor& one : std::exchange(drawn_, {})) {
    views_.push_back(flat_.narrow(0, at, one.numel()).view(one.sizes()).detach());
    views_.back().set_requires_grad(true);
    at += one.numel();
  }
}

void Model::gradient(std::int64_t step, std::int32_t part, std::int32_t parts, at::Tensor out) {
  const std::int64_t begin = std::int64_t{batch_} * part / parts;
  const std::int64_t end = std::int64_t{batch_} * (part + 1) / parts;
  const std::int64_t first = step % kBatches * batch_ + begin;
  if (begin == end) {
    out.zero_();
    return;
  }
  const at::Tensor loss =
      at::cross_entropy_loss(logits(samples_.narrow(0, first, end - begin)),
                             labels_.narrow(0, first, end - begin), {}, at::Reduction::Sum) /
      batch_;
  const auto gradients = torch::autograd::grad({loss}, views_);
  std::int64_t at = 0;
  for (const at::Tensor& one : gradients) {
    out.narrow(0, at, one.numel()).copy_(one.flatten());
    at += one.numel();
  }
}

std::unique_ptr<Model> make_model(std::int32_t kind, std::uint64_t seed) {
  const std::int32_t batch = kJobKinds[static_cast<std::size_t>(kind)].batch;
  if (kind == kConv) return std::make_unique<Convolution>(seed, batch);
  if (kind == kMlp)
    return std::make_unique<Perceptron>(seed, batch, std::vector<std::int64_t>{256, 512, 512});
  return std::make_unique<Perceptron>(seed, batch, std::vector<std::int64_t>{512, 512});
}

}  // namespace park::dl_cluster_live
