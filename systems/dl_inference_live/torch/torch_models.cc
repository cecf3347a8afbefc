// The models that need LibTorch, as the library that model.cc loads. A built-in model is a function
// of ATen over weights that Weights draws from a fixed seed; a file is a module of TorchScript.
// TorchModel turns spans into tensors and errors of LibTorch into one line. Everything computes with
// one thread, without gradients.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "park/core/error.h"
#include "systems/dl_inference_live/model.h"

// OpenBLAS has threads of its own, which LibTorch does not know of; absent in another BLAS.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));

namespace park::inference {
namespace {

using Forward = std::function<at::Tensor(const at::Tensor&)>;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Draws weights, each scaled by the number of values that a result is summed from.
class Weights {
 public:
  explicit Weights(std::uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}
  at::Tensor operator()(std::vector<std::int64_t> shape) {
    std::int64_t fan_in = 1;
    for (std::size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
    const at::Tensor drawn = at::randn(shape, generator_, at::TensorOptions(at::kFloat));
    return drawn / std::sqrt(static_cast<double>(fan_in));
  }

 private:
  at::Generator generator_;
};

struct Built {
  std::vector<std::int64_t> sample;  // dimensions of one
  Forward forward;
};

Built mlp() {
  Weights draw(1);
  const at::Tensor first = draw({1024, 256}), second = draw({1024, 1024}), last = draw({10, 1024});
  return {{256}, [=](const at::Tensor& x) {
            const at::Tensor h = at::relu(at::linear(x, first));
            return at::linear(at::relu(at::linear(h, second)), last);
          }};
}

/// A stem, and three blocks of two convolutions, of which the last two halve the picture; the
/// shortcuts are convolutions of one point.
Built cnn() {
  Weights draw(2);
  const at::Tensor stem = draw({32, 3, 3, 3}), last = draw({10, 128});
  std::vector<std::array<at::Tensor, 3>> blocks;
  std::int64_t from = 32;
  for (const std::int64_t to : {32, 64, 128}) {
    blocks.push_back({draw({to, from, 3, 3}), draw({to, to, 3, 3}), draw({to, from, 1, 1})});
    from = to;
  }
  return {
      {3, 32, 32}, [=](const at::Tensor& x) {
        at::Tensor h = at::relu(at::conv2d(x, stem, {}, 1, 1));
        std::int64_t stride = 1;
        for (const auto& [first, second, shortcut] : blocks) {
          const at::Tensor inner = at::relu(at::conv2d(h, first, {}, stride, 1));
          h = at::relu(at::conv2d(inner, second, {}, 1, 1) + at::conv2d(h, shortcut, {}, stride));
          stride = 2;
        }
        return at::linear(h.mean({2, 3}), last);
      }};
}

Built lstm() {
  Weights draw(3);
  constexpr std::int64_t kHidden = 128;
  const std::vector<at::Tensor> gates{draw({4 * kHidden, 64}), draw({4 * kHidden, kHidden}),
                                      at::zeros({4 * kHidden}), at::zeros({4 * kHidden})};
  const at::Tensor last = draw({10, kHidden});
  return {{32, 64}, [=](const at::Tensor& x) {
            const at::Tensor zero = at::zeros({1, x.size(0), kHidden});
            const auto [steps, h, c] =
                at::lstm(x, {zero, zero}, gates, true, 1, 0.0, false, false, true);
            return at::linear(h.squeeze(0), last);
          }};
}

/// One layer of an encoder: attention of four heads and a perceptron, each with a norm in front.
class EncoderLayer {
 public:
  explicit EncoderLayer(Weights& draw)
      : qkv_(draw({3 * kWidth, kWidth})),
        out_(draw({kWidth, kWidth})),
        up_(draw({4 * kWidth, kWidth})),
        down_(draw({kWidth, 4 * kWidth})) {}

  [[nodiscard]] at::Tensor operator()(const at::Tensor& x) const {
    const at::Tensor h = x + attend(at::layer_norm(x, {kWidth}));
    return h + at::linear(at::gelu(at::linear(at::layer_norm(h, {kWidth}), up_)), down_);
  }
  static constexpr std::int64_t kWidth = 128, kHeads = 4;

