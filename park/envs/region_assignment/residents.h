#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "park/core/space.h"
#include "park/envs/region_assignment/account_source.h"
#include "park/envs/region_assignment/config.h"

namespace park::region_assignment {

/// Cost of an account in each region, when it is put there. [regions]
using Costs = std::array<double, kMaxRegions>;

/// An account that is in a region.
struct Resident {
  Account account;
  std::uint64_t job = 0;  ///< its number in the episode
  std::size_t region = 0;
  Costs costs{};
  double leaves_s = 0;
  double asked_epoch = 0;  ///< the last one in which it was asked about
};

/// The accounts that are present, with the next one to leave. Slots are used again, so memory only
/// grows to the most that were present at once. Equal times leave in the order of arrival.
class Residents {
 public:
  void clear() noexcept {
    slots_.clear();
    heap_.clear();
    unused_.clear();
  }
  [[nodiscard]] std::size_t size() const noexcept { return heap_.size(); }
  void add(const Resident&);
  /// When the next one leaves; inf if none is present.
  [[nodiscard]] double next_s() const noexcept {
    return heap_.empty() ? kInf : heap_.front().leaves_s;
  }
  /// Removes that one. REQUIRES one. The reference lasts until the next `add`.
  const Resident& leave() noexcept;
  /// visit(slot, Resident) of all that are present, in no order that matters.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Entry& e : heap_) visit(e.slot, slots_[e.slot]);
  }
  [[nodiscard]] Resident& at(std::size_t slot) { return slots_[slot]; }
  [[nodiscard]] const Resident& at(std::size_t slot) const { return slots_[slot]; }

 private:
  struct Entry {
    double leaves_s;
    std::uint64_t job;
    std::size_t slot;
    [[nodiscard]] bool operator>(const Entry& other) const noexcept {
      return leaves_s != other.leaves_s ? leaves_s > other.leaves_s : job > other.job;
    }
  };

  std::vector<Resident> slots_;
  std::vector<Entry> heap_;  // the next one to leave first
  std::vector<std::size_t> unused_;
};

}  // namespace park::region_assignment
