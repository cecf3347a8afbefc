// What the host finds wrong in rows that plug-ins have written.
#include "park/plugins/new_row.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "park/core/batch.h"
#include "park/core/error.h"
#include "park/core/space.h"

namespace park::plugins {
namespace new_row_test {

Record record() {
  Record r;
  r.leaves.push_back({.name = "load", .dtype = DType::f32, .shape = {7}});
  r.leaves.push_back({.name = "time", .dtype = DType::f64, .shape = {3}});
  return r;
}

/// Puts each value that is no number into each place of a leaf, one at a time.
template <class T>
void expect_each_place_is_checked(const char* leaf) {
  constexpr std::size_t kRows = 5;
  Batch rows(record());
  rows.resize(kRows);
  const RowForm form(rows.record());
  EXPECT_NO_THROW(form.check_all(rows, 0, kRows));
  const auto field = rows.field<T>(leaf);
  using Limits = std::numeric_limits<T>;
  for (std::size_t r = 0; r < kRows; ++r)
    for (T& place : rows.row(r)[field]) {
      for (const T bad : {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
        place = bad;
        EXPECT_THROW(form.check_all(rows, 0, kRows), Error) << leaf << ", row " << r;
      }
      for (const T good : {Limits::max(), Limits::lowest(), Limits::denorm_min(), T{0}}) {
        place = good;
        EXPECT_NO_THROW(form.check_all(rows, 0, kRows)) << leaf << ", row " << r;
      }
    }
}

TEST(RowForm, NumbersWhoseSumHasNoEndAreAllowed) {
  Batch rows(record());
  rows.resize(5);
  const RowForm form(rows.record());
  const auto load = rows.field<float>("load");
  for (std::size_t r = 0; r < rows.rows(); ++r)
    for (float& place : rows.row(r)[load]) place = std::numeric_limits<float>::max();
  EXPECT_NO_THROW(form.check_all(rows, 0, rows.rows()));
  rows.row(4)[load].back() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(form.check_all(rows, 0, rows.rows()), Error);
}

TEST(RowForm, FindsANumberWithoutEndInAnyPlace) {
  expect_each_place_is_checked<float>("load");
  expect_each_place_is_checked<double>("time");
}

}  // namespace new_row_test
}  // namespace park::plugins
