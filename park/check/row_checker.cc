#include "park/check/row_checker.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "park/core/with_type.h"

namespace park::check {

std::string RowChecker::problem(ConstRow row) const {
  for (const Group& g : record_.groups)
    if (row.count(row.batch().group(g.name)) > static_cast<std::size_t>(g.capacity))
      return "more " + g.name + " than its capacity";
  for (std::size_t c = 0; c < record_.leaves.size(); ++c)
    if (!sound(row, c)) return record_.leaves[c].name + " has a value outside its bounds";
  return "";
}

bool RowChecker::sound(ConstRow row, std::size_t column) const {
  return with_type(record_.leaves[column].dtype,
                   [&]<class T>(T) { return sound_values<T>(row, column); });
}

template <class T>
bool RowChecker::sound_values(ConstRow row, std::size_t column) const {
  const Leaf& leaf = record_.leaves[column];
  const auto values = row[row.batch().field<T>(leaf.name)];
  double low = leaf.low, high = leaf.high;
  if constexpr (std::is_same_v<T, float>) {  // a bound is rounded as values are
    low = static_cast<float>(low);
    high = static_cast<float>(high);
  }
  if (!leaf.index_of.empty())
    high = std::min(high, static_cast<double>(row.count(row.batch().group(leaf.index_of))) - 1);
  return std::ranges::all_of(values, [&](T v) {
    const auto x = static_cast<double>(v);
    return std::isfinite(x) && x >= low && x <= high;
  });
}

}  // namespace park::check
