#include "agents/baseline/baselines.h"

#include "park/core/text.h"

namespace park::agents {

const Baselines& baselines() {
  static const Baselines all("baseline", register_baselines);
  return all;
}

std::unique_ptr<Baseline> make_baseline(const std::string& text, const BaselineTask& task) {
  const Value baseline = parse_named(text);
  return baselines().find(baseline.text).make(baseline, task);
}

}  // namespace park::agents
