#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "park/runs/onnx_file.h"

namespace park::agents {

using Tensors = std::vector<at::Tensor>;

/// A node of a graph while it is computed: its attributes, or what they are without being given.
class OnnxCall {
 public:
  OnnxCall(const runs::OnnxNode& node, const Tensors& inputs) : node_(&node), inputs_(&inputs) {}

  /// An input; undefined where it was left out.
  [[nodiscard]] at::Tensor operator[](std::size_t i) const {
    return i < inputs_->size() ? (*inputs_)[i] : at::Tensor();
  }
  [[nodiscard]] bool has(std::size_t i) const { return (*this)[i].defined(); }
  [[nodiscard]] const Tensors& inputs() const noexcept { return *inputs_; }
  [[nodiscard]] std::size_t outputs() const noexcept { return node_->outputs.size(); }

  [[nodiscard]] bool given(std::string_view name) const { return find(name) != nullptr; }
  [[nodiscard]] double number(std::string_view name, double otherwise) const {
    const auto* const a = find(name);
    return a == nullptr ? otherwise : static_cast<double>(a->number);
  }
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const auto* const a = find(name);
    return a == nullptr ? otherwise : a->integer;
  }
  [[nodiscard]] std::string text(std::string_view name, const std::string& otherwise) const {
    const auto* const a = find(name);
    return a == nullptr ? otherwise : a->text;
  }
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name) const {
    const auto* const a = find(name);
    return a == nullptr ? std::vector<std::int64_t>() : a->integers;
  }
  [[nodiscard]] const runs::OnnxAttribute* find(std::string_view name) const {
    const auto at = node_->attributes.find(name);
    return at == node_->attributes.end() ? nullptr : &at->second;
  }
  /// Whole numbers of an input that is a list, such as a shape or axes.
  [[nodiscard]] std::vector<std::int64_t> list(std::size_t i) const;

 private:
  const runs::OnnxNode* node_;
  const Tensors* inputs_;
};

/// An operator of the standard set, versions kFirstOpset to kLastOpset.
struct OnnxOperator {
  std::size_t least = 1, most = 1;  ///< inputs
  std::vector<std::string> attributes{};
  Tensors (*run)(const OnnxCall&) = nullptr;
};
using OnnxOperators = std::map<std::string, OnnxOperator, std::less<>>;

constexpr std::int64_t kFirstOpset = 13, kLastOpset = 23;

/// Those that are computed here, by name.
[[nodiscard]] const OnnxOperators& onnx_operators();

// Each adds those of its file.
void add_elementwise_operators(OnnxOperators&);
void add_matrix_operators(OnnxOperators&);
void add_shape_operators(OnnxOperators&);

/// The numbers of a file as a tensor of its own.
[[nodiscard]] at::Tensor onnx_tensor(const runs::OnnxTensor&);
[[nodiscard]] at::ScalarType scalar_type(runs::OnnxType) noexcept;

}  // namespace park::agents
