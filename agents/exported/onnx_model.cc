// An ONNX model as an ExportedNetwork. Its nodes come in an order in which every value is made before
// it is used. Opening a file gives each value a slot and looks each operator up; run fills the slots.
#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "agents/exported/exported_network.h"
#include "agents/exported/onnx_operators.h"
#include "park/core/error.h"
#include "park/core/text.h"
#include "park/files/read.h"

namespace park::agents {
namespace {

constexpr std::uint64_t kMostOnnx = std::uint64_t{2} << 30;

class OnnxNetwork final : public ExportedNetwork {
 public:
  explicit OnnxNetwork(std::string file)
      : file_(std::move(file)),
        graph_(runs::parse_onnx(files::read_whole(file_, kMostOnnx), file_)) {
    if (graph_.opset < kFirstOpset || graph_.opset > kLastOpset)
      refuse("its operators are of version " + std::to_string(graph_.opset) +
             " (opset); allowed are " + std::to_string(kFirstOpset) + " to " +
             std::to_string(kLastOpset));
    for (const runs::OnnxTensor& t : graph_.constants) values_[new_slot(t.name)] = onnx_tensor(t);
    graph_.constants.clear();
    for (const runs::OnnxValue& v : graph_.inputs) {
      input_slots_.push_back(new_slot(v.name));
      inputs_.push_back(described(v));
    }
    for (const runs::OnnxNode& node : graph_.nodes) add(node);
    for (const runs::OnnxValue& v : graph_.outputs)
      output_slots_.push_back(slot(v.name, "the graph"));
  }

  [[nodiscard]] const std::vector<ExportedInput>& inputs() const noexcept override {
    return inputs_;
  }

  ExportedOutputs run(const std::vector<at::Tensor>& inputs) override {
    const c10::InferenceMode guard;
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[input_slots_[i]] = inputs[i];
    for (const Step& step : steps_) compute(step);
    ExportedOutputs all;
    for (std::size_t i = 0; i < output_slots_.size(); ++i) {
      all.names.push_back(graph_.outputs[i].name);
      all.tensors.push_back(values_[output_slots_[i]]);
    }
    return all;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Step {
    const runs::OnnxNode* node;
    Tensors (*run)(const OnnxCall&);
    std::vector<std::size_t> inputs, outputs;  // slots; kNone: left out
  };

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Errc::bad_file, file_ + ": " + what);
  }
  static std::string about(const runs::OnnxNode& node) {
    return "operator " + printable(node.op) +
           (node.name.empty() ? "" : " '" + printable(node.name) + "'");
  }

  ExportedInput described(const runs::OnnxValue& v) const {
    ExportedInput input{.name = v.name, .type = scalar_type(v.type)};
    if (!v.has_shape) return input;
    if (v.shape.size() != 2)
      refuse("input '" + printable(v.name) + "' has " + std::to_string(v.shape.size()) +
             " dimensions; allowed are 2, rows and numbers");
    input.rows = v.shape[0] > 0 ? v.shape[0] : -1;
    input.numbers = v.shape[1] > 0 ? v.shape[1] : -1;
    return input;
  }

  std::size_t new_slot(const std::string& name) {
    const auto [at, is_new] = slots_.emplace(name, values_.size());
    if (!is_new) refuse("value '" + printable(name) + "' is made twice");
    values_.emplace_back();
    return at->second;
  }
  [[nodiscard]] std::size_t slot(const std::string& name, const std::string& user) const {
    const auto at = slots_.find(name);
    if (at == slots_.end())
      refuse(user + " takes the value '" + printable(name) + "', which nothing before it makes");
    return at->second;
  }

  void add(const runs::OnnxNode& node) {
    const auto at = onnx_operators().find(node.op);
    if (at == onnx_operators().end()) refuse_operator(node);
    const OnnxOperator& op = at->second;
    if (node.inputs.size() < op.least || node.inputs.size() > op.most)
      refuse(about(node) + ": has " + std::to_string(node.inputs.size()) + " inputs; allowed are " +
             std::to_string(op.least) + " to " + std::to_string(op.most));
    for (const auto& [name, attribute] : node.attributes)
      if (std::ranges::find(op.attributes, name) == op.attributes.end())
        refuse(about(node) + ": attribute '" + printable(name) + "' is not known here");
    Step step{.node = &node, .run = op.run, .inputs = {}, .outputs = {}};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      if (node.inputs[i].empty() && i < op.least) refuse(about(node) + ": an input is left out");
      step.inputs.push_back(node.inputs[i].empty() ? kNone : slot(node.inputs[i], about(node)));
    }
    for (const std::string& name : node.outputs)
      step.outputs.push_back(name.empty() ? kNone : new_slot(name));
    steps_.push_back(std::move(step));
  }

  [[noreturn]] void refuse_operator(const runs::OnnxNode& node) const {
    std::string known;
    for (const auto& [name, op] : onnx_operators()) known += (known.empty() ? "" : ", ") + name;
    refuse(about(node) + " is not computed here; allowed are " + known);
  }

  void compute(const Step& step) {
    Tensors inputs;
    for (const std::size_t s : step.inputs)
      inputs.push_back(s == kNone ? at::Tensor() : values_[s]);
    Tensors made;
    try {
      made = step.run(OnnxCall(*step.node, inputs));
    } catch (const std::exception& error) {
      refuse(about(*step.node) + ": " + complaint(error));
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] == kNone) continue;
      if (i >= made.size()) refuse(about(*step.node) + ": has an output that is not computed here");
      values_[step.outputs[i]] = made[i];
    }
  }

  std::string file_;
  runs::OnnxFile graph_;
  std::vector<at::Tensor> values_;  // by slot
  std::map<std::string, std::size_t, std::less<>> slots_;
  std::vector<std::size_t> input_slots_, output_slots_;
  std::vector<ExportedInput> inputs_;
  std::vector<Step> steps_;
};

}  // namespace

std::vector<std::int64_t> OnnxCall::list(std::size_t i) const {
  const at::Tensor t = (*this)[i].to(at::kLong).contiguous();
  const auto* const from = t.data_ptr<std::int64_t>();
  return {from, from + t.numel()};
}

const OnnxOperators& onnx_operators() {
  static const OnnxOperators all = [] {
    OnnxOperators some;
    add_elementwise_operators(some);
    add_matrix_operators(some);
    add_shape_operators(some);
    return some;
  }();
  return all;
}

at::ScalarType scalar_type(runs::OnnxType type) noexcept {
  switch (type) {
    case runs::OnnxType::f32:
      return at::kFloat;
    case runs::OnnxType::u8:
      return at::kByte;
    case runs::OnnxType::i32:
      return at::kInt;
    case runs::OnnxType::i64:
      return at::kLong;
    case runs::OnnxType::boolean:
      return at::kBool;
    case runs::OnnxType::f64:
      break;
  }
  return at::kDouble;
}

at::Tensor onnx_tensor(const runs::OnnxTensor& from) {
  at::Tensor t = at::empty(from.shape, at::TensorOptions(scalar_type(from.type)));
  // A file may have anything where a flag belongs.
  if (from.type == runs::OnnxType::boolean)
    std::ranges::transform(from.bytes, t.data_ptr<bool>(),
                           [](std::byte b) { return b != std::byte{0}; });
  else if (!from.bytes.empty())
    std::memcpy(t.data_ptr(), from.bytes.data(), from.bytes.size());
  return t;
}

std::unique_ptr<ExportedNetwork> open_onnx(const std::string& file) {
  return std::make_unique<OnnxNetwork>(file);
}

}  // namespace park::agents
