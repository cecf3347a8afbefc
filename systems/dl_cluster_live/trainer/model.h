#pragma once

#include <ATen/ATen.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "systems/dl_cluster_live/messages.h"

namespace park::dl_cluster_live {

/// A network of one kind with its data: a classifier of random samples with random labels, both
/// drawn from the seed. The same in every process of a job. One thread.
class Model {
 public:
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  /// All of them in one row; writing into it sets the network.
  [[nodiscard]] at::Tensor& parameters() noexcept { return flat_; }
  /// Writes the gradient of the mean loss of a step's batch, of this part of its samples alone. The
  /// sum over all parts is the gradient of the batch. `out` is as long as the parameters.
  void gradient(std::int64_t step, std::int32_t part, std::int32_t parts, at::Tensor out);

 protected:
  Model(std::uint64_t seed, std::int32_t batch, std::vector<std::int64_t> sample_shape);
  /// Adds parameters, drawn with a deviation of sqrt(2 / fan_in), or 0 with fan_in 0.
  void add(const std::vector<std::int64_t>& shape, double fan_in);
  /// REQUIRED at the end of a constructor: puts the parameters in one row.
  void pack();
  [[nodiscard]] const at::Tensor& parameter(std::size_t i) const { return views_[i]; }
  /// [samples, classes]
  [[nodiscard]] virtual at::Tensor logits(const at::Tensor& samples) const = 0;

  static constexpr std::int64_t kClasses = 10;

 private:
  static constexpr std::int64_t kBatches = 8;  // of the data, used in turn

  std::int32_t batch_;
  at::Tensor samples_, labels_;
  std::vector<at::Tensor> drawn_;
  at::Tensor flat_;
  std::vector<at::Tensor> views_;  // of flat_, with gradients
};

/// REQUIRES a kind of kJobKinds.
[[nodiscard]] std::unique_ptr<Model> make_model(std::int32_t kind, std::uint64_t seed);

}  // namespace park::dl_cluster_live
