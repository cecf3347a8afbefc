#include "park/files/lines.h"

#include <gtest/gtest.h>

#include "park/files/unpack.h"
#include "tests/kit/packing.h"
#include "tests/kit/scratch_folder.h"

namespace park::files {
namespace lines_test {

std::vector<std::string> lines_of(const std::string& text, bool* last_ended = nullptr) {
  const auto source = plain_text(memory_source(text), "t");
  LineReader reader(*source, "t");
  std::vector<std::string> lines;
  std::string_view line;
  while (reader.next(line)) lines.emplace_back(line);
  if (last_ended != nullptr) *last_ended = reader.ended();
  EXPECT_EQ(reader.number(), lines.size());
  return lines;
}

TEST(LineReader, CutsLines) {
  bool ended = false;
  EXPECT_EQ(lines_of("a\nbc\r\n\nd", &ended), (std::vector<std::string>{"a", "bc", "", "d"}));
  EXPECT_FALSE(ended);
  EXPECT_EQ(lines_of("a\n", &ended), (std::vector<std::string>{"a"}));
  EXPECT_TRUE(ended);
  EXPECT_TRUE(lines_of("").empty());
}

TEST(LineReader, HoldsLinesOfAnyLength) {
  std::vector<std::string> lines;
  std::string text;
  for (std::size_t i = 0; i < 40; ++i) {
    lines.emplace_back((i * 7919) % 300'000, static_cast<char>('a' + i % 26));
    text += lines.back() + "\n";
  }
  EXPECT_EQ(lines_of(text), lines);
  EXPECT_EQ(lines_of(test::gzip(text)), lines);
}

TEST(LineReader, RefusesALineWithoutEnd) {
  const std::string packed = test::gzip(std::string(LineReader::kMaxLine + (1 << 20), 'x'));
  EXPECT_EQ(test::error_of([&] { (void)lines_of(packed); }),
            "t: line 1: longer than 67108864 bytes");
}

TEST(TakeLine, TakesTheLastOneWithoutAnEnd) {
  std::string_view text = "a\r\n\nb";
  EXPECT_EQ(take_line(text), "a");
  EXPECT_EQ(take_line(text), "");
  EXPECT_EQ(take_line(text), "b");
  EXPECT_TRUE(text.empty());
}

TEST(NumberLines, CutsWordsAndCountsLines) {
  NumberLines line(" 1\t2 \r\n \n\n3");
  ASSERT_TRUE(line.next());
  EXPECT_EQ(line.word(), "1");
  EXPECT_EQ(line.word(), "2");
  EXPECT_EQ(line.word(), "");
  ASSERT_TRUE(line.next());
  EXPECT_EQ(line.number(), 4U);
  EXPECT_EQ(line.word(), "3");
  EXPECT_FALSE(line.next());
}

TEST(NumberIn, TakesTheWholeWordWithinItsBounds) {
  EXPECT_EQ(number_in("1.5", 0, 2), 1.5);
  EXPECT_EQ(number_in("2", 0, 2), 2);
  for (const char* wrong : {"", " 1", "1 ", "1x", "+1", "2.1", "-1", "nan", "inf"})
    EXPECT_FALSE(number_in(wrong, 0, 2)) << wrong;
}

TEST(FileSource, RefusesFolders) {
  const test::ScratchFolder folder("source");
  EXPECT_NE(test::error_of([&] { (void)file_source(folder.file("")); }).find("a folder"),
            std::string::npos);
}

}  // namespace lines_test
}  // namespace park::files
