#include "bridge/server/delivered_episodes.h"

#include <string>

#include "bridge/codec/decisions.h"
#include "bridge/codec/failure.h"

namespace park::bridge {

DeliveredEpisodes::DeliveredEpisodes(std::uint32_t slots) : slots_(slots) {
  for (std::size_t s = 0; s < slots_.size(); ++s) slots_[s].next = s;
}

void DeliveredEpisodes::add(capnp::List<wire::NumberedEpisode>::Reader list) {
  changed_.clear();
  const std::size_t most = 2 * slots_.size();
  if (list.size() > most)
    throw Failed(Code::TOO_MUCH, "episodes: " + std::to_string(list.size()) + ", at most " +
                                     std::to_string(most) + " may wait, two for each slot");
  try {
    for (const auto numbered : list) place(numbered.getNumber(), read(numbered.getEpisode()));
  } catch (...) {
    undo();
    throw;
  }
}

void DeliveredEpisodes::place(std::uint64_t number, const Episode& episode) {
  const std::size_t s = number % slots_.size();
  Slot& slot = slots_[s];
  if (number < slot.next) return;
  const std::uint64_t ahead = (number - slot.next) / slots_.size();
  if (ahead >= slot.waiting.size())
    throw Failed(Code::TOO_MUCH, "episodes: number " + std::to_string(number) + "; slot " +
                                     std::to_string(s) + " plays " + std::to_string(slot.next) +
                                     " and " + std::to_string(slot.next + slots_.size()) +
                                     " next, and at most two may wait");
  changed_.push_back({s, ahead, slot.waiting[ahead]});
  slot.waiting[ahead] = episode;
}

void DeliveredEpisodes::undo() noexcept {
  for (; !changed_.empty(); changed_.pop_back()) {
    const Before& before = changed_.back();
    slots_[before.slot].waiting[before.place] = before.episode;
  }
}

std::optional<Episode> DeliveredEpisodes::at(std::uint64_t k) const {
  Slot& slot = slots_[k % slots_.size()];
  if (k < slot.next) return {};
  const std::uint64_t ahead = (k - slot.next) / slots_.size();
  std::optional<Episode> found;
  if (ahead < slot.waiting.size()) found = slot.waiting[ahead];
  slot.waiting[0] = ahead == 0 ? slot.waiting[1] : std::nullopt;
  slot.waiting[1].reset();
  slot.next = k + slots_.size();
  return found;
}

}  // namespace park::bridge
