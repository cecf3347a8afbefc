#include <algorithm>
#include <string>
#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/kit/training_episodes.h"

namespace park::agents {
namespace {

class MultiValue final : public Baseline {
 public:
  MultiValue(const Spec& spec, const std::vector<std::shared_ptr<Network>>& nets,
             ValueOptions options, const Rng& run)
      : run_(run) {
    options.timed = true;
    for (std::size_t i = 0; i < nets.size(); ++i) {
      functions_.push_back(std::make_unique<ValueFunction>(spec, nets[i], options));
      inputs_.push_back(fixed_inputs(run, static_cast<std::uint32_t>(i)));
    }
  }

  std::vector<double> ends(const Trajectories& trajectories) override {
    std::vector<double> all;
    for (const Trajectory& t : trajectories.all())
      all.push_back(
          functions_[sequence(t)]->predict(trajectories.observations(), {{end_of(t)}})[0]);
    return all;
  }

  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    PerStep all;
    for (const Trajectory& t : trajectories.all())
      all.push_back(functions_[sequence(t)]->predict(trajectories.observations(),
                                                     samples_of(t, returns[all.size()])));
    return all;
  }

  void fit(const Trajectories& trajectories, const PerStep& targets) override {
    std::vector<std::vector<ValueSample>> samples(functions_.size());
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const Trajectory& t = trajectories.all()[i];
      const std::vector<ValueSample> of_one = samples_of(t, targets[i]);
      std::vector<ValueSample>& to = samples[sequence(t)];
      to.insert(to.end(), of_one.begin(), of_one.end());
    }
    for (std::size_t s = 0; s < functions_.size(); ++s)
      functions_[s]->fit(trajectories.observations(), std::move(samples[s]),
                         run_.split("multi_value").split(s));
  }

  [[nodiscard]] bool critic() const noexcept override { return true; }
  [[nodiscard]] std::uint32_t fixed_sequences() const noexcept override {
    return static_cast<std::uint32_t>(functions_.size());
  }

  State state() override {
    State all;
    for (std::size_t s = 0; s < functions_.size(); ++s)
      append(all, std::to_string(s), functions_[s]->state());
    return all;
  }

 private:
  /// Of which one of the fixed sequences it is.
  [[nodiscard]] std::size_t sequence(const Trajectory& t) const {
    const auto at = std::ranges::find(inputs_, t.episode.inputs);
    PARK_ASSERT(at != inputs_.end());
    return static_cast<std::size_t>(at - inputs_.begin());
  }

  Rng run_;
  std::vector<std::unique_ptr<ValueFunction>> functions_;
  std::vector<std::uint64_t> inputs_;
};

}  // namespace

std::unique_ptr<Baseline> make_multi_value(const Spec& spec,
                                           const std::vector<std::shared_ptr<Network>>& nets,
                                           const ValueOptions& options, const Rng& run) {
  return std::make_unique<MultiValue>(spec, nets, options, run);
}

}  // namespace park::agents
