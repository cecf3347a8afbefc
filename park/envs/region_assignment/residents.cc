#include "park/envs/region_assignment/residents.h"

#include <algorithm>
#include <functional>

namespace park::region_assignment {

void Residents::add(const Resident& r) {
  std::size_t slot = slots_.size();
  if (unused_.empty()) {
    slots_.push_back(r);
  } else {
    slot = unused_.back();
    unused_.pop_back();
    slots_[slot] = r;
  }
  heap_.push_back({r.leaves_s, r.job, slot});
  std::ranges::push_heap(heap_, std::greater<>());
}

const Resident& Residents::leave() noexcept {
  std::ranges::pop_heap(heap_, std::greater<>());
  const std::size_t slot = heap_.back().slot;
  heap_.pop_back();
  unused_.push_back(slot);
  return slots_[slot];
}

}  // namespace park::region_assignment
