#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "park/core/episodes.h"
#include "park/core/stream.h"

namespace park::bridge {

/// The episodes that a client gives to a server, and whether the server plays these and all of
/// them. One thread.
class GivenEpisodes {
 public:
  /// Episodes by their numbers, as messages carry them.
  using Numbered = std::vector<std::pair<std::uint64_t, Episode>>;

  /// The source must outlive the object.
  GivenEpisodes(const EpisodeSource&, std::uint32_t slots);

  /// Those to open the stream with: of each slot the one that it begins with and the next.
  [[nodiscard]] Numbered first();
  /// For a running system, whose contexts take the given episodes in any order and slot.
  void in_any_order();
  /// Takes what the server delivered; adds to `coming` the episodes that it has to know next, one
  /// for each that ended. Throws Failed{malformed} in one line that names the slot or the metric. A
  /// slot may begin only the next episode that was given to it, and only after its last one has
  /// ended. A context has the episode's id. A metric is finite; NaN passes where the episode was
  /// cut off, since a mean may be undefined then. Something is asked or ended, and the end comes
  /// after all episodes.
  void take(const Decisions&, const std::vector<Metric>&, Numbered& coming);

 private:
  struct Slot {
    std::uint64_t next = 0;  // number of the episode that it is given next
    Numbered given{};        // and has not begun; at most two
    bool playing = false;
    std::uint64_t id = 0;  // of the episode that it plays
  };

  void give(Slot&, Numbered& to);
  void begin(std::uint32_t slot, std::uint64_t context, const Episode&);
  void end(const Decisions&, std::size_t i, const std::vector<Metric>&);
  void check_done(const Decisions&) const;

  const EpisodeSource& source_;
  std::vector<Slot> slots_;
  bool in_order_ = true;
  Numbered all_;             // in any order: what was given so far
  std::uint64_t ended_ = 0;  // episodes so far
};

}  // namespace park::bridge
