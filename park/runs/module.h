#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "park/core/policy.h"
#include "park/core/registry.h"
#include "park/runs/iteration_report.h"
#include "park/runs/network_file.h"
#include "park/runs/tensor_file.h"
#include "park/runs/training_texts.h"

namespace park::runs {

/// An algorithm at work, as those see it who know no LibTorch (agents/algorithm/algorithm.h). One
/// thread.
class Trainer {
 public:
  virtual ~Trainer() = default;
  /// Throws Error{not_finite}; the network then is as it was before.
  [[nodiscard]] virtual IterationReport iterate(std::int64_t iteration, double part) = 0;
  /// All that acting needs; writing into it sets the network. The same memory at every call.
  [[nodiscard]] virtual TensorViews policy() = 0;
  /// Other state that lasts from one iteration to the next, likewise.
  [[nodiscard]] virtual TensorViews training() = 0;
  /// The batch that failed last; it lives until the next call.
  [[nodiscard]] virtual TensorViews failed_batch() = 0;
};

/// A module's description of itself.
struct ModuleInfo {
  std::string libtorch;  ///< version
  std::string blas;      ///< the file of the library that multiplies its matrices
  bool cuda = false;     ///< whether LibTorch computes on a GPU and one is present
};

/// All of Park that needs LibTorch, behind an interface that does not: a library of its own, since
/// loading LibTorch takes half a second. Exceptions cross it.
class Module {
 public:
  virtual ~Module() = default;
  [[nodiscard]] virtual ModuleInfo info() const = 0;
  /// Threads of one operator, 1 until it is called. Making a policy does not change the number.
  virtual void set_threads(int) = 0;
  [[nodiscard]] virtual std::vector<PartInfo> algorithms() const = 0;
  [[nodiscard]] virtual std::vector<PartInfo> baselines() const = 0;
  [[nodiscard]] virtual std::vector<PartInfo> networks() const = 0;
  /// agents::canonical.
  [[nodiscard]] virtual TrainingTexts canonical(const Registry&, const TrainingTexts&) const = 0;
  /// agents::make_algorithm. The registry must outlive it.
  [[nodiscard]] virtual std::unique_ptr<Trainer> trainer(const Registry&, const TrainingTexts&,
                                                         std::uint64_t seed) const = 0;
  /// A network of a text with these weights, as a policy; `file` names them in errors. Throws
  /// Error{bad_file} if they are not those of the network.
  [[nodiscard]] virtual std::unique_ptr<Policy> policy(const std::string& network, const Spec&,
                                                       const TensorViews& weights, bool sample,
                                                       const std::string& file) const = 0;
  /// A network in a file of another program as a policy. Throws as network_file_policy.
  [[nodiscard]] virtual std::unique_ptr<Policy> network_file(NetworkFormat, const std::string& file,
                                                             bool sample, const Spec&) const = 0;
};

/// Rises when anything in this header or in Policy changes.
constexpr std::uint32_t kModuleVersion = 9;
/// The one symbol of the library: its module, which lives as long as the process, or nullptr if the
/// version differs.
constexpr const char* kModuleEntry = "park_agents_module";
using ModuleEntry = Module* (*)(std::uint32_t version);

/// The version of a network of a text such as mlp(hidden1=32); 1 where the module has none of that
/// name.
[[nodiscard]] std::uint64_t network_version(const Module&, const std::string& text);
/// PartInfo::any_lengths of a network of a text; false where the module has none of that name.
[[nodiscard]] bool serves_any_lengths(const Module&, const std::string& text);
/// The text of a network as a file has it, under the name that the network has today.
[[nodiscard]] std::string present_network(const Module&, const std::string& text);

/// The file of the module beside libpark_core, whether it is there or not.
[[nodiscard]] std::filesystem::path module_path();
/// Loads the module at the first call. Throws Error{unavailable} in one line.
[[nodiscard]] Module& load_module();

}  // namespace park::runs
