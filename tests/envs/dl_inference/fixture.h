#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "park/core/config.h"
#include "park/core/text.h"
#include "park/envs/dl_inference/dl_inference.h"

namespace park::test {

/// Steps one dl_inference by hand.
class InferencePlayer {
 public:
  explicit InferencePlayer(std::string_view text)
      : config(parse_config<dl_inference::DlInferenceConfig>(parse_text(text))),
        spec(dl_inference::DlInference::spec(config)),
        env(config),
        layout(bind_layout<dl_inference::InferenceLayout>(spec)),
        observation_(spec.observation),
        action_(spec.action) {
    action_.resize(1);
  }

  void reset(const Episode& episode = {.inputs = 1}) {
    observation_.clear();
    env.reset(episode, observation_.append());
  }
  Outcome step(std::int32_t choice, std::int32_t batch) {
    action_.row(0).scalar(layout.choice) = choice;
    action_.row(0).scalar(layout.batch) = batch;
    observation_.clear();
    return env.step(std::as_const(action_).row(0), observation_.append());
  }
  /// The choice to wait.
  Outcome wait() { return step(static_cast<std::int32_t>(choices()) - 1, 0); }

  [[nodiscard]] ConstRow row() const { return observation_.row(0); }
  [[nodiscard]] std::size_t choices() const { return row().count(layout.choices); }
  template <class T>
  [[nodiscard]] std::vector<double> values(Field<T> leaf) const {
    const auto all = row()[leaf];
    return {all.begin(), all.end()};
  }
  [[nodiscard]] double metric(std::string_view name) const {
    std::vector<double> all(spec.metrics.size());
    env.metrics(all);
    return all.at(spec.metric(name));
  }

  dl_inference::DlInferenceConfig config;
  Spec spec;
  dl_inference::DlInference env;
  dl_inference::InferenceLayout layout;

 private:
  Batch observation_, action_;
};

/// Applications of 1 s + k s and 2 s + 0 k s, with batches up to 4, and arrivals of a file as they
/// are. The load is that of the file.
inline std::string two_apps(const std::string& trace, const std::string& load,
                            const std::string& more = "") {
  return "dl_inference(apps=custom,custom=[app(a_s=1,b_s=1,max_batch=4),app(a_s=2,b_s=0,max_batch="
         "4)],arrivals=trace,trace_start=first,wait_max_s=1,trace=\"" +
         trace + "\",load=" + load + more + ")";
}

}  // namespace park::test
