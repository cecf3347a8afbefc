#include "park/core/json_writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

namespace park {
namespace json_writer_test {

using Layout = JsonWriter::Layout;

TEST(JsonWriter, NestedValuesInOrder) {
  JsonWriter json;
  json.begin_object().member("b", 1).member("a", true).key("list").begin_array();
  json.value("x").null().begin_object(Layout::line).member("y", -2.5).end_object();
  json.end_array().key("empty").begin_array().end_array().key("none").begin_object().end_object();
  EXPECT_EQ(json.end_object().take(),
            "{\n  \"b\": 1,\n  \"a\": true,\n  \"list\": [\n    \"x\",\n    null,\n"
            "    {\"y\": -2.5}\n  ],\n  \"empty\": [],\n  \"none\": {}\n}\n");
}

TEST(JsonWriter, NumbersReadBackExactly) {
  const std::vector<double> numbers{0.1,    1.0 / 3, 1e300, -5e-324, 123456789012345680.0,
                                    2.5e22, 0,       -0.0,  1e5};
  JsonWriter json;
  json.values(numbers);
  const auto read = nlohmann::json::parse(json.take()).get<std::vector<double>>();
  EXPECT_EQ(read, numbers);
}

TEST(JsonWriter, LargeIntegersStayExact) {
  JsonWriter json;
  json.begin_array().value(std::numeric_limits<std::uint64_t>::max());
  json.value(std::numeric_limits<std::int64_t>::min()).end_array();
  const auto read = nlohmann::json::parse(json.take());
  EXPECT_EQ(read[0].get<std::uint64_t>(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(read[1].get<std::int64_t>(), std::numeric_limits<std::int64_t>::min());
}

TEST(JsonWriter, UndefinedAndInfiniteAreNull) {
  JsonWriter json;
  json.values(std::vector<double>{NAN, INFINITY, -INFINITY});
  EXPECT_EQ(json.take(), "[null, null, null]\n");
}

TEST(JsonWriter, TextsReadBack) {
  const std::string text = std::string("quote \" backslash \\ tab \t line \n nul ") + '\0' +
                           " \x1f e-acute \xC3\xA9 clef \xF0\x9D\x84\x9E";
  JsonWriter json;
  json.begin_object().member(text, text).end_object();
  const auto read = nlohmann::json::parse(json.take());
  EXPECT_EQ(read.at(text).get<std::string>(), text);
}

TEST(JsonWriter, NoControlCharacterIsInIt) {
  const std::string text = "\x01\x1b\x7f\xC2\x80\xC2\x9B\xC2\xA0";
  JsonWriter json;
  json.begin_array(Layout::line).value(text).end_array();
  const std::string written = json.take();
  EXPECT_EQ(written, "[\"\\u0001\\u001b\\u007f\\u0080\\u009b\xC2\xA0\"]\n");
  EXPECT_EQ(nlohmann::json::parse(written)[0].get<std::string>(), text);
}

TEST(JsonWriter, BytesThatAreNoUtf8AreReplaced) {
  for (const char* bad :
       {"\xFF", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xC3", "\x80"}) {
    JsonWriter json;
    json.begin_array().value(std::string("a") + bad + "z").end_array();
    const std::string text = json.take();
    ASSERT_TRUE(nlohmann::json::accept(text)) << text;
    const auto read = nlohmann::json::parse(text)[0].get<std::string>();
    EXPECT_NE(read.find("\xEF\xBF\xBD"), std::string::npos);
    EXPECT_TRUE(read.starts_with('a') && read.ends_with('z'));
  }
}

}  // namespace json_writer_test
}  // namespace park
