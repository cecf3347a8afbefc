// Texts of environments and policies: what is read and written, and what people are shown of others.
#include "park/core/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "park/core/error.h"
#include "park/core/rng.h"

namespace park {
namespace text_test {

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse_text(text));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::syntax);
    return e.what();
  }
  return "";
}

TEST(Text, ReadsEveryKindOfValue) {
  const Value v = parse_text(R"(a(b=1,c=-2.5e+3,d=[x,[],"y z"],e=f(g=true),h=tcp://127.0.0.1:5))");
  EXPECT_EQ(v.kind, Value::Kind::call);
  EXPECT_EQ(v.text, "a");
  EXPECT_EQ(v.keys, (std::vector<std::string>{"b", "c", "d", "e", "h"}));
  EXPECT_EQ(v.items[1].text, "-2.5e+3");
  EXPECT_EQ(v.items[2].kind, Value::Kind::list);
  EXPECT_EQ(v.items[2].items[2].kind, Value::Kind::quoted);
  EXPECT_EQ(v.items[2].items[2].text, "y z");
  EXPECT_EQ(v.items[3].keys[0], "g");
  EXPECT_EQ(v.items[4].text, "tcp://127.0.0.1:5");
}

TEST(Text, AWordIsAName) {
  EXPECT_EQ(parse_text("data/check.points/x-1").kind, Value::Kind::bare);
  EXPECT_EQ(parse_text("a()").kind, Value::Kind::call);
  EXPECT_EQ(to_text(parse_text("a()")), "a");
}

TEST(Text, WritesQuotesOnlyWhereNeeded) {
  const std::string canonical = R"(a(b=x,c="y z",d=["","\"\\"],e=f))";
  EXPECT_EQ(to_text(parse_text(R"(a(b="x",c="y z",d=["","\"\\"],e="f"))")), canonical);
  EXPECT_EQ(to_text(parse_text(canonical)), canonical);
}

TEST(Text, NamesThePositionOfAnError) {
  EXPECT_EQ(error_of(""), "'': expected a value at position 1");
  EXPECT_EQ(error_of("a(b)"), "'a(b)': expected '=' at position 4");
  EXPECT_EQ(error_of("a(b=1"), "'a(b=1': expected ',' or ')' at position 6");
  EXPECT_EQ(error_of("a(b=1,)"), "'a(b=1,)': expected a field name at position 7");
  EXPECT_EQ(error_of("a b"), "'a b': expected the end at position 2");
  EXPECT_EQ(error_of("a(b=[1"), "'a(b=[1': expected ',' or ']' at position 7");
  EXPECT_EQ(error_of("\"a"), "'\"a': expected '\"' at position 3");
  EXPECT_EQ(error_of("\"\\a\""), "'\"\\a\"': expected \\\" or \\\\ at position 3");
  EXPECT_EQ(error_of("a(=1)"), "'a(=1)': expected a field name at position 3");
  EXPECT_NE(error_of(std::string("a\0b", 3)), "");
}

TEST(Text, ALongTextIsCutAroundTheError) {
  const std::string error = error_of("a(b=" + std::string(500, 'x') + "!" + std::string(500, 'y'));
  EXPECT_LT(error.size(), 200u);
  EXPECT_NE(error.find("xx!yy"), std::string::npos) << error;
  EXPECT_NE(error.find("at position 505"), std::string::npos) << error;
  EXPECT_TRUE(error.starts_with("'...x")) << error;
}

TEST(Text, NestingIsLimited) {
  const auto nested = [](int depth) {
    return std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']');
  };
  EXPECT_EQ(error_of(nested(33)), "");
  EXPECT_NE(error_of(nested(34)).find("at most 32 levels of nesting at position 34"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(1'000'000, '[')), "");
}

