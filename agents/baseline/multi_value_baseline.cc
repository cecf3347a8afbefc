#include <algorithm>
#include <string>
#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/baseline/value_function.h"
#include "agents/kit/training_episodes.h"

namespace park::agents {
namespace {

struct MultiValueConfig : ValueLearning {
  static constexpr const char* kName = "multi_value";
  std::uint32_t functions = 10;
  bool operator==(const MultiValueConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("functions", self.functions,
          FieldDoc{.doc = "input sequences that training repeats, with a value function each",
                   .min = 1,
                   .max = 1e5});
    ValueLearning::fields(self, visit);
  }
};

/// One value function of observation and time for each of a fixed set of input sequences, which
/// training then repeats for ever; each learns from its own sequence alone (Mao et al., ICLR 2019,
/// section 5).
class MultiValue final : public Baseline {
 public:
  MultiValue(const MultiValueConfig& config, const BaselineTask& task) : run_(task.run) {
    for (std::uint32_t i = 0; i < config.functions; ++i) {
      functions_.push_back(std::make_unique<ValueFunction>(
          task.spec, task.value_network(task.run.split("value").split(i)), config, true));
      inputs_.push_back(fixed_inputs(task.run, i));
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

void register_multi_value_baseline(Baselines& all) {
  all.add({.about = part_text<MultiValueConfig>(
               {.summary = "a value function for each of a fixed set of input sequences",
                .reference = "Mao et al., ICLR 2019",
                .place = 40}),
           .make = [](const Value& text, const BaselineTask& task) -> std::unique_ptr<Baseline> {
             return std::make_unique<MultiValue>(parse_config<MultiValueConfig>(text), task);
           }});
}

}  // namespace park::agents
