// Rows in columns: groups, copies, growth, lazy rows.
#include "park/core/batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <vector>

namespace park {
namespace batch_test {

Record record() {
  Record r;
  r.groups = {{"jobs", 8}, {"tasks", 20}};
  r.leaves = {{.name = "clock", .dtype = DType::f64},
              {.name = "job.size", .dtype = DType::f32, .shape = {2}, .group = "jobs"},
              {.name = "task.kind", .dtype = DType::u8, .group = "tasks"},
              {.name = "flags", .dtype = DType::i32, .shape = {3}}};
  return r;
}

struct Handles {
  explicit Handles(const Batch& b)
      : clock(b.field<double>("clock")),
        size(b.field<float>("job.size")),
        kind(b.field<std::uint8_t>("task.kind")),
        flags(b.field<std::int32_t>("flags")),
        jobs(b.group("jobs")),
        tasks(b.group("tasks")) {}
  Field<double> clock;
  Field<float> size;
  Field<std::uint8_t> kind;
  Field<std::int32_t> flags;
  GroupId jobs, tasks;
};

/// Row k of a pattern: k jobs, 2k tasks.
void write(const Handles& h, Row r, int k) {
  r.resize(h.jobs, static_cast<std::size_t>(k));
  r.resize(h.tasks, static_cast<std::size_t>(2 * k));
  r.scalar(h.clock) = k + 0.5;
  std::ranges::fill(r[h.size], static_cast<float>(k));
  std::ranges::fill(r[h.kind], static_cast<std::uint8_t>(k));
  std::ranges::fill(r[h.flags], -k);
}

void expect(const Handles& h, ConstRow r, int k) {
  EXPECT_EQ(r.count(h.jobs), static_cast<std::size_t>(k));
  EXPECT_EQ(r.scalar(h.clock), k + 0.5);
  EXPECT_EQ(r[h.size].size(), static_cast<std::size_t>(2 * k));
  EXPECT_TRUE(std::ranges::all_of(r[h.size], [&](float v) { return v == static_cast<float>(k); }));
  EXPECT_EQ(r[h.kind].size(), static_cast<std::size_t>(2 * k));
  EXPECT_TRUE(std::ranges::all_of(r[h.kind], [&](int v) { return v == k; }));
  EXPECT_TRUE(std::ranges::all_of(r[h.flags], [&](int v) { return v == -k; }));
}

TEST(Batch, PacksRaggedRows) {
  Batch b(record());
  const Handles h(b);
  for (int k : {3, 0, 5, 1}) write(h, b.append(), k);
  expect(h, b.row(0), 3);
  expect(h, b.row(1), 0);
  expect(h, b.row(2), 5);
  expect(h, b.row(3), 1);
  EXPECT_TRUE(std::ranges::equal(b.offsets(h.jobs), std::array<std::int64_t, 5>{0, 3, 3, 8, 9}));
  EXPECT_EQ(b.bytes(1, 0, 4).size(), 9 * 2 * sizeof(float));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.bytes(1, 0, 4).data()) % 64, 0u);
  b.pop();
  write(h, b.append(), 2);
  expect(h, b.row(3), 2);
}

TEST(Batch, ARowCanShrinkAndGrowWhileItIsTheLast) {
  Batch b(record());
  const Handles h(b);
  write(h, b.append(), 1);
  Row r = b.append();
  write(h, r, 6);
  write(h, r, 2);
  write(h, r, 7);
  expect(h, b.row(0), 1);
  expect(h, b.row(1), 7);
}

TEST(Batch, RefusesMoreThanTheCapacity) {
  Batch b(record());
  const Handles h(b);
  EXPECT_THROW(b.append().resize(h.jobs, 9), Error);
}

