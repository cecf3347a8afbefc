#include <utility>

#include "agents/baseline/baselines.h"
#include "agents/baseline/rollout_mean.h"
#include "agents/baseline/value_function.h"

namespace park::agents {
namespace {

struct ValueConfig : ValueLearning {
  static constexpr const char* kName = "value";
  bool sequence_mean = false;
  bool operator==(const ValueConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    ValueLearning::fields(self, visit);
    visit("sequence_mean", self.sequence_mean,
          FieldDoc{.doc = "adds the mean of what it misses in rollouts of the same inputs"});
  }
};

/// A value function of the observation. With sequence_mean it adds what the inputs bring and no
/// state tells: the mean of what the other rollouts' returns were above their values.
class ValueBaseline final : public Baseline {
 public:
  ValueBaseline(const ValueConfig& config, const BaselineTask& task)
      : function_(task.spec, task.value_network(task.run.split("value")), config, false),
        run_(task.run.split("value")),
        sequence_mean_(config.sequence_mean) {}

  std::vector<double> ends(const Trajectories& trajectories) override {
    std::vector<ValueSample> samples;
    for (const Trajectory& t : trajectories.all()) samples.push_back(end_of(t));
    return function_.predict(trajectories.observations(), samples);
  }

  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    PerStep all;
    for (const Trajectory& t : trajectories.all())
      all.push_back(
          function_.predict(trajectories.observations(), samples_of(t, returns[all.size()])));
    if (sequence_mean_) add_residuals(trajectories, returns, all);
    return all;
  }

  void fit(const Trajectories& trajectories, const PerStep& targets) override {
    std::vector<ValueSample> samples;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::vector<ValueSample> of_one = samples_of(trajectories.all()[i], targets[i]);
      samples.insert(samples.end(), of_one.begin(), of_one.end());
    }
    function_.fit(trajectories.observations(), std::move(samples), run_);
  }

  [[nodiscard]] bool critic() const noexcept override { return true; }
  State state() override { return function_.state(); }

 private:
  /// What the others' returns turned out to be above their values, at the same time.
  void add_residuals(const Trajectories& trajectories, const PerStep& returns, PerStep& all) {
    PerStep residuals = returns;
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < returns[i].size(); ++k) residuals[i][k] -= all[i][k];
    const PerStep mean = rollout_mean(trajectories, residuals, true);
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t k = 0; k < returns[i].size(); ++k) all[i][k] += mean[i][k];
  }

  ValueFunction function_;
  Rng run_;
  bool sequence_mean_;
};

}  // namespace

void register_value_baseline(Baselines& all) {
  all.add({.about = part_text<ValueConfig>(
               {.summary = "a value function of the observation", .place = 20}),
           .make = [](const Value& text, const BaselineTask& task) -> std::unique_ptr<Baseline> {
             return std::make_unique<ValueBaseline>(parse_config<ValueConfig>(text), task);
           }});
}

}  // namespace park::agents
