#include "systems/dl_inference_live/model.h"

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "park/core/data_path.h"
#include "park/core/error.h"

namespace park::inference {
namespace {

/// Sleeps as long as its configuration says, and returns the sample.
class DelayModel final : public Model {
 public:
  explicit DelayModel(const ModelConfig& c) : a_s_(c.a_s), b_s_(c.b_s) {}
  [[nodiscard]] std::size_t inputs() const noexcept override { return 1; }
  [[nodiscard]] std::size_t outputs() const noexcept override { return 1; }
  void run(std::size_t batch, std::span<const float> in, std::span<float> out) override {
    const double time_s = a_s_ + b_s_ * static_cast<double>(batch);
    std::this_thread::sleep_for(std::chrono::duration<double>(time_s));
    for (std::size_t i = 0; i < batch; ++i) out[i] = in[i];
  }

 private:
  double a_s_, b_s_;
};

ModelModule& open_module() {
  const std::filesystem::path path = model_module_path();
  const auto refuse = [](const std::string& what) {
    throw Error(Errc::unavailable,
                "models of LibTorch are not available: " + what.substr(0, what.find('\n')));
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    refuse("there is no " + path.string() + "; build Park with LibTorch and PARK_AGENTS=ON");
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, kModelModuleEntry);
  if (symbol == nullptr) {
    const char* const why = dlerror();
    refuse(why == nullptr ? "unknown reason" : why);
  }
  ModelModule* const module = reinterpret_cast<ModelModuleEntry>(symbol)(kModelModuleVersion);
  if (module == nullptr) refuse(path.string() + " is of another version of Park");
  return *module;  // stays loaded: LibTorch cannot be unloaded
}

ModelModule& module_of_models() {
  static ModelModule& module = open_module();
  return module;
}

}  // namespace

std::filesystem::path model_module_path() { return library_dir() / "libpark_inference_models.so"; }

std::unique_ptr<Model> make_model(const ModelConfig& c) {
  std::unique_ptr<Model> model;
  if (c.kind == "delay") model = std::make_unique<DelayModel>(c);
  if (!model) model = module_of_models().make(c, c.app_name());
  for (std::size_t batch = 1; batch <= 2 && batch <= static_cast<std::size_t>(c.most_batch());
       ++batch) {
    std::vector<float> in(batch * model->inputs(), 0.5F), out(batch * model->outputs());
    try {
      model->run(batch, in, out);
    } catch (const Error& error) {
      throw Error(Errc::bad_file, "model '" + c.app_name() + "' fails at batch " +
                                      std::to_string(batch) + ": " + error.what());
    }
  }
  return model;
}

}  // namespace park::inference
