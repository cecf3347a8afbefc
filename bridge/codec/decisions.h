#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "bridge/codec/wire.h"
#include "park/core/stream.h"

namespace park::bridge {

void write(const Episode&, wire::Episode::Builder);
/// Throws Failed{malformed} if the horizon is not a positive number.
[[nodiscard]] Episode read(wire::Episode::Reader);

/// Writes what a stream delivered; its number stays as it is.
void write(const Decisions&, wire::Decisions::Builder);

/// Reads questions of one peer. It remembers the episodes of the contexts that are open, which come
/// once, with their first row.
class DecisionsReader {
 public:
  /// Contexts of at most so many slots.
  DecisionsReader(const Spec&, std::size_t most_slots);

  /// Replaces `into`. Throws Failed{malformed} or {tooMuch} in one line. Reasons are those in
  /// rows.h, columns of another size, a slot beyond the limit or twice, and negative time. So is a
  /// context that did not begin or is not that of its slot. So are more rows than an answer of
  /// kMostRowBytes has actions for. A context that begins ends what its slot had before. After a
  /// throw the peer's state is unchanged.
  void read(wire::Decisions::Reader, Decisions& into);
  /// Forgets the last message: what was asked has failed and may be asked again.
  void undo();

 private:
  struct Slot {
    bool open = false;
    std::uint64_t context = 0, sequence = 0, message = 0;
    Episode episode;
  };
  void read_asked(wire::Decisions::Reader, Decisions&);
  void read_ended(wire::Decisions::Reader, Decisions&);
  [[nodiscard]] Slot& slot_of(std::uint32_t number);

  std::size_t metrics_, action_bytes_ = 0;
  std::uint64_t messages_ = 0;  // so far
  std::vector<Slot> slots_;
  std::vector<std::pair<std::uint32_t, Slot>> changed_;  // by this message: what they were
};

}  // namespace park::bridge
