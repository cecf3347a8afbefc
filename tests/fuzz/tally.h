#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <exception>

#include "park/core/error.h"
#include "tests/fuzz/allocation_watch.h"

namespace park::test {

inline const int kMutations = [] {
  const char* set = std::getenv("PARK_MUTATIONS");
  return set == nullptr ? 6'000 : std::atoi(set);
}();
/// A million numbers, which is what a trace may have, in a vector that doubles.
inline constexpr std::size_t kLargestAllocation = std::size_t{16} << 20;

/// How the runs ended. Both kinds must occur, or the mutations are too tame or too wild.
struct Tally {
  int read = 0, refused = 0;

  /// Runs one case; anything but success or park::Error fails the test.
  template <class Call>
  void run(int number, Call&& call) {
    (void)largest_allocation();
    try {
      call();
      ++read;
    } catch (const Error& error) {
      ++refused;
      EXPECT_STRNE(error.what(), "");
    } catch (const std::exception& error) {
      ADD_FAILURE() << "mutation " << number << ": " << error.what();
    }
    EXPECT_LT(largest_allocation(), kLargestAllocation) << "mutation " << number;
  }
  /// Either end came at least once in so many runs.
  void expect_both(int one_in) const {
    EXPECT_EQ(read + refused, kMutations);
    EXPECT_GE(read, kMutations / one_in);
    EXPECT_GE(refused, kMutations / one_in);
  }
};

}  // namespace park::test
