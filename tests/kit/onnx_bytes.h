#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace park::test {

/// Writes models of the format ONNX, as bytes of Protocol Buffers.
class OnnxBytes {
 public:
  using Shape = std::vector<std::int64_t>;

  explicit OnnxBytes(std::int64_t opset = 17) : opset_(opset) {}

  /// An attribute of a node, as bytes of AttributeProto.
  static std::string integer(const std::string& name, std::int64_t value) {
    return text(1, name) + number(3, value) + number(20, 2);
  }
  static std::string real(const std::string& name, float value) {
    return text(1, name) + key(2, 5) + raw(std::vector<float>{value}) + number(20, 1);
  }
  static std::string integers(const std::string& name, const Shape& values) {
    std::string all = text(1, name) + number(20, 7);
    for (const std::int64_t v : values) all += number(8, v);
    return all;
  }

  OnnxBytes& input(const std::string& name, const Shape& shape, std::int64_t type = 1) {
    graph_ += text(11, value(name, shape, type));
    return *this;
  }
  OnnxBytes& output(const std::string& name) {
    graph_ += text(12, value(name, {}, 1, false));
    return *this;
  }
  OnnxBytes& constant(const std::string& name, const Shape& shape, const std::vector<float>& v) {
    graph_ += text(5, tensor(name, shape, 1, raw(v)));
    return *this;
  }
  OnnxBytes& list(const std::string& name, const Shape& v) {
    graph_ += text(5, tensor(name, {static_cast<std::int64_t>(v.size())}, 7, raw(v)));
    return *this;
  }
  OnnxBytes& node(const std::string& op, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs,
                  const std::vector<std::string>& attributes = {}) {
    std::string all;
    for (const std::string& name : inputs) all += text(1, name);
    for (const std::string& name : outputs) all += text(2, name);
    all += text(4, op);
    for (const std::string& a : attributes) all += text(5, a);
    graph_ += text(1, all);
    return *this;
  }
  /// Bytes of GraphProto, for what the others cannot say.
  OnnxBytes& more(const std::string& bytes) {
    graph_ += bytes;
    return *this;
  }

  [[nodiscard]] std::string bytes() const {
    return number(1, 8) + text(7, graph_) + text(8, text(1, "") + number(2, opset_));
  }

  // The format itself.
  static std::string varint(std::uint64_t v) {
    std::string all;
    for (; v >= 0x80; v >>= 7) all += static_cast<char>(v | 0x80);
    return all + static_cast<char>(v);
  }
  static std::string key(std::uint64_t field, std::uint64_t kind) {
    return varint(field << 3 | kind);
  }
  static std::string number(std::uint64_t field, std::int64_t v) {
    return key(field, 0) + varint(static_cast<std::uint64_t>(v));
  }
  static std::string text(std::uint64_t field, const std::string& v) {
    return key(field, 2) + varint(v.size()) + v;
  }
  template <class T>
  static std::string raw(const std::vector<T>& v) {
    std::string all(v.size() * sizeof(T), '\0');
    if (!v.empty()) std::memcpy(all.data(), v.data(), all.size());
    return all;
  }
  static std::string tensor(const std::string& name, const Shape& shape, std::int64_t type,
                            const std::string& bytes) {
    std::string all;
    for (const std::int64_t d : shape) all += number(1, d);
    return all + number(2, type) + text(8, name) + text(9, bytes);
  }

 private:
  static std::string value(const std::string& name, const Shape& shape, std::int64_t type,
                           bool has_shape = true) {
    std::string dimensions;
    for (const std::int64_t d : shape)
      dimensions += text(1, d < 0 ? text(2, "rows") : number(1, d));
    std::string of_tensor = number(1, type);
    if (has_shape) of_tensor += text(2, dimensions);
    return text(1, name) + text(2, text(1, of_tensor));
  }

  std::int64_t opset_;
  std::string graph_;
};

}  // namespace park::test
