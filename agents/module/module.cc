// All of Park that needs LibTorch, as the library that the command loads (park/runs/module.h).
#include "park/runs/module.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <filesystem>

#include "agents/algorithm/algorithms.h"
#include "agents/baseline/baselines.h"
#include "agents/exported/exported_policy.h"
#include "agents/kit/network_policy.h"
#include "agents/kit/optimiser.h"
#include "agents/net/mlp_kernels.h"
#include "agents/net/networks.h"
#include "park/core/error.h"

// OpenBLAS has threads of its own, which LibTorch does not know of; absent in another BLAS.
extern "C" void openblas_set_num_threads(int) __attribute__((weak));
// Of whichever BLAS there is.
extern "C" void sgemm_() __attribute__((weak));

namespace park::agents {
namespace {

DType dtype_of_tensor(const std::string& name, const at::Tensor& t) {
  switch (t.scalar_type()) {
    case at::kByte:
      return DType::u8;
    case at::kInt:
      return DType::i32;
    case at::kLong:
      return DType::i64;
    case at::kFloat:
      return DType::f32;
    case at::kDouble:
      return DType::f64;
    default:
      throw Error(Errc::invalid_space, name + ": its type of numbers has no place in a file");
  }
}

runs::TensorViews views_of(const State& state) {
  runs::TensorViews all;
  for (const auto& [name, t] : state) {
    if (!t.is_contiguous() || !t.is_cpu())
      throw Error(Errc::invalid_space, name + ": is not in one piece of memory");
    all.push_back({name,
                   dtype_of_tensor(name, t),
                   t.sizes().vec(),
                   {static_cast<std::byte*>(t.data_ptr()), t.nbytes()}});
  }
  return all;
}

/// The file of the BLAS, links followed.
std::string blas_file() {
  Dl_info about{};
  if (sgemm_ == nullptr || dladdr(reinterpret_cast<const void*>(&sgemm_), &about) == 0) return "";
  std::error_code failed;
  const auto file = std::filesystem::canonical(about.dli_fname, failed);
  return failed ? about.dli_fname : file.string();
}

class TorchTrainer final : public runs::Trainer {
 public:
  explicit TorchTrainer(std::unique_ptr<Algorithm> algorithm) : algorithm_(std::move(algorithm)) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) override {
    return algorithm_->iterate(iteration, part);
  }
  runs::TensorViews policy() override { return views_of(algorithm_->policy()); }
  runs::TensorViews training() override { return views_of(algorithm_->training()); }
  runs::TensorViews failed_batch() override {
    return views_of(failed_ = algorithm_->failed_batch());
  }

 private:
  std::unique_ptr<Algorithm> algorithm_;
  State failed_;
};

class TorchModule final : public runs::Module {
 public:
  TorchModule() { use_wanted_instruction_set(); }

  runs::ModuleInfo info() const override {
    return {.libtorch = TORCH_VERSION, .blas = blas_file(), .cuda = at::hasCUDA()};
  }

  void set_threads(int threads) override {
    threads_ = threads;
    use_threads();
  }

  std::vector<runs::PartInfo> algorithms() const override { return agents::algorithms().infos(); }
  std::vector<runs::PartInfo> baselines() const override { return agents::baselines().infos(); }
  std::vector<runs::PartInfo> networks() const override { return agents::networks().infos(); }

  runs::TrainingTexts canonical(const Registry& registry,
                                const runs::TrainingTexts& texts) const override {
    return agents::canonical(registry, texts);
  }

  std::unique_ptr<runs::Trainer> trainer(const Registry& registry, const runs::TrainingTexts& texts,
                                         std::uint64_t seed) const override {
    return std::make_unique<TorchTrainer>(make_algorithm(registry, texts, seed));
  }

  std::unique_ptr<Policy> policy(const std::string& network, const Spec& spec,
                                 const runs::TensorViews& weights, bool sample,
                                 const std::string& file) const override {
    use_threads();
    std::shared_ptr<Network> net = make_network(network, spec, Role::policy, Rng(0));
    runs::copy_tensors(weights, views_of(state_of(*net)), file);
    return std::make_unique<NetworkPolicy>(spec, std::move(net), sample);
  }

  std::unique_ptr<Policy> network_file(runs::NetworkFormat format, const std::string& file,
                                       bool sample, const Spec& spec) const override {
    use_threads();
    auto network = format == runs::NetworkFormat::onnx ? open_onnx(file) : open_torchscript(file);
    return std::make_unique<ExportedPolicy>(spec, std::move(network), sample, file);
  }

 private:
  /// LibTorch keeps the number for each thread that calls it, and policies are made in several.
  void use_threads() const {
    at::set_num_threads(threads_);
    if (openblas_set_num_threads != nullptr) openblas_set_num_threads(threads_);
  }

  int threads_ = 1;
};

}  // namespace
}  // namespace park::agents

extern "C" __attribute__((visibility("default"))) park::runs::Module* park_agents_module(
    std::uint32_t version) {
  static park::agents::TorchModule module;
  return version == park::runs::kModuleVersion ? &module : nullptr;
}
