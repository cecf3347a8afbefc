// Texts of failures: whole lines or characters, and how much is missing.
#include "bridge/codec/short_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace park::bridge {
namespace short_text_test {

TEST(ShortText, LeavesAShortOneAsItIs) {
  EXPECT_EQ(short_text(""), "");
  const std::string most(kMostAnswerText, 'x');
  EXPECT_EQ(short_text(most), most);
}

TEST(ShortText, KeepsWholeLines) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "line " + std::to_string(i) + "\n";
  text.pop_back();
  const std::string most = short_text(text);
  EXPECT_LE(most.size(), kMostAnswerText);
  EXPECT_GT(most.size(), kMostAnswerText / 2);
  const std::size_t end = most.rfind('\n');
  const std::string last = most.substr(end + 1);
  const std::size_t kept =
      static_cast<std::size_t>(std::count(most.begin(), most.end(), '\n'));  // but the last line
  EXPECT_EQ(last, "and " + std::to_string(10'000 - kept) + " more lines");
  EXPECT_EQ(text.substr(0, end), most.substr(0, end));
}

TEST(ShortText, CutsAVeryLongLineBetweenCharacters) {
  std::string text = "a";
  while (text.size() < 100'000) text += "\xc3\xa9";
  const std::string most = short_text(text);
  EXPECT_LE(most.size(), kMostAnswerText);
  const std::size_t end = most.find("...");
  ASSERT_NE(end, std::string::npos);
  EXPECT_EQ(end % 2, 1u) << "a character is cut";
  EXPECT_EQ(most.substr(end), "... and " + std::to_string(text.size() - end) + " more bytes");
}

}  // namespace short_text_test
}  // namespace park::bridge
