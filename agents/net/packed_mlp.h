#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "agents/net/mlp_kernels.h"

namespace park::agents {

/// How the layers of a perceptron are connected.
struct MlpStyle {
  float slope = 0.1f;         ///< slope of the leaky rectifiers behind the hidden layers
  bool rectify_last = false;  ///< one behind the last layer, too
  bool operator==(const MlpStyle&) const = default;
};

/// Rows [groups, first hidden layer or output] that are added to the first layer's sums: row
/// `of[r]` to those of row r of x. What rows of x have in common is multiplied with weights only
/// once.
struct SharedRows {
  const float* rows = nullptr;       ///< null: nothing is added
  const std::int64_t* of = nullptr;  ///< [rows of x]
  float* gradient = nullptr;         ///< like rows; backward adds to it
};

/// The parameters of a perceptron, copied into a layout for vector instructions. It has rows of
/// whole vectors and, for the backward pass, the transposed weights and sums of gradients. Works on
/// a few rows at a time, whose activations stay in the first-level cache. The result of a row does
/// not depend on the rows beside it.
class PackedMlp {
 public:
  /// Weights [in, out] and biases [out], layer by layer; the last layer may have no bias.
  PackedMlp(at::TensorList parameters, MlpStyle, bool with_backward);

  [[nodiscard]] std::int64_t in() const noexcept { return layers_.front().in; }
  [[nodiscard]] std::int64_t out() const noexcept { return layers_.back().out; }

  /// y [rows, out] of x [rows, in].
  void forward(const float* x, std::int64_t rows, float* y, const SharedRows& = {});
  /// Propagates the gradient gy [rows, out]: adds up those of the parameters, and writes that of x
  /// [rows, in] if dx is not null. Rows whose gradient is zero cost nothing.
  void backward(const float* x, std::int64_t rows, const float* gy, float* dx,
                const SharedRows& = {});
  /// Sums of gradients, in the order of the parameters.
  [[nodiscard]] std::vector<at::Tensor> gradients() const;

 private:
  static constexpr std::int64_t kTile = 8;  // rows at a time

  struct Layer {
    std::int64_t in, out, in_whole, out_whole;  // widths, and rounded up to whole vectors
    bool rectified, biased;
    std::vector<float> weights, bias;        // [in, out_whole], [out_whole]
    std::vector<float> transposed, nothing;  // [out, in_whole], [in_whole] zeros
    std::vector<float> d_weights, d_bias;    // like weights, bias
    std::vector<float> y, d_y;               // [kTile, out_whole] of the rows in work
  };

  void run(const float* x, std::int64_t rows);
  void run_back(std::int64_t rows, bool with_input);
  void backward_tile(const float* x, const std::int64_t* rows, std::int64_t n, const float* gy,
                     float* dx);
  void add_shared_gradient(std::int64_t rows);

  std::vector<Layer> layers_;
  std::vector<float> x_, d_x_;  // [kTile, in], [kTile, in_whole]
  SharedRows shared_;
  std::int64_t group_[kTile] = {};  // of the rows in work
  MlpStyle style_;
};

}  // namespace park::agents
