#include "extension/masks.h"

#include <algorithm>

namespace park::python {
namespace {

void add(const ActionSpace::Choice& choice, std::int64_t low, std::int8_t* to) {
  for (std::int64_t v = choice.low; v <= choice.high; ++v)
    if (choice.contains(v)) to[v - low] = 1;
}

}  // namespace

Masks::Masks(const Spec& spec) : space_(spec), action_(spec.action) {
  const auto& leaves = spec.action.leaves;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Leaf& l = leaves[i];
    if (space_.continuous(i)) continue;
    Head h;
    h.head = i;
    h.numbers = l.width();
    h.low = static_cast<std::int64_t>(l.low);
    h.values = static_cast<std::size_t>(l.high - l.low + 1);
    if (!l.given.empty()) {
      h.given = static_cast<std::int32_t>(std::ranges::find(leaves, l.given[0], &Leaf::name) -
                                          leaves.begin());
      h.given_value = action_.field<std::int32_t>(l.given[0]);
    }
    open_ = open_ && l.index_of.empty() && !spec.observation.find("mask." + l.name) &&
            !spec.observation.find(l.name + ".min");
    size_ += h.values * h.numbers;
    heads_.push_back(h);
  }
}

void Masks::write(const Head& h, ConstRow observation, Row scratch, std::int8_t* to) const {
  if (h.given < 0) {
    add(space_.choice(h.head, observation, scratch), h.low, to);
  } else {
    const auto earlier = space_.choice(static_cast<std::size_t>(h.given), observation, scratch);
    for (std::int64_t v = earlier.low; v <= earlier.high; ++v) {
      if (!earlier.contains(v)) continue;
      scratch.scalar(h.given_value) = static_cast<std::int32_t>(v);
      add(space_.choice(h.head, observation, scratch), h.low, to);
    }
  }
  for (std::size_t n = 1; n < h.numbers; ++n) std::copy_n(to, h.values, to + n * h.values);
}

pybind11::array_t<std::int8_t> Masks::of(const Batch& observation) const {
  pybind11::array_t<std::int8_t> all({observation.rows(), size_});
  std::int8_t* to = all.mutable_data();
  std::fill_n(to, observation.rows() * size_, std::int8_t{open_});
  if (open_) return all;
  Batch scratch(action_.record());
  scratch.resize(1);
  for (std::size_t r = 0; r < observation.rows(); ++r)
    for (const Head& h : heads_) {
      write(h, observation.row(r), scratch.row(0), to);
      to += h.values * h.numbers;
    }
  return all;
}

}  // namespace park::python
