#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "park/core/error.h"
#include "park/runs/module.h"
#include "tests/core/counter_env.h"

namespace park::test {

template <class T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// Numbers that depend on all that lasts and on what an iteration is told, so that a resumed run
/// that forgot something differs.
class FakeTrainer final : public runs::Trainer {
 public:
  FakeTrainer(std::uint64_t seed, std::int64_t fails_at, const runs::Guidance& guidance)
      : weights_{0.5f, static_cast<float>(seed)}, fails_at_(fails_at), guidance_(guidance) {}

  runs::IterationReport iterate(std::int64_t iteration, double part) override {
    if (iteration == fails_at_)
      throw Error(Errc::not_finite, "the gradient is not a finite number");
    steps_[0] += 1;
    average_[0] = 0.9 * average_[0] + 0.1 * std::sin(static_cast<double>(weights_[1]) + part);
    weights_[0] = static_cast<float>(std::fmod(weights_[0] + 0.37 + average_[0] * 0.01, 3));
    weights_[1] += static_cast<float>(steps_[0]) * 0.125f;
    runs::IterationReport report{.iteration = iteration, .decisions = 10, .episodes = 2};
    report.mean_reward = weights_[1];
    report.entropy = average_[0];
    report.imitating = guidance_.imitates(static_cast<std::uint64_t>(iteration));
    if (report.imitating) report.imitation_loss = 1 / (1 + static_cast<double>(iteration));
    return report;
  }
  runs::TensorViews policy() override { return {{"weights", DType::f32, {2}, bytes_of(weights_)}}; }
  runs::TensorViews training() override {
    return {{"steps", DType::i64, {1}, bytes_of(steps_)},
            {"average", DType::f64, {1}, bytes_of(average_)}};
  }
  runs::TensorViews failed_batch() override {
    return {{"noise", DType::f32, {2}, bytes_of(weights_)}};
  }

 private:
  std::vector<float> weights_;
  std::vector<std::int64_t> steps_ = {0};
  std::vector<double> average_ = {0};
  std::int64_t fails_at_;
  runs::Guidance guidance_;
};

/// Trains the counter without LibTorch: the first weight is the step, 1 to 3.
class FakeModule final : public runs::Module {
 public:
  std::int64_t fails_at = -1;
  std::uint64_t version = 1;  // of its network
  std::string refusal;        // of every training, where there is one

  runs::ModuleInfo info() const override { return {.libtorch = "none", .blas = ""}; }
  void set_threads(int) override {}
  std::vector<runs::PartInfo> algorithms() const override { return {}; }
  std::vector<runs::PartInfo> baselines() const override { return {}; }
  std::vector<runs::PartInfo> networks() const override {
    return {{"fake", "", "", {}, version, {"sham"}}};
  }
  runs::TrainingTexts canonical(const Registry&, const runs::TrainingTexts& texts) const override {
    return texts;
  }
  std::unique_ptr<runs::Trainer> trainer(const Registry&, const runs::TrainingTexts& texts,
                                         std::uint64_t seed) const override {
    if (!refusal.empty()) throw Error(Errc::invalid_config, refusal);
    return std::make_unique<FakeTrainer>(seed, fails_at, texts.guidance);
  }
  std::unique_ptr<Policy> policy(const std::string&, const Spec& spec,
                                 const runs::TensorViews& weights, bool,
                                 const std::string& file) const override {
    std::vector<float> own(2);
    runs::copy_tensors(weights, {{"weights", DType::f32, {2}, bytes_of(own)}}, file);
    const auto amount = std::clamp(static_cast<std::int32_t>(own[0]) + 1, 1, 3);
    return std::make_unique<Constant>(Constant::Config{.amount = amount}, spec);
  }
  std::unique_ptr<Policy> network_file(runs::NetworkFormat, const std::string& file, bool,
                                       const Spec&) const override {
    throw Error(Errc::unavailable, file + ": this module reads no networks of other programs");
  }
};

}  // namespace park::test
