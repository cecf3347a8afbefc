// What importers share: dates, broken rows, rows of CSV, elements of a JSON array.
#include "park/files/recording.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "park/files/json_elements.h"
#include "park/files/recorded_csv.h"
#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace recording_test {

using test::error_of;

TEST(Recording, DatesAreSecondsSince1970) {
  EXPECT_EQ(time_of_date("1970-01-02 00:00:01"), 86401);
  EXPECT_EQ(time_of_date("2000-03-01 12:30:00.25+00:00"), 951913800.25);
  for (const char* none : {"", "2017-10-07", "2017-02-29 00:00:00", "2017-10-07 24:00:00",
                           "2017-10-07T01:11:39", "2017-10-07 01:11:39x", "1969-12-31 00:00:00"})
    EXPECT_EQ(time_of_date(none), std::nullopt) << none;
}

TEST(Recording, OneBrokenRowInAHundredIsAllowed) {
  RowCount count{.rows = 200};
  for (std::uint64_t i = 0; i < 2; ++i) count.add_broken("F", i, "bad");
  EXPECT_EQ(error_of([&] { count.refuse_broken(); }), "no error");
  count.add_broken("F", 7, "worse");
  EXPECT_EQ(error_of([&] { count.refuse_broken(); }),
            "3 of 200 rows are broken; at most 1 % may be\nF:0: bad\nF:1: bad\nF:7: worse");
  for (std::uint64_t i = 0; i < 100; ++i) count.add_broken("F", i, "bad");
  EXPECT_EQ(count.broken, 103u);
  EXPECT_EQ(count.first_broken.size(), RowCount::kMostListed);
}

std::vector<std::string> column_of_rows(const std::string& text, const std::string& header,
                                        RowCount& count) {
  RecordedFile file{"F", memory_source(text)};
  RecordedCsv rows(file, count);
  const std::size_t place = header.empty() ? rows.column("b") : 1;
  if (!header.empty()) rows.begin_with_first(header);
  std::vector<std::string> found;
  while (rows.next()) found.push_back(rows[place]);
  return found;
}

TEST(RecordedCsvRows, HaveNamedColumnsOrAFirstRow) {
  using Fields = std::vector<std::string>;
  RowCount count;
  EXPECT_EQ(column_of_rows("\xEF\xBB\xBF"
                           "a,b\r\n1,2\r\n\n3,4",
                           "", count),
            (Fields{"2", "4"}));
  EXPECT_EQ(count.rows, 2u);
  EXPECT_EQ(column_of_rows("1,2\n3,4\n", "a,b", count), (Fields{"2", "4"}));
  EXPECT_EQ(column_of_rows("a,b\n3,4\n", "a,b", count), Fields{"4"});
  EXPECT_EQ(count.rows, 5u);
  EXPECT_EQ(count.broken, 0u);
  EXPECT_EQ(column_of_rows("a,b\n1\n\"x,2\n3,4\n", "", count), Fields{"4"});
  EXPECT_EQ(count.first_broken, (Fields{"F:2: there are 1 fields, the first line has 2",
                                        "F:3: a quoted field does not end on its line"}));
  EXPECT_EQ(error_of([&] { column_of_rows("", "", count); }), "F: it is empty");
  EXPECT_EQ(error_of([&] { column_of_rows("a,\"b\n", "", count); }), "F:1: must name the column b");
}

std::vector<std::pair<std::uint64_t, std::string>> elements_of(const std::string& text) {
  const auto source = memory_source(text);
  JsonElements elements(*source, "F");
  std::vector<std::pair<std::uint64_t, std::string>> all;
  std::string_view element;
  while (elements.next(element)) all.emplace_back(elements.line(), element);
  EXPECT_FALSE(elements.next(element));
  return all;
}

TEST(JsonElementsOfAnArray, AreCutAtTheirCommas) {
  using Elements = std::vector<std::pair<std::uint64_t, std::string>>;
  EXPECT_EQ(elements_of(" [ ] \n"), Elements{});
  EXPECT_EQ(elements_of("[1,\n {\"a\": [1, 2], \"b\": \"],}\\\"\"}\n,\"\\\\\"]\n"),
            (Elements{{1, "1"}, {2, "{\"a\": [1, 2], \"b\": \"],}\\\"\"}\n"}, {3, "\"\\\\\""}}));
  // What is between commas need not be a value.
  EXPECT_EQ(elements_of("[,]"), (Elements{{1, ""}, {1, ""}}));
  // Across the blocks that are read.
  const std::string large(3 * kBlock, 'x');
  EXPECT_EQ(elements_of("[\"" + large + "\",2]")[1].second, "2");
}

TEST(JsonElementsOfAnArray, SayWhereTheTextIsWrong) {
  EXPECT_EQ(error_of([] { elements_of(""); }), "F:1: must be a JSON array");
  EXPECT_EQ(error_of([] { elements_of("\n{}"); }), "F:2: must be a JSON array");
  EXPECT_EQ(error_of([] { elements_of("["); }), "F:1: the text ends within the array");
  EXPECT_EQ(error_of([] { elements_of("[1,\n2"); }), "F:2: the text ends within the array");
  EXPECT_EQ(error_of([] { elements_of("[\"a]"); }), "F:1: the text ends within the array");
  EXPECT_EQ(error_of([] { elements_of("[1}]"); }), "F:1: brackets that do not match");
  EXPECT_EQ(error_of([] { elements_of("[1]\n\n]"); }), "F:3: text behind the array");
  const std::string longest(JsonElements::kMostBytes, '1');
  EXPECT_EQ(error_of([&] { elements_of("[1" + longest + "]"); }),
            "F:1: an element is longer than 16777216 bytes");
}

}  // namespace recording_test
}  // namespace park::files
