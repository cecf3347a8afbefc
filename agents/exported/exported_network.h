#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace park::agents {

/// An input of a network in a file.
struct ExportedInput {
  std::string name;
  at::ScalarType type = at::kFloat;
  std::int64_t rows = -1;     ///< its first dimension; -1: of any length
  std::int64_t numbers = -1;  ///< its second one; -1: of any length, or unknown
};

/// What a network in a file says: tensors in an order, with names where the file has any.
struct ExportedOutputs {
  std::vector<std::string> names;
  std::vector<at::Tensor> tensors;
};

/// A network that another program has written. One thread at a time.
class ExportedNetwork {
 public:
  virtual ~ExportedNetwork() = default;
  [[nodiscard]] virtual const std::vector<ExportedInput>& inputs() const noexcept = 0;
  /// Tensors of the types of the inputs, in their order. Throws Error{bad_file} in one line, with
  /// what the file's own computation complains of.
  [[nodiscard]] virtual ExportedOutputs run(const std::vector<at::Tensor>& inputs) = 0;
};

/// A TorchScript archive. Reading it runs the program that it contains. `forward` takes tensors of
/// f32. It gives a tensor, or a tuple, list or dictionary of tensors. Throws Error{bad_file} in one line.
[[nodiscard]] std::unique_ptr<ExportedNetwork> open_torchscript(const std::string& file);
/// An ONNX model of the operators of onnx_operators.h. Throws as parse_onnx, and Error{bad_file} that
/// names an operator or an attribute that is not computed here.
[[nodiscard]] std::unique_ptr<ExportedNetwork> open_onnx(const std::string& file);

/// The first line of what LibTorch complains of.
[[nodiscard]] std::string complaint(const std::exception&);

}  // namespace park::agents