 private:
  [[nodiscard]] at::Tensor attend(const at::Tensor& x) const {
    const std::int64_t n = x.size(0), steps = x.size(1);
    const at::Tensor parts =
        at::linear(x, qkv_).view({n, steps, 3, kHeads, kWidth / kHeads}).permute({2, 0, 3, 1, 4});
    const double scale = 1 / std::sqrt(static_cast<double>(kWidth / kHeads));
    const at::Tensor share =
        at::softmax(at::matmul(parts[0], parts[1].transpose(2, 3)) * scale, -1);
    const at::Tensor mixed =
        at::matmul(share, parts[2]).transpose(1, 2).reshape({n, steps, kWidth});
    return at::linear(mixed, out_);
  }

  at::Tensor qkv_, out_, up_, down_;
};

Built transformer() {
  Weights draw(4);
  const EncoderLayer first(draw), second(draw);
  const at::Tensor last = draw({10, EncoderLayer::kWidth});
  return {{64, EncoderLayer::kWidth},
          [=](const at::Tensor& x) { return at::linear(second(first(x)).mean(1), last); }};
}

Built of_file(const ModelConfig& c) {
  const auto module =
      std::make_shared<torch::jit::Module>(torch::jit::load(c.file, at::Device(at::kCPU)));
  module->eval();
  return {{c.shape.begin() + 1, c.shape.end()},
          [module](const at::Tensor& x) { return module->forward({x}).toTensor(); }};
}

Built build(const ModelConfig& c) {
  if (c.kind == "mlp") return mlp();
  if (c.kind == "cnn") return cnn();
  if (c.kind == "lstm") return lstm();
  return c.kind == "transformer" ? transformer() : of_file(c);
}

class TorchModel final : public Model {
 public:
  explicit TorchModel(Built built) : built_(std::move(built)) {
    for (const std::int64_t n : built_.sample) inputs_ *= static_cast<std::size_t>(n);
    const std::vector<float> sample(inputs_, 0.5F);
    outputs_ = static_cast<std::size_t>(compute(1, sample).numel());
  }
  [[nodiscard]] std::size_t inputs() const noexcept override { return inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return outputs_; }

  void run(std::size_t batch, std::span<const float> in, std::span<float> out) override {
    try {
      const at::Tensor result = compute(batch, in);
      std::copy_n(result.data_ptr<float>(), batch * outputs_, out.begin());
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      throw Error(Errc::unavailable, first_line(error.what()));
    }
  }

 private:
  /// The result in one piece of memory, one row for each sample.
  [[nodiscard]] at::Tensor compute(std::size_t batch, std::span<const float> in) const {
    // OpenMP's number is one of the calling thread.
    static thread_local const bool alone = (at::set_num_threads(1), true);
    static_cast<void>(alone);
    const c10::InferenceMode inference;
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(batch)};
    shape.insert(shape.end(), built_.sample.begin(), built_.sample.end());
    // LibTorch does not write into an input.
    const at::Tensor x = at::from_blob(const_cast<float*>(in.data()), shape, at::kFloat);
    const at::Tensor y = built_.forward(x);
    const auto rows = static_cast<std::int64_t>(batch);
    if (y.dim() < 1 || y.size(0) != rows || y.numel() == 0)
      throw Error(Errc::unavailable, "its result has no batch dimension");
    if (outputs_ != 0 && y.numel() != rows * static_cast<std::int64_t>(outputs_))
      throw Error(Errc::unavailable, "its result has another size for another batch");
    return y.to(at::kCPU, at::kFloat).contiguous();
  }

  Built built_;
  std::size_t inputs_ = 1, outputs_ = 0;  // 0: not known yet
};

class TorchModule final : public ModelModule {
 public:
  TorchModule() {
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
  }
  [[nodiscard]] std::unique_ptr<Model> make(const ModelConfig& c,
                                            const std::string& name) const override {
    const std::string model = "model '" + name + "'";
    Built built;
    try {
      built = build(c);
    } catch (const std::exception& error) {
      throw Error(Errc::bad_file, model + " cannot be loaded: " + first_line(error.what()));
    }
    try {
      return std::make_unique<TorchModel>(std::move(built));
    } catch (const std::exception& error) {
      throw Error(Errc::bad_file, model + " fails at batch 1: " + first_line(error.what()));
    }
  }
};

}  // namespace
}  // namespace park::inference

extern "C" __attribute__((visibility("default"))) park::inference::ModelModule*
park_inference_models(std::uint32_t version) {
  static park::inference::TorchModule module;
  return version == park::inference::kModelModuleVersion ? &module : nullptr;
}
