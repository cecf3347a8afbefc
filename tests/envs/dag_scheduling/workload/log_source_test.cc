#include <gtest/gtest.h>

#include <algorithm>

#include "park/files/byte_source.h"
#include "park/files/unpack.h"
#include "tests/envs/dag_scheduling/workload/support.h"

namespace park::dag_scheduling::workload {
namespace log_source_test {

std::vector<std::string> lines_of(const std::string& text, bool* last_ended = nullptr) {
  const auto source = files::plain_text(files::memory_source(text), "t");
  files::LineReader reader(*source, "t");
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
  const std::string packed = test::gzip(std::string(files::LineReader::kMaxLine + (1 << 20), 'x'));
  EXPECT_EQ(test::error_of([&] { (void)lines_of(packed); }),
            "t: line 1: longer than 67108864 bytes");
}

TEST(FileSource, RefusesFolders) {
  const test::ScratchFolder folder("source");
  EXPECT_NE(test::error_of([&] { (void)files::file_source(folder.file("")); }).find("a folder"),
            std::string::npos);
}

}  // namespace log_source_test
}  // namespace park::dag_scheduling::workload
