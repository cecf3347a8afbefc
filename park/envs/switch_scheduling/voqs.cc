#include "park/envs/switch_scheduling/voqs.h"

#include <algorithm>

namespace park::switch_scheduling {

Voqs::Voqs(std::size_t ports)
    : ports_(ports), queues_(ports * ports), at_input_(ports), for_output_(ports), wanted_(ports) {}

void Voqs::clear() {
  nodes_.clear();
  free_ = kNone;
  std::ranges::fill(queues_, Queue{});
  for (auto* counts : {&at_input_, &for_output_, &wanted_})
    std::ranges::fill(*counts, std::uint64_t{0});
  total_ = 0;
}

void Voqs::push(std::size_t voq, const Cell& cell) {
  std::uint32_t at = free_;
  if (at != kNone) {
    free_ = nodes_[at].next;
    nodes_[at] = {cell, kNone};
  } else {
    at = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({cell, kNone});
  }
  Queue& q = queues_[voq];
  if (q.size++ == 0)
    q.head = at;
  else
    nodes_[q.tail].next = at;
  q.tail = at;
  const std::size_t input = voq / ports_, output = voq % ports_;
  ++at_input_[input];
  ++for_output_[output];
  ++total_;
  wanted_[input] |= std::uint64_t{1} << output;
}

Voqs::Cell Voqs::pop(std::size_t voq) {
  Queue& q = queues_[voq];
  const std::uint32_t at = q.head;
  q.head = nodes_[at].next;
  nodes_[at].next = free_;
  free_ = at;
  const std::size_t input = voq / ports_, output = voq % ports_;
  if (--q.size == 0) wanted_[input] &= ~(std::uint64_t{1} << output);
  --at_input_[input];
  --for_output_[output];
  --total_;
  return nodes_[at].cell;
}

}  // namespace park::switch_scheduling
