// A TorchScript archive as an ExportedNetwork: LibTorch reads and runs it. The names of the inputs are
// those of forward's arguments.
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/csrc/jit/serialization/import.h>

#include <algorithm>
#include <utility>

#include "agents/exported/exported_network.h"
#include "park/core/error.h"

namespace park::agents {
namespace {

class ScriptNetwork final : public ExportedNetwork {
 public:
  explicit ScriptNetwork(std::string file) : file_(std::move(file)) {
    // Else the first runs are profiled, and later ones may differ from them in the last bits.
    torch::jit::setGraphExecutorOptimize(false);
    try {
      module_ = torch::jit::load(file_, at::kCPU);
      module_.eval();
    } catch (const std::exception& error) {
      refuse("is no TorchScript archive that this LibTorch reads: " + complaint(error));
    }
    const auto forward = module_.find_method("forward");
    if (!forward) refuse("has no method forward");
    const auto& arguments = forward->function().getSchema().arguments();
    for (std::size_t i = 1; i < arguments.size(); ++i) {  // the first one is the module
      if (arguments[i].default_value()) break;
      if (arguments[i].type()->kind() != c10::TypeKind::TensorType)
        refuse("argument '" + arguments[i].name() + "' of forward is " +
               arguments[i].type()->str() + "; allowed is Tensor");
      inputs_.push_back({.name = arguments[i].name()});
    }
  }

  [[nodiscard]] const std::vector<ExportedInput>& inputs() const noexcept override {
    return inputs_;
  }

  ExportedOutputs run(const std::vector<at::Tensor>& inputs) override {
    const c10::InferenceMode guard;
    std::vector<c10::IValue> arguments(inputs.begin(), inputs.end());
    c10::IValue result;
    try {
      result = module_.forward(std::move(arguments));
    } catch (const std::exception& error) {
      refuse("forward fails: " + complaint(error));
    }
    ExportedOutputs all;
    if (result.isGenericDict()) {
      for (const auto& entry : result.toGenericDict()) {
        if (!entry.key().isString()) refuse("the keys of what forward gives are no texts");
        add(entry.value(), entry.key().toStringRef(), all);
      }
      return all;
    }
    if (result.isTuple())
      for (const c10::IValue& value : result.toTupleRef().elements()) add(value, "", all);
    else if (result.isList())
      for (const c10::IValue& value : result.toListRef()) add(value, "", all);
    else
      add(result, "", all);
    return all;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(Errc::bad_file, file_ + ": " + what);
  }

  void add(const c10::IValue& value, const std::string& name, ExportedOutputs& to) const {
    if (!value.isTensor()) refuse("forward gives " + value.tagKind() + "; allowed is Tensor");
    to.names.push_back(name);
    to.tensors.push_back(value.toTensor());
  }

  std::string file_;
  torch::jit::Module module_;
  std::vector<ExportedInput> inputs_;
};

}  // namespace

std::string complaint(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  std::string text = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  // A program's own failure comes last; its trace comes before.
  constexpr const char* kMark = "RuntimeError: ";
  if (const std::size_t at = text.rfind(kMark); at != std::string::npos)
    text.erase(0, at + std::string(kMark).size());
  text.erase(std::min(text.find('\n'), text.size()));
  return text.substr(0, 300);
}

std::unique_ptr<ExportedNetwork> open_torchscript(const std::string& file) {
  return std::make_unique<ScriptNetwork>(file);
}

}  // namespace park::agents