TEST(Batch, CountsOfAllRowsAreSetAtOnce) {
  Batch b(record());
  const Handles h(b);
  for (int r = 0; r < 3; ++r) b.append();
  b.set_counts(h.jobs, [](std::size_t row) { return 2 * row; });
  EXPECT_TRUE(std::ranges::equal(b.offsets(h.jobs), std::array<std::int64_t, 4>{0, 0, 2, 6}));
  EXPECT_EQ(b.bytes(1, 0, 3).size(), 6 * 2 * sizeof(float));
  EXPECT_THROW(b.set_counts(h.jobs, [](std::size_t) { return 9; }), Error);
}

TEST(Batch, SizesThatNoMemoryHasAreErrors) {
  constexpr std::int64_t kLarge = std::int64_t{1} << 62;
  const std::vector<std::vector<std::int64_t>> shapes{{kLarge}, {kLarge, kLarge}, {0}, {-1}};
  for (const auto& shape : shapes) {
    Record r;
    r.leaves = {{.name = "x", .shape = shape}};
    EXPECT_THROW(Batch{r}, Error);
  }
  Record r = record();
  r.groups[0].capacity = std::numeric_limits<std::int64_t>::max();
  Batch b(r);
  const Row row = b.append();
  EXPECT_THROW(row.resize(b.group("jobs"), std::size_t{1} << 61), Error) << "2^64 bytes";
  EXPECT_THROW(row.resize(b.group("jobs"), std::numeric_limits<std::size_t>::max()), Error);
  EXPECT_THROW(b.reserve(std::numeric_limits<std::size_t>::max() / 2), std::exception);
}

TEST(Batch, HandlesAreChecked) {
  const Batch b(record());
  EXPECT_THROW((void)b.field<float>("clock"), Error);
  EXPECT_THROW((void)b.field<float>("cloc"), Error);
  EXPECT_THROW((void)b.group("clock"), Error);
}

TEST(Batch, ExtendThenFillEqualsAppending) {
  Batch a(record()), b(record()), all(record());
  const Handles h(all);
  for (int k : {2, 4}) write(h, a.append(), k);
  for (int k : {1, 0, 3}) write(h, b.append(), k);
  const std::size_t at_b = all.extend(b), at_a = all.extend(a);
  all.fill(at_a, a);
  all.fill(at_b, b);
  for (int row = 0; const int k : {1, 0, 3, 2, 4})
    expect(h, std::as_const(all).row(static_cast<std::size_t>(row++)), k);
  all.append(a, 1);
  expect(h, all.row(5), 4);
}

TEST(Batch, AKeptRowIsCopiedByFillOnly) {
  Batch image(record()), part(record()), all(record());
  const Handles h(all);
  write(h, image.append(), 4);
  part.set_lazy();
  write(h, part.append(), 1);
  part.append().keep(std::as_const(image).row(0));
  write(h, part.append(), 2);
  const std::size_t at = all.extend(part);
  write(h, image.row(0), 4);
  std::ranges::fill(image.row(0)[h.flags], -4);
  all.fill(at, part);
  expect(h, all.row(0), 1);
  expect(h, all.row(1), 4);
  expect(h, all.row(2), 2);
  all.clear();
  all.append(part, 1);
  expect(h, all.row(0), 4);
  Row direct = all.append();  // not lazy: keep copies
  direct.keep(std::as_const(image).row(0));
  expect(h, all.row(1), 4);
}

TEST(Batch, PoisonShowsWhatIsNotWritten) {
  Batch b(record());
  const Handles h(b);
  b.set_poison(0xab);
  Row r = b.append();
  r.resize(h.tasks, 3);
  EXPECT_EQ(r[h.kind][2], 0xab);
  EXPECT_EQ(r[h.flags][0], static_cast<std::int32_t>(0xabababab));
}

TEST(Batch, ResizeGivesZeros) {
  Batch b(record());
  const Handles h(b);
  write(h, b.append(), 5);
  b.clear();
  b.resize(2);
  EXPECT_EQ(b.row(0).scalar(h.clock), 0);
  EXPECT_EQ(b.row(1).count(h.jobs), 0u);
  b.resize(1);
  EXPECT_EQ(b.rows(), 1u);
}

}  // namespace batch_test
}  // namespace park
