#pragma once

#include <memory>
#include <string>

#include "park/core/policy.h"
#include "park/core/registry.h"

namespace park::runs {

/// Formats of networks that other programs have trained and written.
enum class NetworkFormat { torchscript, onnx };

/// The policy of a network in a file, which the module computes (agents/exported). It is a policy of
/// every environment without groups. Throws Error{io}, Error{bad_file} in one line, Error{invalid_config}
/// where its inputs or outputs are not those of the layout, Error{unavailable} without LibTorch.
[[nodiscard]] std::unique_ptr<Policy> network_file_policy(NetworkFormat, const std::string& file,
                                                          bool sample, const Spec&);

/// Makes files *.pt (TorchScript) and *.onnx policies by their path, PATH or PATH(sample=true), and any
/// file by torchscript(file=PATH) and onnx(file=PATH). A TorchScript file is a program that its
/// reader runs; an ONNX file is a list of operators with numbers.
void add_network_file_policies(Registry&);

/// Whether a policy of this name, such as a path, is a TorchScript file.
[[nodiscard]] bool is_torchscript(const std::string& name);

}  // namespace park::runs
