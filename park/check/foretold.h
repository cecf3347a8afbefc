#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "park/check/arrivals.h"
#include "park/check/subject.h"
#include "park/core/batch.h"
#include "park/core/env.h"

namespace park::check {

/// Looks for a value of the observation that equals, on every row, a quantity of the next arrival
/// that has not been reported yet. The quantities are its time, the time until then, and its
/// arguments. Chance is excluded: the quantity takes at least three values over eight arrivals or
/// more. Values of groups are left out, because their elements come and go.
class Foretold {
 public:
  explicit Foretold(const Subject&);

  /// Plays an episode with random decisions. The subject must outlive this.
  void play(const Episode&);
  /// The leaf that shows the next arrival, or "".
  [[nodiscard]] std::string leaf() const;

 private:
  static constexpr std::size_t kMostRows = 300;  ///< of an episode that are looked at

  /// One value of a row that may be the quantity so far.
  struct Suspect {
    std::size_t value;           ///< of a row
    std::string quantity;        ///< "time", "until" or the name of an argument
    std::vector<double> seen{};  ///< different numbers of it, at most three
    std::size_t arrivals = 0;
  };
  struct SeenRow {
    std::vector<double> values;
    double now_s = 0;
    std::size_t arrivals = 0;  ///< reported so far
  };

  [[nodiscard]] std::vector<double> values_of(ConstRow) const;
  void compare(const SeenRow&, const ArrivalLog::Arrival& next, bool first_row_before_it);
  void suspect_all(const SeenRow&, const ArrivalLog::Arrival& next);

  const Subject& subject_;
  std::vector<std::string> leaves_{};  ///< of each value of a row
  std::vector<Suspect> suspects_{};
  bool begun_ = false;
};

}  // namespace park::check
