#include "agents/baseline/baselines.h"
#include "agents/baseline/rollout_mean.h"

namespace park::agents {
namespace {

struct SequenceMeanConfig {
  static constexpr const char* kName = "sequence_mean";
  bool leave_one_out = true;  // false: as published
  bool operator==(const SequenceMeanConfig&) const = default;

  template <class Self, class Visit>
  static void fields(Self& self, Visit&& visit) {
    visit("leave_one_out", self.leave_one_out,
          FieldDoc{.doc = "without the rollout itself, which makes it unbiased"});
  }
};

/// Decima's baseline (SIGCOMM 2019, section 5.3): the mean return of the rollouts of the same
/// inputs, at the same time of the episode.
class SequenceMean final : public Baseline {
 public:
  explicit SequenceMean(const SequenceMeanConfig& config) : config_(config) {}

  PerStep values(const Trajectories& trajectories, const PerStep& returns) override {
    return rollout_mean(trajectories, returns, config_.leave_one_out);
  }

 private:
  SequenceMeanConfig config_;
};

}  // namespace

void register_sequence_mean_baseline(Baselines& all) {
  all.add({.about = part_text<SequenceMeanConfig>(
               {.summary = "mean return of the rollouts of the same inputs",
                .reference = "Mao et al., SIGCOMM 2019",
                .place = 30}),
           .fewest_rollouts = 2,  // of one alone the mean is itself, or nothing
           .make = [](const Value& text, const BaselineTask&) -> std::unique_ptr<Baseline> {
             return std::make_unique<SequenceMean>(parse_config<SequenceMeanConfig>(text));
           }});
}

}  // namespace park::agents
