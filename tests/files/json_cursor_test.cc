#include "park/files/json_cursor.h"

#include <gtest/gtest.h>

namespace park::files {
namespace json_cursor_test {

std::string text_value(const std::string& json) {
  std::string out;
  JsonCursor(json).text(out);
  return out;
}

/// "ok" when the text is one value that can be stepped over.
std::string skipped(const std::string& json) {
  try {
    JsonCursor cursor(json);
    cursor.skip();
    cursor.finish();
  } catch (const JsonError& error) {
    return error.what();
  }
  return "ok";
}

TEST(JsonCursor, WalksAnObject) {
  JsonCursor json(R"( { "a" : 1 , "b":{"c":[1,{"d":"]}"}]}, "e":[true,false,[]], "f":{} } )");
  std::string_view key;
  std::string keys;
  std::int64_t sum = 0;
  int trues = 0;
  json.enter_object();
  while (json.next_key(key)) {
    keys += key;
    if (key == "a") {
      sum += json.integer();
    } else if (key == "e") {
      json.enter_array();
      for (int i = 0; json.next_element(); ++i) {
        if (i < 2) {
          trues += json.boolean() ? 1 : 0;
        } else {
          json.skip();
        }
      }
    } else {
      json.skip();
    }
  }
  json.finish();
  EXPECT_EQ(keys, "abef");
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(trues, 1);
}

TEST(JsonCursor, DecodesStrings) {
  EXPECT_EQ(text_value(R"("plain")"), "plain");
  EXPECT_EQ(text_value(R"("a\"b\\c\/d\n\t\r\b\f")"), "a\"b\\c/d\n\t\r\b\f");
  EXPECT_EQ(text_value(R"("ends in a slash \\")"), "ends in a slash \\");
  EXPECT_EQ(text_value(R"("\u0041\u00e9\u20ac\ud83d\ude00")"),
            "A\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
  EXPECT_EQ(text_value(R"("\ud83d!")"), "\xef\xbf\xbd!");
  EXPECT_THROW((void)text_value(R"("\x")"), JsonError);
  EXPECT_THROW((void)text_value(R"("\u12g4")"), JsonError);
  EXPECT_THROW((void)text_value(R"("\u12")"), JsonError);
  EXPECT_THROW((void)text_value(R"("open)"), JsonError);
  EXPECT_THROW((void)text_value(R"("open\")"), JsonError);
}

TEST(JsonCursor, StepsOverValues) {
  for (const char* json : {"1", "-1.5e9", "true", "null", R"("a\"b")", "[]", "{}", " [1,[2]] ",
                           R"({"a":"}","b":["]"]})"}) {
    EXPECT_EQ(skipped(json), "ok") << json;
  }
  EXPECT_EQ(skipped(""), "expected a value");
  EXPECT_EQ(skipped(","), "expected a value");
  EXPECT_EQ(skipped("[1"), "the text ends too early");
  EXPECT_EQ(skipped("[1}"), "brackets that do not match");
  EXPECT_EQ(skipped(R"({"a)"), "a string has no end");
  EXPECT_EQ(skipped("[] x"), "text behind the end");
  EXPECT_EQ(skipped(std::string(256, '[') + std::string(256, ']')), "ok");
  EXPECT_EQ(skipped(std::string(257, '[') + std::string(257, ']')), "nested too deeply");
}

TEST(JsonCursor, RefusesOtherTypes) {
  EXPECT_THROW((void)JsonCursor("\"1\"").integer(), JsonError);
  EXPECT_THROW((void)JsonCursor("1.5").integer(), JsonError);
  EXPECT_THROW((void)JsonCursor("99999999999999999999").integer(), JsonError);
  EXPECT_THROW((void)JsonCursor("1").boolean(), JsonError);
  EXPECT_THROW(JsonCursor("[]").enter_object(), JsonError);
  EXPECT_EQ(JsonCursor("-9223372036854775808").integer(), std::int64_t{-9223372036854775807} - 1);
  JsonCursor json(R"({"a":1 "b":2})");
  std::string_view key;
  json.enter_object();
  EXPECT_TRUE(json.next_key(key));
  json.skip();
  EXPECT_THROW((void)json.next_key(key), JsonError);
}

}  // namespace json_cursor_test
}  // namespace park::files
