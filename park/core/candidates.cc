#include "park/core/candidates.h"

#include <algorithm>

namespace park {
namespace {

HeadKind kind_of(const Record& observation, const Leaf& head) {
  if (head.dtype == DType::f32) return HeadKind::continuous;
  if (!head.index_of.empty()) return HeadKind::index;
  return observation.find(head.name + ".min") != nullptr ? HeadKind::interval
                                                         : HeadKind::categorical;
}

std::int32_t head_number(const Record& action, const std::string& name) {
  const auto at = std::ranges::find(action.leaves, name, &Leaf::name);
  return static_cast<std::int32_t>(at - action.leaves.begin());
}

}  // namespace

void Candidates::clear() {
  offsets.assign(1, 0);
  value.clear();
  element.clear();
  given.clear();
}

Heads::Heads(const Spec& spec) : space_(spec) {
  const Batch observation(spec.observation), action(spec.action);
  for (const Leaf& leaf : spec.action.leaves) {
    Head h;
    h.name = leaf.name;
    h.kind = kind_of(spec.observation, leaf);
    h.width = leaf.width();
    h.low = leaf.low;
    h.high = leaf.high;
    if (h.kind == HeadKind::index) {
      h.group = leaf.index_of;
      h.index = observation.group(leaf.index_of);
    } else if (h.kind == HeadKind::categorical) {
      h.values = static_cast<std::int64_t>(leaf.high - leaf.low) + 1;
    }
    if (!leaf.given.empty()) {
      h.given = head_number(spec.action, leaf.given[0]);
      h.given_group = spec.action.leaves[static_cast<std::size_t>(h.given)].index_of;
      for (std::size_t i = 1; i < leaf.given.size(); ++i) {
        h.follow.push_back(observation.field<std::int32_t>(leaf.given[i]));
        h.given_group = spec.observation.find(leaf.given[i])->index_of;
      }
      h.path_end = observation.group(h.given_group);
    }
    const bool real = h.kind == HeadKind::continuous;
    values_.push_back(real ? Field<std::int32_t>{} : action.field<std::int32_t>(leaf.name));
    reals_.push_back(real ? action.field<float>(leaf.name) : Field<float>{});
    heads_.push_back(std::move(h));
  }
}

std::int64_t Heads::path_end(const Head& h, const Batch& observation, std::size_t row,
                             ConstRow action) const {
  std::int64_t element = get(action, static_cast<std::size_t>(h.given));
  for (const Field<std::int32_t>& leaf : h.follow)
    element = observation.row(row)[leaf][static_cast<std::size_t>(element)];
  return observation.offsets(h.path_end)[row] + element;
}

void Heads::candidates(std::size_t head, const Batch& observation, const Batch& actions,
                       Candidates& out) const {
  const Head& h = heads_[head];
  out.clear();
  for (std::size_t r = 0; r < observation.rows(); ++r) {
    const ActionSpace::Choice c = space_.choice(head, observation.row(r), actions.row(r));
    const std::int64_t begin =
        h.kind == HeadKind::index ? observation.offsets(h.index)[r] : std::int64_t{0};
    for (std::int64_t v = c.low; v <= c.high; ++v) {
      if (!c.contains(v)) continue;
      out.value.push_back(static_cast<std::int32_t>(v));
      if (h.kind == HeadKind::index) out.element.push_back(begin + v);
    }
    out.offsets.push_back(static_cast<std::int64_t>(out.value.size()));
    if (h.given >= 0) out.given.push_back(path_end(h, observation, r, actions.row(r)));
  }
}

}  // namespace park
