// A model of the format ONNX from its bytes. Wire walks the fields of one message of Protocol
// Buffers: each has a number and a number, eight bytes, four bytes or a text, which may be a message
// again. A function per message takes the fields that matter and passes over the rest. What cannot
// be computed here, such as weights in another file, is refused at once. The loader of policies in
// files calls parse_onnx; tests damage files at random.
#include "park/runs/onnx_file.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <set>

#include "park/core/error.h"
#include "park/core/text.h"

namespace park::runs {
namespace {

constexpr std::size_t kMostNodes = 100'000, kMostOnnxDimensions = 16;
constexpr std::size_t kLongestName = 4096;

/// What is wrong, before the name of the file is known.
struct Wrong {
  std::string what;
};
[[noreturn]] void refuse_onnx(const std::string& what) { throw Wrong{what}; }

/// The fields of one message, in their order.
class Wire {
 public:
  explicit Wire(std::string_view bytes) : rest_(bytes) {}

  /// Reads the key and the value of the next field; false: there is none.
  bool next() {
    if (rest_.empty()) return false;
    const std::uint64_t key = varint();
    field_ = key >> 3;
    kind_ = static_cast<int>(key & 7);
    if (kind_ == 0)
      number_ = varint();
    else if (kind_ == 1)
      text_ = take(8);
    else if (kind_ == 2)
      text_ = take(varint());
    else if (kind_ == 5)
      text_ = take(4);
    else
      refuse_onnx("is no message of Protocol Buffers");
    return true;
  }

  [[nodiscard]] std::uint64_t field() const noexcept { return field_; }
  [[nodiscard]] std::int64_t integer() const {
    if (kind_ != 0) refuse_onnx("a field is not a number");
    return static_cast<std::int64_t>(number_);
  }
  [[nodiscard]] std::string_view bytes() const {
    if (kind_ != 2) refuse_onnx("a field is not a text or a message");
    return text_;
  }
  [[nodiscard]] std::string name() const {
    if (bytes().size() > kLongestName) refuse_onnx("a name is longer than 4096 bytes");
    return std::string(bytes());
  }
  [[nodiscard]] float real() const {
    if (kind_ != 5) refuse_onnx("a field is not a number of 32 bits");
    return read<float>(text_);
  }
  /// One number, or many in a packed text.
  void append_to(std::vector<std::int64_t>& to) const {
    if (kind_ == 0) return to.push_back(integer());
    for (Wire packed(bytes()); !packed.rest_.empty();)
      to.push_back(static_cast<std::int64_t>(packed.varint()));
  }
  template <class T>
  void append_reals(std::vector<T>& to) const {
    if (text_.size() % sizeof(T) != 0 || kind_ == 0) refuse_onnx("numbers are cut off");
    for (std::size_t i = 0; i < text_.size(); i += sizeof(T))
      to.push_back(read<T>(text_.substr(i)));
  }

 private:
  template <class T>
  static T read(std::string_view from) {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, from.data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) refuse_onnx("is cut off, or no model of the format ONNX");
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    refuse_onnx("is no message of Protocol Buffers");
  }
  std::string_view take(std::uint64_t n) {
    if (n > rest_.size()) refuse_onnx("is cut off, or no model of the format ONNX");
    const std::string_view taken = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return taken;
  }

  std::string_view rest_, text_;
  std::uint64_t field_ = 0, number_ = 0;
  int kind_ = 0;
};

OnnxType type_of(std::int64_t number, const std::string& what) {
  for (const OnnxType known : {OnnxType::f32, OnnxType::u8, OnnxType::i32, OnnxType::i64,
                               OnnxType::boolean, OnnxType::f64})
    if (static_cast<std::int64_t>(known) == number) return known;
  refuse_onnx(what + ": type " + std::to_string(number) +
              "; allowed are 1 (float), 2 (uint8), 6 (int32), 7 (int64), 9 (bool) and 11 (double)");
}

/// Numbers of a tensor that are not in raw_data: each field is for some types.
struct TypedNumbers {
  std::vector<float> f32;
  std::vector<double> f64;
  std::vector<std::int64_t> i32, i64;

  [[nodiscard]] bool empty() const {
    return f32.empty() && f64.empty() && i32.empty() && i64.empty();
  }

