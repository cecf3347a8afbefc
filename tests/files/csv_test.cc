#include "park/files/csv.h"

#include <gtest/gtest.h>

namespace park::files {
namespace csv_test {

TEST(CsvLine, SplitsAsTheStandardSays) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields;
    EXPECT_EQ(split_csv(line, fields), "");
    return fields;
  };
  using Fields = std::vector<std::string>;
  EXPECT_EQ(split(""), Fields{""});
  EXPECT_EQ(split("a,,b,"), (Fields{"a", "", "b", ""}));
  EXPECT_EQ(split(R"("a,b",c"d,"e ""f""",)"), (Fields{"a,b", "c\"d", "e \"f\"", ""}));
  Fields fields;
  EXPECT_EQ(split_csv("a,\"b", fields), "a quoted field does not end on its line");
  EXPECT_EQ(split_csv("\"a\"b,c", fields), "text behind a quoted field");
}

}  // namespace csv_test
}  // namespace park::files
