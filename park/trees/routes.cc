#include "park/trees/routes.h"

#include <algorithm>
#include <set>

namespace park::trees {

Routes::Routes(const Spec& spec, const Heads::Head& head) {
  const Batch layout(spec.observation);
  if (head.kind == HeadKind::index) {
    routes_.push_back({.group = head.group, .id = head.index});
  } else if (head.given >= 0) {
    const Leaf& leaf = *spec.action.find(head.name);
    const std::string& first = spec.action.find(leaf.given[0])->index_of;
    routes_.push_back({.group = first, .id = layout.group(first)});
    for (std::size_t i = 1; i < leaf.given.size(); ++i) {
      const std::string& next = spec.observation.find(leaf.given[i])->index_of;
      routes_.push_back({.group = next,
                         .id = layout.group(next),
                         .from = static_cast<std::int32_t>(i) - 1,
                         .leaf = layout.field<std::int32_t>(leaf.given[i])});
    }
  }
  prolong(spec, layout);
}

Routes::Routes(const Spec& spec, const std::string& group) {
  const Batch layout(spec.observation);
  routes_.push_back({.group = group, .id = layout.group(group)});
  prolong(spec, layout);
}

std::int32_t Routes::find(const std::string& group) const noexcept {
  const auto at = std::ranges::find(routes_, group, &Route::group);
  return at == routes_.end() ? -1 : static_cast<std::int32_t>(at - routes_.begin());
}

/// Breadth first. What a way through an ambiguous group leads to is ambiguous too.
void Routes::prolong(const Spec& spec, const Batch& layout) {
  const std::size_t named = routes_.size();
  std::set<std::string> ambiguous;
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    for (const Leaf& leaf : spec.observation.leaves) {
      if (leaf.group != routes_[r].group || leaf.index_of.empty() || leaf.width() != 1 ||
          leaf.informative())
        continue;
      const std::int32_t known = find(leaf.index_of);
      if (known < 0)
        routes_.push_back({.group = leaf.index_of,
                           .id = layout.group(leaf.index_of),
                           .from = static_cast<std::int32_t>(r),
                           .leaf = layout.field<std::int32_t>(leaf.name)});
      else if (static_cast<std::size_t>(known) >= named)
        ambiguous.insert(leaf.index_of);
    }
  }
  const auto drop = [&](const Route& route) {
    for (const Route* r = &route; r->from >= 0; r = &routes_[static_cast<std::size_t>(r->from)])
      if (ambiguous.contains(r->group)) return true;
    return false;
  };
  // The places of routes stay as they are: a route that is left out only loses its name.
  std::vector<std::size_t> dropped;
  for (std::size_t r = named; r < routes_.size(); ++r)
    if (drop(routes_[r])) dropped.push_back(r);
  for (const std::size_t r : dropped) routes_[r].group.clear();
}

void Routes::follow(ConstRow row, std::vector<std::vector<std::int64_t>>& elements) const {
  for (std::size_t r = 0; r < routes_.size(); ++r) {
    if (routes_[r].from < 0) continue;
    const auto& before = elements[static_cast<std::size_t>(routes_[r].from)];
    const auto next = row[routes_[r].leaf];
    elements[r].resize(before.size());
    for (std::size_t i = 0; i < before.size(); ++i)
      elements[r][i] = next[static_cast<std::size_t>(before[i])];
  }
}

}  // namespace park::trees