  template <class T, class From>
  static void copy(const std::vector<From>& from, std::vector<std::byte>& to) {
    to.resize(from.size() * sizeof(T));
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto value = static_cast<T>(from[i]);
      std::memcpy(to.data() + i * sizeof(T), &value, sizeof value);
    }
  }
  void copy_to(OnnxTensor& tensor) const {
    switch (tensor.type) {
      case OnnxType::f32:
        return copy<float>(f32, tensor.bytes);
      case OnnxType::f64:
        return copy<double>(f64, tensor.bytes);
      case OnnxType::i64:
        return copy<std::int64_t>(i64, tensor.bytes);
      case OnnxType::i32:
        return copy<std::int32_t>(i32, tensor.bytes);
      case OnnxType::u8:
      case OnnxType::boolean:
        return copy<std::uint8_t>(i32, tensor.bytes);
    }
  }
};

/// Numbers of a shape; nothing where they are more than `most`.
std::size_t numbers_of(const std::vector<std::int64_t>& shape, std::size_t most,
                       const std::string& what) {
  if (shape.size() > kMostOnnxDimensions) refuse_onnx(what + ": more than 16 dimensions");
  std::size_t n = 1;
  for (const std::int64_t d : shape) {
    if (d < 0) refuse_onnx(what + ": a negative size");
    if (d > 0 && n > most / static_cast<std::size_t>(d))
      refuse_onnx(what + ": its numbers are cut off");
    n *= static_cast<std::size_t>(d);
  }
  return n;
}

OnnxTensor read_tensor(std::string_view bytes) {
  OnnxTensor tensor;
  TypedNumbers typed;
  std::string_view raw;
  std::int64_t type = 0;
  for (Wire w(bytes); w.next();) switch (w.field()) {
      case 1:
        w.append_to(tensor.shape);
        break;
      case 2:
        type = w.integer();
        break;
      case 4:
        w.append_reals(typed.f32);
        break;
      case 5:
        w.append_to(typed.i32);
        break;
      case 7:
        w.append_to(typed.i64);
        break;
      case 8:
        tensor.name = w.name();
        break;
      case 9:
        raw = w.bytes();
        break;
      case 10:
        w.append_reals(typed.f64);
        break;
      case 13:
      case 14:
        if (w.field() == 13 || w.integer() != 0)
          refuse_onnx("has weights in another file; write it with all of its weights inside");
        break;
      default:
        break;
    }
  const std::string what = "tensor '" + printable(tensor.name) + "'";
  tensor.type = type_of(type, what);
  if (!typed.empty())
    typed.copy_to(tensor);
  else
    tensor.bytes.assign(reinterpret_cast<const std::byte*>(raw.data()),
                        reinterpret_cast<const std::byte*>(raw.data()) + raw.size());
  const std::size_t size = size_of(tensor.type);
  if (numbers_of(tensor.shape, tensor.bytes.size(), what) * size != tensor.bytes.size())
    refuse_onnx(what + ": has " + std::to_string(tensor.bytes.size()) +
                " bytes, which its shape has not");
  return tensor;
}

void read_attribute(std::string_view bytes, OnnxNode& node) {
  std::string name;
  OnnxAttribute a;
  for (Wire w(bytes); w.next();) switch (w.field()) {
      case 1:
        name = w.name();
        break;
      case 2:
        a.number = w.real();
        break;
      case 3:
        a.integer = w.integer();
        break;
      case 4:
        a.text = w.name();
        break;
      case 5:
        a.tensor = read_tensor(w.bytes());
        break;
      case 7:
        w.append_reals(a.numbers);
        break;
      case 8:
        w.append_to(a.integers);
        break;
      case 6:
      case 11:
        refuse_onnx("operator " + printable(node.op) + ": has a graph inside");
      case 21:
        refuse_onnx("operator " + printable(node.op) + ": is part of a function");
      default:
        break;
    }
  if (!node.attributes.emplace(name, std::move(a)).second)
    refuse_onnx("operator " + printable(node.op) + ": attribute '" + printable(name) +
                "' comes twice");
}

