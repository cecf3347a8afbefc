#include "agents/heuristic/abr/offline_optimum.h"

#include "agents/heuristic/abr/offline_plan.h"
#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/abr/config.h"

namespace park::heuristics {
namespace {

envs::AbrModel model_of(const Spec& spec) {
  if (spec.text.empty())
    throw Error(Errc::unavailable, "offline_optimum needs the text of its environment, and '" +
                                       spec.name + "' was not made from one");
  return envs::AbrModel(parse_config<envs::AbrConfig>(parse_text(spec.text)));
}

}  // namespace

PolicyInfo OfflineOptimum::info() {
  return {.name = "offline_optimum",
          .summary =
              "an oracle: the best plan for the bandwidth that is going to be, on average within "
              "0.001 of the largest QoE there is",
          .reference =
              "Mao, Netravali, Alizadeh, Neural Adaptive Video Streaming with Pensieve, "
              "SIGCOMM 2017, section 5.2 (offline optimal)",
          .environments = {"abr"}};
}

OfflineOptimum::OfflineOptimum(const Config& c, const Spec& spec)
    : model_(model_of(spec)), labels_(static_cast<std::size_t>(c.labels)) {
  quality_ = Batch(spec.action).field<std::int32_t>("quality");
  left_ = Batch(spec.observation).field<float>("chunk.left");
}

void OfflineOptimum::start(std::uint32_t slot, const Episode& e, Rng) {
  if (slot >= plans_.size()) plans_.resize(slot + 1);
  plans_[slot] = offline_plan(model_, e, labels_).qualities;
}

void OfflineOptimum::act(const Decisions& d, Batch& actions) {
  for (std::size_t i = 0; i < d.asked.size(); ++i) {
    const std::vector<std::int32_t>& plan = plans_[d.asked[i].slot];
    const auto left = static_cast<std::size_t>(d.observation.row(i).scalar(left_));
    actions.row(i).scalar(quality_) = plan[plan.size() - left];
  }
}

}  // namespace park::heuristics
