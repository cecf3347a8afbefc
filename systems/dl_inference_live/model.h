#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "systems/dl_inference_live/config.h"

namespace park::inference {

/// A model that is loaded. One thread at a time.
class Model {
 public:
  virtual ~Model() = default;
  /// Numbers of one sample, and of its result.
  [[nodiscard]] virtual std::size_t inputs() const noexcept = 0;
  [[nodiscard]] virtual std::size_t outputs() const noexcept = 0;
  /// Computes a batch: `in` [batch, inputs], `out` [batch, outputs]. Throws Error{unavailable} in
  /// one line where the model fails.
  virtual void run(std::size_t batch, std::span<const float> in, std::span<float> out) = 0;
};

/// What needs LibTorch, behind an interface that does not: a library of its own, which is loaded
/// when a model needs it. Exceptions cross it.
class ModelModule {
 public:
  virtual ~ModelModule() = default;
  /// A model of LibTorch, which computes with one thread, by its name as an application. It is run
  /// once, with a batch of one. Throws Error{bad_file} in one line. REQUIRES a kind other than
  /// delay.
  [[nodiscard]] virtual std::unique_ptr<Model> make(const ModelConfig&,
                                                    const std::string& name) const = 0;
};

/// Rises when anything in this header or in ModelConfig changes.
constexpr std::uint32_t kModelModuleVersion = 1;
constexpr const char* kModelModuleEntry = "park_inference_models";
using ModelModuleEntry = ModelModule* (*)(std::uint32_t version);

/// The file of the module beside libpark_core, whether it is there or not.
[[nodiscard]] std::filesystem::path model_module_path();

/// Makes a model and tries it: with a batch of one, and of two where it takes two. Throws
/// Error{bad_file} in one line that names the model where it fails, and Error{unavailable} where
/// it needs LibTorch and this build has none.
[[nodiscard]] std::unique_ptr<Model> make_model(const ModelConfig&);

}  // namespace park::inference