OnnxNode read_node(std::string_view bytes) {
  OnnxNode node;
  std::vector<std::string_view> attributes;
  for (Wire w(bytes); w.next();) switch (w.field()) {
      case 1:
        node.inputs.push_back(w.name());
        break;
      case 2:
        node.outputs.push_back(w.name());
        break;
      case 3:
        node.name = w.name();
        break;
      case 4:
        node.op = w.name();
        break;
      case 5:
        attributes.push_back(w.bytes());
        break;
      case 7:
        if (!w.bytes().empty() && w.bytes() != "ai.onnx")
          refuse_onnx("an operator is of the domain '" + printable(w.name()) +
                      "'; allowed is ai.onnx");
        break;
      default:
        break;
    }
  for (const std::string_view a : attributes) read_attribute(a, node);
  return node;
}

/// TensorShapeProto: a number, a name or nothing for each dimension.
std::vector<std::int64_t> read_shape(std::string_view bytes) {
  std::vector<std::int64_t> shape;
  for (Wire w(bytes); w.next();) {
    if (w.field() != 1) continue;
    if (shape.size() == kMostOnnxDimensions) refuse_onnx("an input has more than 16 dimensions");
    shape.push_back(-1);
    for (Wire d(w.bytes()); d.next();)
      if (d.field() == 1) shape.back() = d.integer();
  }
  return shape;
}

/// ValueInfoProto; of its type only a tensor.
OnnxValue read_value(std::string_view bytes) {
  OnnxValue value;
  std::int64_t type = 0;
  std::string_view tensor;
  for (Wire w(bytes); w.next();) {
    if (w.field() == 1) value.name = w.name();
    if (w.field() != 2) continue;
    for (Wire t(w.bytes()); t.next();)
      if (t.field() == 1) tensor = t.bytes();
  }
  for (Wire w(tensor); w.next();) {
    if (w.field() == 1) type = w.integer();
    if (w.field() != 2) continue;
    value.has_shape = true;
    value.shape = read_shape(w.bytes());
  }
  value.type = type_of(type, "'" + printable(value.name) + "'");
  return value;
}

void read_graph(std::string_view bytes, OnnxFile& file) {
  std::set<std::string, std::less<>> constants;
  for (Wire w(bytes); w.next();) switch (w.field()) {
      case 1:
        if (file.nodes.size() == kMostNodes) refuse_onnx("has more than 100000 operators");
        file.nodes.push_back(read_node(w.bytes()));
        break;
      case 5:
        file.constants.push_back(read_tensor(w.bytes()));
        constants.insert(file.constants.back().name);
        break;
      case 11:
        file.inputs.push_back(read_value(w.bytes()));
        break;
      case 12:
        file.outputs.push_back(read_value(w.bytes()));
        break;
      case 15:
        refuse_onnx("has sparse weights");
      default:
        break;
    }
  std::erase_if(file.inputs, [&](const OnnxValue& v) { return constants.contains(v.name); });
}

/// OperatorSetIdProto; only the standard set counts.
void read_opset(std::string_view bytes, OnnxFile& file) {
  std::string domain;
  std::int64_t version = 0;
  for (Wire w(bytes); w.next();) {
    if (w.field() == 1) domain = w.name();
    if (w.field() == 2) version = w.integer();
  }
  if (domain.empty() || domain == "ai.onnx") file.opset = version;
}

}  // namespace

std::size_t size_of(OnnxType type) noexcept {
  if (type == OnnxType::u8 || type == OnnxType::boolean) return 1;
  return type == OnnxType::i64 || type == OnnxType::f64 ? 8 : 4;
}

OnnxFile parse_onnx(std::string_view bytes, const std::string& name) {
  OnnxFile file;
  bool has_graph = false;
  try {
    for (Wire w(bytes); w.next();) {
      if (w.field() == 8) read_opset(w.bytes(), file);
      if (w.field() == 25) refuse_onnx("has functions; write it with standard operators alone");
      if (w.field() != 7) continue;
      if (has_graph) refuse_onnx("has two graphs");
      has_graph = true;
      read_graph(w.bytes(), file);
    }
    if (!has_graph || file.nodes.empty()) refuse_onnx("is no model of the format ONNX");
  } catch (const Wrong& wrong) {
    throw Error(Errc::bad_file, name + ": " + wrong.what);
  }
  return file;
}

}  // namespace park::runs
