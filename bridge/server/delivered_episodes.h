#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "bridge/codec/wire.h"
#include "park/core/episodes.h"

namespace park::bridge {

/// The episodes that a client has delivered for a stream. Slot s of N plays the episodes s, s + N,
/// s + 2 N, ...: the next two of each slot may wait here. So its memory has one size, and finding
/// an episode takes the same time for all numbers.
class DeliveredEpisodes final : public EpisodeSource {
 public:
  /// REQUIRES: at least one slot.
  explicit DeliveredEpisodes(std::uint32_t slots);

  /// Takes episodes; one that its slot has passed by is ignored. Throws Failed{malformed}, or
  /// {tooMuch} if one is not among the next two of its slot; then none has been taken.
  void add(capnp::List<wire::NumberedEpisode>::Reader);
  /// Forgets what the last add brought: its request has failed, and no episode has begun since.
  void undo() noexcept;
  /// Each episode is asked for once, and one that is not there is none.
  [[nodiscard]] std::optional<Episode> at(std::uint64_t k) const override;

 private:
  struct Slot {
    std::uint64_t next = 0;  // the number that is asked for next
    std::array<std::optional<Episode>, 2> waiting;
  };
  struct Before {
    std::size_t slot = 0, place = 0;
    std::optional<Episode> episode;
  };
  void place(std::uint64_t number, const Episode&);

  mutable std::vector<Slot> slots_;
  std::vector<Before> changed_;  // by the last add
};

}  // namespace park::bridge