/// A random value; words, quoted texts with every special character, lists, calls.
Value random_value(Rng& rng, int depth) {
  static constexpr std::string_view kBare = "az09_-+./:@", kAny = "a \"\\,()[]=\n\t'";
  Value v;
  v.kind = static_cast<Value::Kind>(rng.below(depth > 4 ? 2 : 4));
  if (v.kind == Value::Kind::bare || v.kind == Value::Kind::call)
    for (std::uint64_t n = 1 + rng.below(4); n-- > 0;) v.text += kBare[rng.below(kBare.size())];
  if (v.kind == Value::Kind::quoted) {
    v.text = " ";  // so that the quotes are needed
    for (std::uint64_t n = rng.below(6); n-- > 0;) v.text += kAny[rng.below(kAny.size())];
  }
  if (v.kind == Value::Kind::list || v.kind == Value::Kind::call)
    for (std::uint64_t n = rng.below(4) + (v.kind == Value::Kind::call ? 1 : 0); n-- > 0;) {
      if (v.kind == Value::Kind::call) v.keys.push_back("k" + std::to_string(n));
      v.items.push_back(random_value(rng, depth + 1));
    }
  return v;
}

TEST(Text, ReadsBackWhatItWrote) {
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    const Value v = random_value(rng, 0);
    ASSERT_EQ(parse_text(to_text(v)), v) << to_text(v);
  }
}

TEST(Text, BrokenTextsAreErrorsOrValues) {
  Rng rng(8);
  int errors = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string text = to_text(random_value(rng, 0));
    text[rng.below(text.size())] = static_cast<char>(rng.below(256));
    try {
      ASSERT_EQ(parse_text(to_text(parse_text(text))), parse_text(to_text(parse_text(text))));
    } catch (const Error& e) {
      ASSERT_EQ(e.code(), Errc::syntax);
      ++errors;
    }
  }
  EXPECT_GT(errors, 1000);
}

TEST(Text, SplitsPoliciesOutsideBracketsAndQuotes) {
  using List = std::vector<std::string>;
  EXPECT_EQ(split_policies("a"), List{"a"});
  EXPECT_EQ(split_policies("a,b(c=1,d=[2,3]),x/y"), (List{"a", "b(c=1,d=[2,3])", "x/y"}));
  EXPECT_EQ(split_policies(R"(a(b="x,\",)y"),c)"), (List{R"(a(b="x,\",)y"))", "c"}));
  EXPECT_THROW(static_cast<void>(split_policies("a,,b")), Error);
  EXPECT_THROW(static_cast<void>(split_policies("a,")), Error);
  EXPECT_THROW(static_cast<void>(split_policies("")), Error);
}

TEST(Text, ControlCharactersOfOthersAreShown) {
  EXPECT_EQ(printable("plain, \\ and caf\xC3\xA9 \xF0\x9D\x84\x9E"),
            "plain, \\ and caf\xC3\xA9 \xF0\x9D\x84\x9E");
  EXPECT_EQ(printable("\x1b]52;c;AAAA\x07"), "\\x1b]52;c;AAAA\\x07");
  EXPECT_EQ(printable(std::string_view("\0\t\r\n\x7f", 5)), "\\x00\\x09\\x0d\\x0a\\x7f");
  EXPECT_EQ(printable("a\nb\tc", "\n"), "a\nb\\x09c");
  EXPECT_EQ(printable("\xC2\x9B"
                      "31m \xC2\xA0"),
            "\\xc2\\x9b31m \xC2\xA0")
      << "U+009B begins codes";
  EXPECT_EQ(printable("\x9B \xFF \xC3"), "\\x9b \\xff \\xc3") << "bytes that are no UTF-8";
  for (int c = 0; c < 256; ++c)
    for (const char shown : printable(std::string(3, static_cast<char>(c))))
      EXPECT_TRUE(shown >= 0x20 && shown < 0x7f) << c;
}

TEST(Text, NumbersAreTheShortestThatReadBack) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(1e300), "1e+300");
  EXPECT_EQ(number_text(-2), "-2");
  EXPECT_EQ(number_text(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Text, HashesHaveAllTheirDigits) {
  EXPECT_EQ(hash_digits(0), "0000000000000000");
  EXPECT_EQ(hash_digits(0x1f00000000abcdefU), "1f00000000abcdef");
}

}  // namespace text_test
}  // namespace park
