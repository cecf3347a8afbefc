#pragma once

#include <cstdint>
#include <vector>

#include "park/core/id_vector.h"

namespace park::dag_scheduling {

/// "None" of everything that is counted here: stages, slots, executors, commitments.
inline constexpr std::uint32_t kNone = 0xffffffffu;

/// A promise of executors of one class to a stage.
struct Commitment {
  std::uint32_t target = kNone;  ///< stage; kNone: to nothing (semantics = compat only)
  std::uint32_t executor_class = 0;
  std::int32_t count = 0;
};

/// The promises that a source of executors has made, in their order.
struct CommitmentList {
  std::uint32_t head = kNone, tail = kNone;
};

/// Where the promises of all lists are kept. Keeps its memory.
class Commitments {
 public:
  void clear() noexcept {
    nodes_.clear();
    free_ = kNone;
  }

  void add(CommitmentList& list, const Commitment& commitment) {
    std::uint32_t at = free_;
    if (at == kNone) {
      at = static_cast<std::uint32_t>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[at].next;
    }
    nodes_[at].commitment = commitment;
    append(list, at);
  }

  /// Takes one executor of the class out of the first promise of such; its target. False where
  /// there is none.
  bool take(CommitmentList& list, std::uint32_t executor_class, std::uint32_t& target) noexcept {
    std::uint32_t before = kNone;
    for (std::uint32_t at = list.head; at != kNone; before = at, at = nodes_[at].next) {
      Commitment& c = nodes_[at].commitment;
      if (c.executor_class != executor_class) continue;
      target = c.target;
      if (--c.count > 0) return true;
      (before == kNone ? list.head : nodes_[before].next) = nodes_[at].next;
      if (list.tail == at) list.tail = before;
      release(at);
      return true;
    }
    return false;
  }

  /// Forgets the promises to the targets first .. first + count - 1.
  void forget(CommitmentList& list, std::uint32_t first, std::uint32_t count) noexcept {
    CommitmentList kept;
    for (std::uint32_t at = list.head; at != kNone;) {
      const std::uint32_t following = nodes_[at].next;
      if (nodes_[at].commitment.target - first < count)
        release(at);
      else
        append(kept, at);
      at = following;
    }
    list = kept;
  }

  template <class Visit>
  void for_each(const CommitmentList& list, Visit visit) const {
    for (std::uint32_t at = list.head; at != kNone; at = nodes_[at].next)
      visit(nodes_[at].commitment);
  }
  /// REQUIRES a list that is not empty.
  [[nodiscard]] const Commitment& front(const CommitmentList& list) const noexcept {
    return nodes_[list.head].commitment;
  }

 private:
  struct Node {
    Commitment commitment;
    std::uint32_t next = kNone;
  };

  void append(CommitmentList& list, std::uint32_t at) noexcept {
    nodes_[at].next = kNone;
    (list.tail == kNone ? list.head : nodes_[list.tail].next) = at;
    list.tail = at;
  }
  void release(std::uint32_t at) noexcept {
    nodes_[at].next = free_;
    free_ = at;
  }

  IdVector<Node> nodes_;
  std::uint32_t free_ = kNone;
};

}  // namespace park::dag_scheduling
