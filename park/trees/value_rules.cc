#include "park/trees/value_rules.h"

#include <algorithm>

#include "park/core/error.h"

namespace park::trees {

ValueRules::ValueRules(const std::string& file, const Spec& spec)
    : ValueRules(read_tree_file(file), file, spec) {}

ValueRules::ValueRules(const TreeFile& file, const std::string& name, const Spec& spec)
    : trees_(file, name, spec) {
  const bool any = std::ranges::any_of(file.heads, [](const HeadTrees& head) {
    return !head.levels.empty() && !head.rules.empty();
  });
  if (!any)
    throw Error(Errc::invalid_config, name + ": has no rule of a head that compares its values");
}

std::span<const std::uint8_t> ValueRules::kept(std::size_t head, ConstRow observation,
                                               ConstRow action,
                                               std::span<const std::int32_t> values) {
  HeadPlan* const plan = trees_.plan(head);
  if (plan == nullptr || !plan->compares()) return {};
  plan->apply_rules(observation, action, values);
  if (std::ranges::find(plan->kept(), 0) == plan->kept().end()) return {};
  return plan->kept();
}

}  // namespace park::trees
