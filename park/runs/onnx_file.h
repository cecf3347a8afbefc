#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace park::runs {

/// Types of numbers of an ONNX tensor, by their numbers in the format.
enum class OnnxType : std::int32_t { f32 = 1, u8 = 2, i32 = 6, i64 = 7, boolean = 9, f64 = 11 };
[[nodiscard]] std::size_t size_of(OnnxType) noexcept;

/// An array in a file; its numbers are little-endian, without gaps.
struct OnnxTensor {
  std::string name;
  OnnxType type = OnnxType::f32;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
};

/// An attribute of a node: one of these, as its operator expects it.
struct OnnxAttribute {
  float number = 0;
  std::int64_t integer = 0;
  std::string text;
  std::vector<float> numbers;
  std::vector<std::int64_t> integers;
  OnnxTensor tensor;
};

struct OnnxNode {
  std::string name, op;
  std::vector<std::string> inputs, outputs;  ///< names of values; "": left out
  std::map<std::string, OnnxAttribute, std::less<>> attributes;
};

/// An input or output of the graph; -1 is a dimension of any length.
struct OnnxValue {
  std::string name;
  OnnxType type = OnnxType::f32;
  bool has_shape = false;
  std::vector<std::int64_t> shape;
};

/// A graph of operators as a file has it, before anyone knows whether it can be computed.
struct OnnxFile {
  std::int64_t opset = 0;  ///< version of the standard operators
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> constants;
  std::vector<OnnxValue> inputs, outputs;  ///< inputs that are no constants
};

/// Reads a model of the format ONNX (onnx.proto, ModelProto), a message of Protocol Buffers. `name`
/// stands for the file in complaints. Throws Error{bad_file} in one line: no such message, numbers
/// of another type, weights in another file, functions, operators of another domain, or graphs
/// inside graphs.
[[nodiscard]] OnnxFile parse_onnx(std::string_view bytes, const std::string& name);

}  // namespace park::runs
